#include "kfd/events.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>

namespace softgpu::kfd {
namespace {

constexpr uint64_t kPageMask = ~uint64_t{4095};
constexpr uint64_t kFirstAge = 1;
/// Threads come and go; forgetting all costs each of them one look.
constexpr size_t kMaxThreadsRemembered = 256;

bool has_mailbox(uint32_t type) { return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT; }

// The age of a signal event shares its place with the exception data of other types: the first eight bytes.
// Sent as zero by runtimes that do not use it.
uint64_t age_of(const kfd_event_data& data) {
  uint64_t age;
  std::memcpy(&age, &data, sizeof age);
  return age;
}
void set_age(kfd_event_data& data, uint64_t age) { std::memcpy(&data, &age, sizeof age); }

}  // namespace

/// One event of one wait. The event may be destroyed meanwhile.
struct EventTable::WaitItem {
  Waiter* waiter = nullptr;
  Event* event = nullptr;
  bool activated = false;
};

struct EventTable::Waiter {
  std::condition_variable condition;
  std::vector<WaitItem> items;
};

EventTable::Event* EventTable::find(uint32_t id) {
  const auto at = events_.find(id);
  return at == events_.end() ? nullptr : at->second.get();
}

size_t EventTable::size() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

int EventTable::set_page(uint64_t* slots) {
  const std::lock_guard lock(mutex_);
  if (slots_ != nullptr) return -EBUSY;
  slots_ = slots;
  std::fill_n(slots, kEventSlots, kSlotUnsignalled);
  return 0;
}

bool EventTable::has_page() const {
  const std::lock_guard lock(mutex_);
  return slots_ != nullptr;
}

int EventTable::create(uint32_t type, bool auto_reset, Created& created) {
  const std::lock_guard lock(mutex_);
  auto event = std::make_unique<Event>();
  event->type = type;
  event->auto_reset = auto_reset;
  if (has_mailbox(type)) {
    if (slots_ == nullptr) return -EINVAL;
    const auto free = std::find(slot_taken_.begin(), slot_taken_.end(), false);
    if (free == slot_taken_.end()) return -ENOSPC;
    *free = true;
    event->slot = static_cast<uint32_t>(free - slot_taken_.begin());
    event->has_slot = true;
    clear_slot(*event);
  }
  event->id = next_id_++;
  created = {event->id, event->slot};
  events_[event->id] = std::move(event);
  return 0;
}

int EventTable::destroy(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto at = events_.find(id);
  if (at == events_.end()) return -EINVAL;
  Event& event = *at->second;
  for (WaitItem* item : event.waiting) {
    item->event = nullptr;
    item->waiter->condition.notify_one();
  }
  if (event.has_slot) {
    clear_slot(event);
    slot_taken_[event.slot] = false;
  }
  events_.erase(at);
  return 0;
}

int EventTable::set(uint32_t id) {
  const std::lock_guard lock(mutex_);
  Event* event = find(id);
  if (event == nullptr) return -EINVAL;
  set_locked(*event);
  return 0;
}

int EventTable::reset(uint32_t id) {
  const std::lock_guard lock(mutex_);
  Event* event = find(id);
  if (event == nullptr) return -EINVAL;
  event->signalled = false;
  return 0;
}

void EventTable::set_locked(Event& event) {
  event.signalled = !event.auto_reset || event.waiting.empty();
  ++event.age;
  for (WaitItem* item : event.waiting) {
    item->activated = true;
    item->waiter->condition.notify_one();
  }
}

void EventTable::clear_slot(const Event& event) {
  if (event.has_slot)
    std::atomic_ref<uint64_t>(slots_[event.slot]).store(kSlotUnsignalled, std::memory_order_release);
}

void EventTable::signal_event(uint32_t event_id) {
  const std::lock_guard lock(mutex_);
  Event* event = find(event_id);
  if (event == nullptr) return;  // destroyed while its queue still completed: nobody is left to tell
  clear_slot(*event);
  set_locked(*event);
}

void EventTable::scan_event_slots() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (!event->has_slot) continue;
    if (std::atomic_ref<uint64_t>(slots_[event->slot]).load(std::memory_order_acquire) == kSlotUnsignalled)
      continue;
    clear_slot(*event);
    set_locked(*event);
  }
}

void EventTable::memory_fault(uint32_t gpu_id, GpuVa address, cp::FaultReason reason) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_) {
    if (event->type != KFD_IOC_EVENT_MEMORY) continue;
    event->fault = {};
    event->fault.va = address.value & kPageMask;
    event->fault.gpu_id = gpu_id;
    event->fault.ErrorType = KFD_MEM_ERR_NO_RAS;
    event->fault.failure.NotPresent = reason == cp::FaultReason::not_present ? 1 : 0;
    event->fault.failure.ReadOnly = reason == cp::FaultReason::read_only ? 1 : 0;
    set_locked(*event);
  }
}

/// Was the event set since the end of this thread's last wait on it (since its creation, if there was none)?
bool EventTable::unseen(const Event& event, int thread) {
  const auto at = event.seen.find(thread);
  return event.age != (at == event.seen.end() ? kFirstAge : at->second);
}

void EventTable::see(Event& event, int thread) {
  if (event.seen.size() >= kMaxThreadsRemembered) event.seen.clear();
  event.seen[thread] = event.age;
}

bool EventTable::satisfied(const Waiter& waiter, bool all, bool& failed) {
  size_t activated = 0;
  for (const WaitItem& item : waiter.items) {
    if (item.event == nullptr) {
      failed = true;
      return true;
    }
    if (item.activated) ++activated;
  }
  return all ? activated == waiter.items.size() : activated > 0;
}

/// @param give_back the wait did not complete: what it consumed is set again, for others
void EventTable::leave(Waiter& waiter, bool give_back) {
  for (WaitItem& item : waiter.items) {
    if (item.event == nullptr) continue;
    std::erase(item.event->waiting, &item);
    if (give_back && item.activated && item.event->auto_reset) set_locked(*item.event);
  }
}

int EventTable::wait(std::span<kfd_event_data> events, bool all, uint32_t timeout_ms, uint32_t& result) {
  if (events.empty()) return -EINVAL;
  const int thread = gettid();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::unique_lock lock(mutex_);
  Waiter waiter;
  waiter.items.resize(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    Event* event = find(events[i].event_id);
    if (event == nullptr) return -EINVAL;
    waiter.items[i].waiter = &waiter;
    waiter.items[i].event = event;
  }
  for (size_t i = 0; i < events.size(); ++i) {
    WaitItem& item = waiter.items[i];
    Event& event = *item.event;
    item.activated = event.signalled;
    if (has_mailbox(event.type)) {
      const uint64_t age = age_of(events[i]);
      item.activated |= age != 0 ? age != event.age : timeout_ms != 0 && unseen(event, thread);
    }
    if (event.auto_reset) event.signalled = false;
    event.waiting.push_back(&item);
  }

  bool failed = false;
  const auto done = [&] { return failed || satisfied(waiter, all, failed); };
  bool complete = true;
  if (timeout_ms >= kWaitForever) {
    waiter.condition.wait(lock, done);
  } else {
    complete = waiter.condition.wait_until(lock, deadline, done);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const WaitItem& item = waiter.items[i];
    if (item.event == nullptr) continue;
    if (has_mailbox(item.event->type)) see(*item.event, thread);
    if (!item.activated) continue;
    if (item.event->type == KFD_IOC_EVENT_MEMORY) events[i].memory_exception_data = item.event->fault;
    if (has_mailbox(item.event->type) && age_of(events[i]) != 0) set_age(events[i], item.event->age);
  }
  leave(waiter, !complete || failed);
  result = failed     ? KFD_IOC_WAIT_RESULT_FAIL
           : complete ? KFD_IOC_WAIT_RESULT_COMPLETE
                      : KFD_IOC_WAIT_RESULT_TIMEOUT;
  return 0;
}

}  // namespace softgpu::kfd
