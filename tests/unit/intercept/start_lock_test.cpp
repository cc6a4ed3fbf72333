// The lock around start and shut down: waited for, but not for ever.

#include "intercept/start_lock.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

using kreplay::intercept::StartLock;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a thread that starts for too long is not waited for; one that ends is") {
  StartLock lock;
  REQUIRE(lock.try_lock_for(milliseconds(0)));
  bool ours = true;
  std::thread([&] { ours = lock.try_lock_for(milliseconds(20)); }).join();
  CHECK_FALSE(ours);
  std::atomic<bool> waiting{false};
  std::thread other([&] {
    waiting = true;
    ours = lock.try_lock_for(seconds(60));
  });
  while (!waiting) std::this_thread::yield();
  lock.unlock();
  other.join();
  CHECK(ours);
}
