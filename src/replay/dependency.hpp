// The dependency look-ahead: can what is submitted ever finish by itself?
//
// A barrier packet (or a waiting copy) whose signal nobody already submitted will bring down can only be
// released by the host or by a later submission; waiting for it inside a submit call is a deadlock. A
// dependency counts as satisfiable when its value is at most the number of submitted, uncompleted packets and
// copies that carry the signal; carriers behind something stuck do not count.
//
// Nobody tells when a dispatch that was taken has ended, and an application may use its signal again as soon
// as it has. Whether such a dispatch counts is therefore the caller's choice: with it a deadlock may go
// unseen, without it a long kernel looks like one.
//
// A blocking HIP callback, for one, is a barrier whose signal starts at 2: the second unit comes from the
// host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/copy_fence.hpp"
#include "replay/kernels.hpp"
#include "replay/queue.hpp"

namespace kreplay::replay {

/// What a dispatch waits for that is no signal we could look at.
enum class Waits : uint8_t {
  no,
  on_memory,  ///< HIP's stream wait: for a value in memory
  perhaps,    ///< its kernel did not end in time once: it may wait for the host
};

/// Something that cannot finish by itself.
struct Blocked {
  const Queue* queue = nullptr;  ///< null: a copy, or the packet that follows
  bool next = false;             ///< the packet that follows, which is in no ring yet
  uint64_t index = 0;            ///< of the packet in the real ring
  hsa_signal_t signal = {0};
  int64_t value = 0;  ///< of the signal
  Waits waits = Waits::no;
  std::string describe() const;
};

/// Looks at queues and copies in flight. Reads rings and signals from memory and calls the runtime only for
/// queues of foreign interceptors. Keeps its working memory, so that looking again allocates nothing.
/// Threads: one at a time.
class LookAhead {
 public:
  /// @param kernels tells dispatches that may never end by themselves from others; may be null
  explicit LookAhead(const KernelTable* kernels = nullptr) : kernels_(kernels) {}

  /// @param all     queues of all agents; they must stay alive during the call
  /// @param targets queues that must drain
  /// @param agents  copies that touch one of these must finish, too
  /// @param running whether a dispatch that was taken and may be over counts as a carrier
  /// @param next    the packet that follows when they have drained; null when none does
  /// @return the first blocked packet or copy among the targets, or what `next` waits for
  std::optional<Blocked> find_blocked(const std::vector<Queue*>& all, const std::vector<Queue*>& targets,
                                      const std::vector<CopyFence::Pending>& copies,
                                      const std::vector<Agent*>& agents, bool running = true,
                                      const hsa::Packet* next = nullptr);

  /// Whether a packet that may not be over yet completes `signal`. @param all must stay alive during the call
  static bool may_be_carried(const std::vector<Queue*>& all, hsa_signal_t signal);

 private:
  /// One queue as it looked when the scan began.
  struct View {
    const Queue* queue;
    uint64_t floor;  ///< everything below is complete
    uint64_t read;   ///< everything below has been taken by the packet processor
    uint64_t write;
    uint64_t stuck;  ///< index of the first packet that cannot finish; write when there is none
    bool uncompleted(uint64_t index) const;
  };
  static View make_view(const Queue* queue);
  int64_t carriers(hsa_signal_t signal) const;
  bool satisfiable(const hsa::Dependency& dependency) const;
  bool packet_blocked(const hsa::Packet& packet, hsa::Dependency& blocking) const;
  bool copy_blocked(const CopyFence::Pending& copy, hsa_signal_t& signal) const;
  Waits waits(const hsa::Packet& packet) const;
  void mark_stuck();

  const KernelTable* kernels_;
  bool running_ = true;
  std::vector<View> views_;
  const std::vector<CopyFence::Pending>* copies_ = nullptr;
  std::vector<char> copy_stuck_;
};

}  // namespace kreplay::replay
