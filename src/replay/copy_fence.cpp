#include "replay/copy_fence.hpp"

#include <hsa/amd_hsa_signal.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "base/check.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "device/signal_wait.hpp"
#include "replay/dependency.hpp"
#include "replay/queue.hpp"
#include "replay/queue_registry.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::replay {

using device::signal_value;

namespace {

/// Times of stand-ins are kept for so many signals; an application asks soon, if at all.
constexpr size_t kMostTimes = 4096;

}  // namespace

/// A copy that completes a signal of ours; the runtime's handler tells the application's.
struct CopyFence::StandIn {
  CopyFence* fence;
  uint64_t record;
  hsa_signal_t application;
  hsa_signal_t ours;

  static bool finished(hsa_signal_value_t value, void* data) {
    const OursScope ours_scope;
    const std::unique_ptr<StandIn> self(static_cast<StandIn*>(data));
    self->tell(value);
    return false;  // once
  }

  void tell(hsa_signal_value_t value) const {
    const hsa::HsaApi& api = fence->api_;
    hsa_amd_profiling_async_copy_time_t times = {};
    const bool timed = api.hsa_amd_profiling_get_async_copy_time != nullptr &&
                       api.hsa_amd_profiling_get_async_copy_time(ours, &times) == HSA_STATUS_SUCCESS;
    fence->stand_in_done(application, record, timed ? &times : nullptr);
    const auto* from = reinterpret_cast<const amd_signal_t*>(ours.handle);
    auto* to = reinterpret_cast<amd_signal_t*>(application.handle);
    __atomic_store_n(&to->start_ts, from->start_ts, __ATOMIC_RELAXED);
    __atomic_store_n(&to->end_ts, from->end_ts, __ATOMIC_RELAXED);
    SignalChange change(*fence, application);
    if (value < 0) {  // the runtime's mark of a copy that failed
      const hsa_signal_value_t before = api.hsa_signal_exchange_scacq_screl(application, value);
      change.by(value - before);
    } else {
      api.hsa_signal_subtract_screlease(application, 1);
      change.by(-1);
    }
    fence->stand_ins_.release(ours);
  }
};

bool CopyFence::closed(uint64_t agent) const {
  return agent != 0 && std::find(closed_.begin(), closed_.end(), agent) != closed_.end();
}

/// A signal of ours with the value 1. Without one the copy's end is taken from its own signal: too early,
/// perhaps.
hsa_signal_t CopyFence::make_stand_in() {
  const Result<hsa_signal_t> ours = stand_ins_.acquire();
  if (!ours) {
    log::warn("copies", "{}; a copy's end is taken from a signal that others change, too",
              ours.status().message());
    return {0};
  }
  api_.hsa_signal_store_relaxed(*ours, 1);
  return *ours;
}

/// Whether the signal's value may be changed by something that cannot be counted.
bool CopyFence::unfollowable(hsa_signal_t signal) const {
  if (exposed_.count(signal.handle) != 0) return true;
  return queues_.visit(
      [signal](const std::vector<Queue*>& all) { return LookAhead::may_be_carried(all, signal); });
}

CopyFence::Ticket CopyFence::enter(Agents agents, hsa_signal_t completion, const hsa_signal_t* dependencies,
                                   uint32_t dependency_count, bool (*mine)(uint64_t agent)) {
  Ticket ticket{agents, 0, completion, {0}, false};
  if (agents.first == 0 && agents.second == 0) return ticket;
  std::unique_lock lock(mutex_);
  // Bounded by the window that closed the fence: each of its steps is, and while_waiting_ sees to its
  // callbacks.
  bool in_spite = false;
  const auto in_the_way = [&]() -> uint64_t {
    for (const uint64_t agent : {agents.first, agents.second})
      if (closed(agent) && !mine(agent)) return agent;
    return 0;
  };
  while (const uint64_t agent = in_spite ? 0 : in_the_way()) {
    if (t_state.window == nullptr) changed_.wait_for(lock, std::chrono::nanoseconds(slice_ns_));
    if (!while_waiting_) continue;
    lock.unlock();
    KR_CHECK_UNLOCKED();
    in_spite = while_waiting_(agent);
    lock.lock();
  }
  ticket.active = true;
  for (const uint64_t agent : {agents.first, agents.second})
    if (agent != 0) entering_.push_back(agent);
  if (completion.handle == 0) return ticket;

  // Before the call: the copy may be over before it returns.
  prune();
  times_.erase(completion.handle);
  Record record{next_id_++, agents, completion, {0}, 0, 0, {}};
  for (uint32_t i = 0; i < dependency_count && i < record.dependencies.size(); ++i)
    record.dependencies[i] = dependencies[i];
  // From here on host operations on it go through this lock; those that began before are waited for, they are
  // short.
  filter_[bucket(completion)].fetch_add(1, std::memory_order_seq_cst);
  while (operations_[bucket(completion)].load(std::memory_order_seq_cst) != 0) sched_yield();
  // The value first: packets that are written after that are counted, those before tell nothing for sure.
  record.expected = signal_value(completion);
  if (open_.load(std::memory_order_relaxed) == 0)
    queues_.visit([](const std::vector<Queue*>& all) {
      for (Queue* queue : all)
        queue->carriers_seen.store(queue->ring.write_index(), std::memory_order_relaxed);
    });
  else
    absorb_locked();
  const auto shared = std::find_if(records_.begin(), records_.end(), [&](const Record& other) {
    return other.signal.handle == completion.handle && other.stand_in.handle == 0;
  });
  if (shared != records_.end()) {
    KR_CHECK(std::all_of(shared, records_.end(),
                         [&](const Record& other) {
                           return other.signal.handle != completion.handle || other.stand_in.handle != 0 ||
                                  (other.expected == shared->expected && other.changing == shared->changing);
                         }),
             "copies on one signal are over together");
    record.expected = shared->expected;  // the copy itself is counted by shift()
    record.changing = shared->changing;
  } else if (unfollowable(completion)) {
    lock.unlock();
    ticket.stand_in = record.stand_in = make_stand_in();
    lock.lock();
  }
  ticket.record = record.id;
  records_.push_back(record);
  open_.fetch_add(1, std::memory_order_relaxed);
  if (record.stand_in.handle == 0) shift(completion, -1);
  return ticket;
}

void CopyFence::leave(const Ticket& ticket, bool accepted) {
  if (!ticket.active) return;
  {
    const std::lock_guard lock(mutex_);
    for (const uint64_t agent : {ticket.agents.first, ticket.agents.second}) {
      const auto it = std::find(entering_.begin(), entering_.end(), agent);
      KR_CHECK(agent == 0 || it != entering_.end(), "a copy leaves once");
      if (agent != 0 && it != entering_.end()) {
        *it = entering_.back();
        entering_.pop_back();
      }
    }
    if (!accepted && ticket.record != 0)
      for (size_t i = 0; i < records_.size(); ++i) {
        if (records_[i].id != ticket.record) continue;
        if (ticket.stand_in.handle == 0) shift(ticket.completion, +1);
        drop(i);
        break;
      }
  }
  if (ticket.stand_in.handle == 0) return;
  KR_CHECK(ticket.record != 0, "a stand-in has a record to end");
  KR_CHECK_UNLOCKED();
  if (!accepted) return stand_ins_.release(ticket.stand_in);
  // The copy is on its way: nothing here may fail for want of memory, or the application would wait for ever.
  StandIn over{this, ticket.record, ticket.completion, ticket.stand_in};
  std::unique_ptr<StandIn> kept(new (std::nothrow) StandIn(over));
  if (kept != nullptr &&
      api_.hsa_amd_signal_async_handler(ticket.stand_in, HSA_SIGNAL_CONDITION_LT, 1, &StandIn::finished,
                                        kept.get()) == HSA_STATUS_SUCCESS) {
    (void)kept.release();
    return;
  }
  // Nobody else can tell the application, so this thread stays with the copy, for as long as that takes.
  hsa_signal_value_t value = 1;
  while (value > 0)
    value = api_.hsa_signal_wait_scacquire(ticket.stand_in, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                           HSA_WAIT_STATE_BLOCKED);
  over.tell(value);
}

void CopyFence::stand_in_done(hsa_signal_t application, uint64_t record,
                              const hsa_amd_profiling_async_copy_time_t* times) {
  const std::lock_guard lock(mutex_);
  if (times != nullptr) {
    try {
      if (times_.size() >= kMostTimes) times_.clear();
      times_[application.handle] = *times;
    } catch (const std::bad_alloc&) {  // the times are lost, the copy's end is not
    }
  }
  for (size_t i = 0; i < records_.size(); ++i)
    if (records_[i].id == record) return drop(i);
}

std::optional<hsa_amd_profiling_async_copy_time_t> CopyFence::times_of(hsa_signal_t signal) const {
  const std::lock_guard lock(mutex_);
  const auto it = times_.find(signal.handle);
  return it == times_.end() ? std::nullopt : std::optional(it->second);
}

void CopyFence::drop(size_t index) {
  if (!KR_HOLDS(index < records_.size(), "only a copy in flight ends")) return;
  KR_CHECK(open_.load(std::memory_order_relaxed) == records_.size(), "copies in flight are counted");
  KR_CHECK(tracks(records_[index].signal), "the filter knows the signals of copies in flight");
  filter_[bucket(records_[index].signal)].fetch_sub(1, std::memory_order_seq_cst);
  open_.fetch_sub(1, std::memory_order_relaxed);
  records_[index] = records_.back();
  records_.pop_back();
}

bool CopyFence::done(const Record& record) {
  if (record.stand_in.handle != 0) return signal_value(record.stand_in) < 1;
  return record.changing == 0 && signal_value(record.signal) <= record.expected;
}

/// All records of one signal are done together. Those with a stand-in stay until its handler has run: until
/// then they will still count the application's signal down.
void CopyFence::prune() {
  if (records_.empty()) return;
  absorb_locked();
  for (size_t i = 0; i < records_.size();)
    if (records_[i].stand_in.handle == 0 && done(records_[i]))
      drop(i);
    else
      ++i;
}

void CopyFence::shift(hsa_signal_t signal, int64_t delta) {
  for (Record& record : records_)
    if (record.signal.handle == signal.handle && record.stand_in.handle == 0) record.expected += delta;
}

void CopyFence::absorb() {
  const std::lock_guard lock(mutex_);
  absorb_locked();
}

void CopyFence::absorb_locked() {
  if (open_.load(std::memory_order_relaxed) == 0) return;
  queues_.visit([this](const std::vector<Queue*>& all) {
    for (Queue* queue : all) {
      if (!queue->ring.readable()) continue;
      const uint64_t write = queue->ring.write_index();
      uint64_t from = queue->carriers_seen.load(std::memory_order_relaxed);
      KR_CHECK(write - from <= queue->ring.size(), "packets are looked at before their slots are used again");
      for (; from < write; ++from) {
        const hsa_signal_t signal = hsa::completion_signal(queue->ring.packet_at(from));
        if (signal.handle != 0 && tracks(signal)) shift(signal, -1);
      }
      queue->carriers_seen.store(write, std::memory_order_relaxed);
    }
  });
}

bool CopyFence::begin_change(hsa_signal_t signal) {
  const std::lock_guard lock(mutex_);
  prune();
  bool any = false;
  for (Record& record : records_)
    if (record.signal.handle == signal.handle && record.stand_in.handle == 0) {
      ++record.changing;
      any = true;
    }
  return any;
}

void CopyFence::end_change(hsa_signal_t signal, int64_t delta, bool store) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < records_.size();) {
    Record& record = records_[i];
    if (record.signal.handle != signal.handle || record.stand_in.handle != 0) {
      ++i;
      continue;
    }
    KR_CHECK(record.changing > 0, "a change of a signal ends once");
    if (--record.changing == 0 && store && signal_value(signal) <= record.expected) {
      drop(i);
      continue;
    }
    record.expected += delta;
    ++i;
  }
}

void CopyFence::signal_destroyed(hsa_signal_t signal) {
  const std::lock_guard lock(mutex_);
  exposed_.erase(signal.handle);
  times_.erase(signal.handle);
  for (size_t i = 0; i < records_.size();)
    if (records_[i].signal.handle == signal.handle)
      drop(i);
    else
      ++i;
}

void CopyFence::signal_exposed(hsa_signal_t signal) {
  const std::lock_guard lock(mutex_);
  exposed_.insert(signal.handle);
}

void CopyFence::close(uint64_t agent) {
  const std::lock_guard lock(mutex_);
  KR_CHECK(agent != 0, "a window closes the fence of a GPU agent");
  KR_CHECK(!closed(agent), "one window at a time closes the fence of an agent");
  closed_.push_back(agent);
}

void CopyFence::open(uint64_t agent) {
  const std::lock_guard lock(mutex_);
  std::erase(closed_, agent);
  changed_.notify_all();
}

bool CopyFence::idle(uint64_t agent) {
  const std::lock_guard lock(mutex_);
  if (std::find(entering_.begin(), entering_.end(), agent) != entering_.end()) return false;
  prune();
  return std::none_of(records_.begin(), records_.end(),
                      [agent](const Record& record) { return record.agents.touch(agent) && !done(record); });
}

void CopyFence::pending(std::vector<Pending>& out) {
  const std::lock_guard lock(mutex_);
  prune();
  out.clear();
  for (const Record& record : records_) out.push_back({record.agents, record.signal, record.dependencies});
}

void CopyFence::clear() {
  {
    const std::lock_guard lock(mutex_);
    while (!records_.empty()) drop(records_.size() - 1);
    exposed_.clear();
    times_.clear();
  }
  stand_ins_.drop_all();  // calls the runtime
}

}  // namespace kreplay::replay
