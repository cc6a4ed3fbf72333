#include "replay/copy_fence.hpp"

#include <algorithm>
#include <chrono>

#include "device/signal_wait.hpp"

namespace kreplay::replay {

bool CopyFence::closed(uint64_t agent) const {
  return agent != 0 && std::find(closed_.begin(), closed_.end(), agent) != closed_.end();
}

CopyFence::Ticket CopyFence::enter(Agents agents, hsa_signal_t completion, const hsa_signal_t* dependencies,
                                   uint32_t dependency_count, bool (*mine)(uint64_t agent)) {
  Ticket ticket{agents, 0, false};
  if (agents.first == 0 && agents.second == 0) return ticket;
  std::unique_lock lock(mutex_);
  // Bounded by the window that closed the fence: each of its steps is, and while_waiting_ sees to its
  // callbacks.
  const auto in_the_way = [&]() -> uint64_t {
    for (const uint64_t agent : {agents.first, agents.second})
      if (closed(agent) && !mine(agent)) return agent;
    return 0;
  };
  while (const uint64_t agent = in_the_way()) {
    changed_.wait_for(lock, std::chrono::nanoseconds(slice_ns_));
    if (!while_waiting_) continue;
    lock.unlock();
    while_waiting_(agent);
    lock.lock();
  }
  ticket.active = true;
  for (const uint64_t agent : {agents.first, agents.second})
    if (agent != 0) entering_.push_back(agent);
  if (completion.handle == 0) return ticket;

  // Before the call: the copy may be over before it returns.
  if (records_.size() >= 64) prune();
  int64_t expected = device::signal_value(completion) - 1;
  for (const Record& other : records_)
    if (other.signal.handle == completion.handle) expected = std::min(expected, other.expected - 1);
  ticket.record = next_id_++;
  Record record{ticket.record, agents, completion, expected, {}};
  for (uint32_t i = 0; i < dependency_count && i < record.dependencies.size(); ++i)
    record.dependencies[i] = dependencies[i];
  records_.push_back(record);
  filter_[bucket(completion)].fetch_add(1, std::memory_order_relaxed);
  return ticket;
}

void CopyFence::leave(const Ticket& ticket, bool accepted) {
  if (!ticket.active) return;
  const std::lock_guard lock(mutex_);
  for (const uint64_t agent : {ticket.agents.first, ticket.agents.second}) {
    const auto it = std::find(entering_.begin(), entering_.end(), agent);
    if (agent != 0 && it != entering_.end()) {
      *it = entering_.back();
      entering_.pop_back();
    }
  }
  if (accepted || ticket.record == 0) return;
  for (size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].id != ticket.record) continue;
    for (Record& other : records_)  // later copies on the same signal counted this one
      if (other.signal.handle == records_[i].signal.handle && other.id > ticket.record) ++other.expected;
    drop(i);
    return;
  }
}

void CopyFence::drop(size_t index) {
  filter_[bucket(records_[index].signal)].fetch_sub(1, std::memory_order_relaxed);
  records_[index] = records_.back();
  records_.pop_back();
}

void CopyFence::prune() {
  for (size_t i = 0; i < records_.size();)
    if (device::signal_value(records_[i].signal) <= records_[i].expected)
      drop(i);
    else
      ++i;
}

void CopyFence::forget(hsa_signal_t signal) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < records_.size();)
    if (records_[i].signal.handle == signal.handle)
      drop(i);
    else
      ++i;
}

void CopyFence::close(uint64_t agent) {
  const std::lock_guard lock(mutex_);
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
  return std::none_of(records_.begin(), records_.end(), [agent](const Record& record) {
    return record.agents.first == agent || record.agents.second == agent;
  });
}

void CopyFence::pending(std::vector<Pending>& out) {
  const std::lock_guard lock(mutex_);
  prune();
  out.clear();
  for (const Record& record : records_) out.push_back({record.agents, record.signal, record.dependencies});
}

void CopyFence::clear() {
  const std::lock_guard lock(mutex_);
  while (!records_.empty()) drop(records_.size() - 1);
}

}  // namespace kreplay::replay
