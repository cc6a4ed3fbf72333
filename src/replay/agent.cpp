#include "replay/agent.hpp"

#include <sched.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "device/futex.hpp"

namespace kreplay::replay {

Agent::Agent(const hsa::HsaApi& api, AgentInfo info) : info_(std::move(info)), signals(api) {}
Agent::~Agent() = default;

void Agent::open_gate() {
  gate_.store(0, std::memory_order_seq_cst);
  device::futex_wake_all(gate_);
}

bool Agent::wait_gate(uint64_t timeout_ns) {
  const uint64_t end = monotonic_ns() + timeout_ns;
  at_gate_.fetch_add(1, std::memory_order_relaxed);
  bool open = gate_open();
  for (uint64_t now = monotonic_ns(); !open && now < end; now = monotonic_ns()) {
    device::futex_wait(gate_, 1, end - now);
    open = gate_open();
  }
  at_gate_.fetch_sub(1, std::memory_order_relaxed);
  return open;
}

void Agent::let_waiters_pass(uint64_t timeout_ns) const {
  const uint64_t end = monotonic_ns() + timeout_ns;
  while (at_gate_.load(std::memory_order_relaxed) != 0 && monotonic_ns() < end) sched_yield();
}

void Agent::add_queue(Queue& queue) {
  const std::lock_guard lock(queues_mutex_);
  KR_CHECK(&queue.agent() == this, "a queue is on the list of its own agent");
  KR_CHECK(std::find(queues_.begin(), queues_.end(), &queue) == queues_.end(), "a queue is listed once");
  queues_.push_back(&queue);
}

bool Agent::remove_queue(Queue& queue) {
  const std::lock_guard lock(queues_mutex_);
  const size_t erased = std::erase(queues_, &queue);
  KR_CHECK(erased == 1, "a queue leaves the list it is on");
  return !pinned_;
}

void Agent::pin_queues(std::vector<Queue*>& out) {
  const std::lock_guard lock(queues_mutex_);
  KR_CHECK(!pinned_, "one window at a time looks at an agent's queues");
  KR_CHECK(!gate_open(), "queues are looked at behind a closed gate");
  out.insert(out.end(), queues_.begin(), queues_.end());
  pinned_ = true;  // last: what could not be listed is not pinned
}

void Agent::unpin_queues() {
  const std::lock_guard lock(queues_mutex_);
  KR_CHECK(pinned_, "queues are let go once");
  pinned_ = false;
}

void Agent::fail_queues(hsa_status_t status) {
  KR_CHECK(status != HSA_STATUS_SUCCESS, "a failure has a status: none would leave the queue going");
  const std::lock_guard lock(queues_mutex_);
  for (Queue* queue : queues_) {
    uint32_t none = 0;
    queue->error.compare_exchange_strong(none, static_cast<uint32_t>(status), std::memory_order_acq_rel);
  }
}

std::vector<Queue*> Agent::queues() const {
  const std::lock_guard lock(queues_mutex_);
  return queues_;
}

void Agent::set_incomplete(uint64_t executable, const std::string& why) {
  const std::lock_guard lock(incomplete_mutex_);
  KR_CHECK(!why.empty(), "no reason reads as a complete snapshot");
  incomplete_[executable] = why;
}

void Agent::clear_incomplete(uint64_t executable) {
  const std::lock_guard lock(incomplete_mutex_);
  incomplete_.erase(executable);
}

std::string Agent::incomplete() const {
  const std::lock_guard lock(incomplete_mutex_);
  return incomplete_.empty() ? std::string() : incomplete_.begin()->second;
}

tool_api::PacketMemory& Agent::packet_memory(const hsa::HsaApi& api) {
  std::call_once(packet_memory_made_,
                 [&] { packet_memory_ = std::make_unique<PacketMemory>(api, info_.handle); });
  return *packet_memory_;
}

}  // namespace kreplay::replay
