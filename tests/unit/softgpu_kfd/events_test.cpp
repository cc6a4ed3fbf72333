#include "kfd/events.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace softgpu::kfd {
namespace {

struct Fixture {
  Fixture() { REQUIRE(table.set_page(page.data()) == 0); }
  EventTable::Created signal(bool auto_reset = true) {
    EventTable::Created created;
    REQUIRE(table.create(KFD_IOC_EVENT_SIGNAL, auto_reset, created) == 0);
    return created;
  }
  /// @return KFD_IOC_WAIT_RESULT_*
  uint32_t wait(const std::vector<uint32_t>& ids, uint32_t timeout_ms, bool all = false) {
    std::vector<kfd_event_data> events(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) events[i].event_id = ids[i];
    uint32_t result = 99;
    REQUIRE(table.wait(events, all, timeout_ms, result) == 0);
    return result;
  }
  EventTable table;
  std::vector<uint64_t> page = std::vector<uint64_t>(kEventSlots);
};

constexpr uint32_t kComplete = KFD_IOC_WAIT_RESULT_COMPLETE;
constexpr uint32_t kTimeout = KFD_IOC_WAIT_RESULT_TIMEOUT;
constexpr uint32_t kForever = 0xffffffff;

/// Threads that all wait on one event, counted when they come back.
struct Waiters {
  Waiters(EventTable& table, uint32_t id, int count) {
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([this, &table, id] {
        kfd_event_data event{};
        event.event_id = id;
        uint32_t result = 99;
        ++arriving;
        table.wait({&event, 1}, false, kForever, result);
        last_result = result;
        ++returned;
      });
    }
    while (arriving < count) std::this_thread::yield();
  }
  void join() {
    for (std::thread& thread : threads) thread.join();
  }
  std::vector<std::thread> threads;
  std::atomic<int> arriving{0};
  std::atomic<int> returned{0};
  std::atomic<uint32_t> last_result{99};
};

}  // namespace

TEST_CASE("events: numbers start at one, slots are distinct and unsignalled") {
  Fixture f;
  const auto first = f.signal();
  const auto second = f.signal();
  CHECK(first.id == 1);
  CHECK(first.slot != second.slot);
  CHECK(std::all_of(f.page.begin(), f.page.end(), [](uint64_t slot) { return slot == kSlotUnsignalled; }));
  CHECK(f.table.set_page(f.page.data()) == -EBUSY);
}

TEST_CASE("events: a signal event needs the page, a memory event does not") {
  EventTable table;
  EventTable::Created created;
  CHECK(table.create(KFD_IOC_EVENT_SIGNAL, true, created) == -EINVAL);
  CHECK(table.create(KFD_IOC_EVENT_MEMORY, false, created) == 0);
}

TEST_CASE("events: slots run out, and come back") {
  Fixture f;
  std::vector<uint32_t> ids;
  for (uint32_t i = 0; i < kEventSlots; ++i) ids.push_back(f.signal().id);
  EventTable::Created created;
  CHECK(f.table.create(KFD_IOC_EVENT_SIGNAL, true, created) == -ENOSPC);
  CHECK(f.table.destroy(ids[17]) == 0);
  CHECK(f.table.create(KFD_IOC_EVENT_SIGNAL, true, created) == 0);
  CHECK(created.id > ids.back());  // a number is not used twice: a late interrupt must not hit a new event
}

TEST_CASE("events: set before the wait is not lost; auto-reset is consumed by one wait") {
  Fixture f;
  const uint32_t id = f.signal().id;
  CHECK(f.table.set(id) == 0);
  CHECK(f.wait({id}, kForever) == kComplete);
  CHECK(f.wait({id}, 0) == kTimeout);
  const uint32_t manual = f.signal(false).id;
  CHECK(f.table.set(manual) == 0);
  CHECK(f.wait({manual}, 0) == kComplete);
  CHECK(f.wait({manual}, 0) == kComplete);
  CHECK(f.table.reset(manual) == 0);
  CHECK(f.wait({manual}, 0) == kTimeout);
}

// Threads announce themselves just before they wait, so some may come after the set; the event stays set only
// if nobody was there. Setting again until all are back terminates exactly if every present waiter is woken.
TEST_CASE("events: setting wakes every waiter present") {
  Fixture f;
  const uint32_t id = f.signal().id;
  const uint32_t probe = f.signal().id;
  for (int round = 0; round < 20; ++round) {
    Waiters waiters(f.table, id, 5);
    while (waiters.returned < 5) {
      f.table.set(id);
      std::this_thread::yield();
    }
    waiters.join();
    f.table.reset(id);
  }
  CHECK(f.wait({probe}, 0) == kTimeout);
}

TEST_CASE("events: an auto-reset event that woke somebody is not signalled any more") {
  Fixture f;
  const uint32_t id = f.signal().id;
  const uint32_t other = f.signal().id;
  std::atomic<bool> waiting{false};
  std::thread thread([&] {
    waiting = true;
    CHECK(f.wait({id}, kForever) == kComplete);
  });
  // Once the thread's wait is registered, a set is consumed by it. It may not be registered yet: then the set
  // stays until its wait consumes it. Either way nothing is left afterwards.
  while (!waiting) std::this_thread::yield();
  f.table.set(id);
  thread.join();
  CHECK(f.wait({id, other}, 0) == kTimeout);
}

// Two threads, one event, two signals: the set meant for one thread, which is not yet asleep, is consumed by
// the other. Without event ages from the runtime the first one must be woken all the same.
TEST_CASE("events: a set consumed by one thread still ends another thread's next wait, once") {
  Fixture f;
  const uint32_t id = f.signal().id;
  f.table.set(id);
  std::thread other([&] { CHECK(f.wait({id}, kForever) == kComplete); });
  other.join();
  CHECK(f.wait({id}, 0) == kTimeout);  // a poll sees the state alone
  f.table.set(id);
  std::thread again([&] { CHECK(f.wait({id}, kForever) == kComplete); });
  again.join();
  CHECK(f.wait({id}, kForever) == kComplete);  // would hang
  CHECK(f.wait({id}, 1) == kTimeout);          // and once is enough
}

TEST_CASE("events: threads that come and go are forgotten, at the price of one look") {
  Fixture f;
  const uint32_t id = f.signal().id;
  f.table.set(id);
  for (int i = 0; i < 600; ++i) std::thread([&] { CHECK(f.wait({id}, kForever) == kComplete); }).join();
  CHECK(f.wait({id}, kForever) == kComplete);
  CHECK(f.wait({id}, 1) == kTimeout);
}

TEST_CASE("events: wait for all, and what a time-out consumed is given back") {
  Fixture f;
  const uint32_t a = f.signal().id;
  const uint32_t b = f.signal().id;
  f.table.set(a);
  CHECK(f.wait({a, b}, 1, true) == kTimeout);
  f.table.set(b);
  CHECK(f.wait({a, b}, kForever, true) == kComplete);
  CHECK(f.wait({a, b}, 0, false) == kTimeout);
}

TEST_CASE("events: wait for any of several") {
  Fixture f;
  const uint32_t a = f.signal().id;
  const uint32_t b = f.signal().id;
  std::thread setter([&] { f.table.set(b); });
  CHECK(f.wait({a, b}, kForever) == kComplete);
  setter.join();
}

TEST_CASE("events: destroying ends the waits on it") {
  Fixture f;
  const uint32_t id = f.signal().id;
  Waiters waiters(f.table, id, 1);
  // The thread may not have registered yet; it then finds no event, which ends its wait as well.
  CHECK(f.table.destroy(id) == 0);
  waiters.join();
  CHECK((waiters.last_result == KFD_IOC_WAIT_RESULT_FAIL || waiters.last_result == 99));
  CHECK(f.table.destroy(id) == -EINVAL);
  CHECK(f.table.set(id) == -EINVAL);
}

TEST_CASE("events: unknown numbers and empty waits are refused") {
  Fixture f;
  kfd_event_data event{};
  event.event_id = 4711;
  uint32_t result = 0;
  CHECK(f.table.wait({&event, 1}, false, kForever, result) == -EINVAL);
  CHECK(f.table.wait({}, false, kForever, result) == -EINVAL);
  CHECK(f.table.reset(4711) == -EINVAL);
}

TEST_CASE("events: an interrupt clears the slot and sets the event") {
  Fixture f;
  const auto event = f.signal();
  f.page[event.slot] = event.id;
  f.table.signal_event(event.id);
  CHECK(f.page[event.slot] == kSlotUnsignalled);
  CHECK(f.wait({event.id}, 0) == kComplete);
  f.table.signal_event(4711);  // gone meanwhile: no harm
}

TEST_CASE("events: a shader's interrupt is found by its slot") {
  Fixture f;
  const auto quiet = f.signal();
  const auto rung = f.signal();
  f.page[rung.slot] = rung.id;
  f.table.scan_event_slots();
  CHECK(f.page[rung.slot] == kSlotUnsignalled);
  CHECK(f.wait({quiet.id}, 0) == kTimeout);
  CHECK(f.wait({rung.id}, 0) == kComplete);
}

TEST_CASE("events: a memory fault tells page, GPU and reason") {
  Fixture f;
  EventTable::Created created;
  REQUIRE(f.table.create(KFD_IOC_EVENT_MEMORY, false, created) == 0);
  const auto reason = GENERATE(cp::FaultReason::not_present, cp::FaultReason::read_only);
  f.table.memory_fault(0x1001, GpuVa(0x7f0000001234), reason);
  kfd_event_data event{};
  event.event_id = created.id;
  uint32_t result = 99;
  REQUIRE(f.table.wait({&event, 1}, false, kForever, result) == 0);
  CHECK(result == kComplete);
  CHECK(event.memory_exception_data.va == 0x7f0000001000);
  CHECK(event.memory_exception_data.gpu_id == 0x1001);
  CHECK(event.memory_exception_data.ErrorType == 0);
  CHECK(event.memory_exception_data.failure.NotPresent == (reason == cp::FaultReason::not_present ? 1 : 0));
  CHECK(event.memory_exception_data.failure.ReadOnly == (reason == cp::FaultReason::read_only ? 1 : 0));
}

TEST_CASE("events: a waiter that knows an older age is told at once") {
  Fixture f;
  const uint32_t id = f.signal().id;
  kfd_event_data event{};
  event.event_id = id;
  const uint64_t known = 1;
  std::memcpy(&event, &known, sizeof known);
  uint32_t result = 99;
  REQUIRE(f.table.wait({&event, 1}, false, 0, result) == 0);
  CHECK(result == kTimeout);
  f.table.set(id);
  CHECK(f.wait({id}, 0) == kComplete);  // somebody else consumed it
  REQUIRE(f.table.wait({&event, 1}, false, 0, result) == 0);
  CHECK(result == kComplete);
  uint64_t age = 0;
  std::memcpy(&age, &event, sizeof age);
  CHECK(age == 2);
}

// Ping-pong over two auto-reset events, as two threads of a runtime do: any lost wake-up hangs it.
TEST_CASE("events: no wake-up is lost under load") {
  Fixture f;
  const uint32_t ping = f.signal().id;
  const uint32_t pong = f.signal().id;
  constexpr int kRounds = 20'000;
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      f.wait({ping}, kForever);
      f.table.set(pong);
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    f.table.set(ping);
    CHECK(f.wait({pong}, kForever) == kComplete);
  }
  other.join();
}

}  // namespace softgpu::kfd
