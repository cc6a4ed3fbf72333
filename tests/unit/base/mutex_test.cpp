// The mutex that counts what its thread holds.
#include <catch2/catch.hpp>

#include <chrono>
#include <condition_variable>
#include <string>
#include <thread>

#include "base/mutex.hpp"

TEST_CASE("locks are counted by the thread that holds them, and not while it waits on a condition") {
  kreplay::Mutex first, second;
  CHECK(kreplay::locks_held() == 0);
  std::unique_lock lock(first);
  {
    const std::lock_guard other(second);
    CHECK(kreplay::locks_held() == 2);
    uint32_t elsewhere = 9;
    bool taken = true;
    std::thread([&] {
      taken = second.try_lock();
      elsewhere = kreplay::locks_held();
    }).join();
    CHECK_FALSE(taken);
    CHECK(elsewhere == 0);
  }
  CHECK(kreplay::locks_held() == 1);
  std::condition_variable_any changed;
  bool asked = false;
  changed.wait_for(lock, std::chrono::milliseconds(1), [&] {
    asked = kreplay::locks_held() == 1;  // it has the lock again
    return false;
  });
  CHECK(asked);
  lock.unlock();
  CHECK(kreplay::locks_held() == 0);
}

TEST_CASE("a call out under a lock is told") {
  static std::string told;
  kreplay::set_check_action([](const char* what) noexcept { told = what; });
  kreplay::Mutex mutex;
  KR_CHECK_UNLOCKED();
  CHECK(told.empty());
  {
    const std::lock_guard lock(mutex);
    KR_CHECK_UNLOCKED();
  }
  CHECK(told == "no lock of ours is held across a call out");
  kreplay::set_check_action(nullptr);
}
