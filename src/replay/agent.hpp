// What is known about one GPU agent: its gate, its queues, why it may not be replayed, and what its windows
// keep.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/types.hpp"
#include "device/signal_pool.hpp"
#include "hsa/hsa_api.hpp"
#include "replay/agent_window.hpp"
#include "replay/packet_memory.hpp"
#include "replay/queue.hpp"

namespace kreplay::replay {

class Window;

struct AgentInfo {
  hsa_agent_t handle = {0};
  uint32_t index = 0;  ///< position among the runtime's GPU agents
  uint32_t node = 0;
  std::string name;  ///< "gfx906"
  std::string product;
  uint32_t compute_units = 0;
  uint64_t memory_bytes = 0;
  uint64_t tool_id = 0;  ///< rocprofiler_agent_id_t::handle
};

class Agent {
 public:
  Agent(const hsa::HsaApi& api, AgentInfo info);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  const AgentInfo& info() const { return info_; }
  hsa_agent_t handle() const { return info_.handle; }

  // --- the gate; see queue.hpp for the handshake ---
  bool gate_open() const { return gate_.load(std::memory_order_seq_cst) == 0; }
  void close_gate() { gate_.store(1, std::memory_order_seq_cst); }
  void open_gate();
  /// Blocks while the gate is closed, at most `timeout_ns`. @return whether it is open
  bool wait_gate(uint64_t timeout_ns);
  /// Gives threads that waited at the gate a short time to get through before it closes again, so that a row
  /// of windows cannot starve them.
  void let_waiters_pass(uint64_t timeout_ns) const;

  // --- queues ---
  void add_queue(Queue& queue);
  /// Takes a queue off the list. @return false when a window uses it: the real destroy must then be left to
  ///         OpenWindows::defer()
  bool remove_queue(Queue& queue);
  /// The queues a window has to look at. While it is open, removed ones stay alive (see remove_queue).
  /// @param out appended to
  void pin_queues(std::vector<Queue*>& out);
  void unpin_queues();
  std::vector<Queue*> queues() const;
  /// The GPU stopped: what its queues have not finished will never be. Those that failed already keep their
  /// status.
  void fail_queues(hsa_status_t status);

  // --- reasons not to replay here ---
  std::atomic<bool> bypassed{false};
  /// Code objects whose segments could not be listed; while there is one no snapshot is complete.
  void set_incomplete(uint64_t executable, const std::string& why);
  void clear_incomplete(uint64_t executable);
  /// Empty when snapshots are complete.
  std::string incomplete() const;

  /// Dependency declines in a row: each halves the grace, so a program full of them pays little.
  std::atomic<unsigned> dependency_streak{0};

 private:
  AgentInfo info_;
  std::atomic<uint32_t> gate_{0};
  std::atomic<uint32_t> at_gate_{0};  ///< threads in wait_gate()
  mutable Mutex queues_mutex_;        // guards queues_, pinned_
  std::vector<Queue*> queues_;
  bool pinned_ = false;
  mutable Mutex incomplete_mutex_;  // guards incomplete_
  std::map<uint64_t, std::string> incomplete_;
  std::once_flag packet_memory_made_;
  std::unique_ptr<PacketMemory> packet_memory_;

 public:
  device::SignalPool signals;
  Window* owner = nullptr;  ///< whose window isolates it; guarded by OpenWindows
  /// For the packets of services; made when first needed.
  tool_api::PacketMemory& packet_memory(const hsa::HsaApi& api);
  AgentWindow window;  ///< used by the owner of a window that is this agent's own
};

}  // namespace kreplay::replay
