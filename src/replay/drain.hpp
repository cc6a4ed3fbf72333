// Bringing an agent to rest, and to where the next dispatch may start: every queue with work since it was
// last known idle gets one barrier packet, all of them count down one signal. Looks for dependencies that
// cannot be met before it waits, and while it does.
//
// What was once waited for in vain is not waited for again: while it lasts, later drains look and decline.
#pragma once

#include <string>
#include <vector>

#include "device/signal_wait.hpp"
#include "replay/copy_fence.hpp"
#include "replay/dependency.hpp"
#include "replay/queue_registry.hpp"
#include "report/outcome.hpp"

namespace kreplay::replay {

class Agent;

struct DrainLimits {
  uint64_t timeout_ns = 60'000'000'000;
  uint64_t dependency_grace_ns =
      20'000'000;  ///< host callbacks return quickly: wait this long before declining
  uint64_t doubt_ns =
      2'000'000'000;  ///< how long a dispatch that may be over counts as one that will bring a signal down
  uint64_t group_ns = 5'000'000'000;  ///< longest wait for a group of agents; never longer than timeout_ns
};

struct DrainResult {
  report::Reason reason = report::Reason::none;  ///< none: the agent is at rest
  bool stuck = false;  ///< waited for timeout_ns in vain, without being provably blocked
  std::string detail;
};

/// Drains the agent of one window after another; keeps its working memory, so a steady drain allocates
/// nothing. Threads: the owner of the agent's window. Holds no lock while it waits.
class Drain {
 public:
  Drain(Agent& agent, const QueueRegistry& all, CopyFence& copies, const device::SignalWaiter& waiter,
        const KernelTable& kernels, const hsa::HsaApi& api, const DrainLimits& limits)
      : agent_(agent),
        all_(all),
        copies_(copies),
        waiter_(waiter),
        api_(api),
        limits_(limits),
        look_ahead_(&kernels) {}

  /// @param own    the queue of the dispatch; only decides between queue_drain and agent_drain
  /// @param next   the dispatch: what it waits for itself is waited for here, too, or nobody would bring it
  /// about
  /// @param members the agents to bring to rest: this one, and with it those that can write its memory.
  /// Others
  ///               may wait for what only later work brings, so a group is never stuck: it is declined
  /// @param queues all their queues, pinned; the gates are closed, so nobody starts to write their rings
  /// @param signal counts the barriers; null on return when it had to be given up (a barrier still holds it)
  DrainResult run(Queue& own, const hsa::Packet& next, const std::vector<Agent*>& members,
                  const std::vector<Queue*>& queues, hsa_signal_t& signal);
  /// Gives back a signal that nothing refers to any more, before the runtime shuts down.
  void release();

 private:
  /// What the last drain waited for in vain.
  enum class Stuck : uint8_t { nothing, forwarders, copies, room, barriers };

  /// Threads that were past the gate when it closed. A forwarder writes a handful of packets and never
  /// blocks, so this takes microseconds; only another tool's interceptor below us could hold one up.
  DrainResult wait_for_forwarders(const Queue& own, const std::vector<Queue*>& queues);
  DrainResult find_busy(const Queue& own, const std::vector<Queue*>& queues);
  /// Whether it lasts. Waits for nothing.
  bool still_stuck(const std::vector<Queue*>& queues);
  report::Reason lasting_reason(Queue& own) const;
  bool barriers_pending(const std::vector<Queue*>& queues);
  DrainResult give_up(Stuck on, const Queue& own, std::string detail);

  /// What cannot finish by itself. Something that could only be satisfied by a dispatch that may be over long
  /// ago counts as blocked once it has looked so for doubt_ns.
  std::optional<Blocked> blocked();
  /// That, once it has been so without a break for the grace. @param since_ns the caller's, 0 at first
  std::optional<Blocked> blocked_too_long(uint64_t& since_ns);
  uint64_t shortened(uint64_t ns) const;
  uint64_t grace_ns() const;
  DrainResult dependency(const Blocked& what);
  report::Reason stuck_reason(const Queue& own) const;
  void put_probe(const Blocked& what);
  DrainResult look_ahead();
  DrainResult wait_copies(const Queue& own);
  DrainResult wait_for_room(const Queue& own, Queue& queue);
  DrainResult wait_queues(Queue& own, hsa_signal_t& signal);
  bool next_may_start() const;
  DrainResult wait_next();
  std::string describe_stuck(hsa_signal_t signal) const;
  bool group() const { return members_->size() > 1; }
  bool copies_idle();

  Agent& agent_;
  const QueueRegistry& all_;
  CopyFence& copies_;
  const device::SignalWaiter& waiter_;
  const hsa::HsaApi& api_;
  const DrainLimits limits_;
  LookAhead look_ahead_;
  const hsa::Packet* next_ = nullptr;             ///< during run()
  const std::vector<Agent*>* members_ = nullptr;  ///< same
  uint64_t limit_ns_ = 0;                         ///< same
  std::vector<Queue*> busy_;
  std::vector<CopyFence::Pending> pending_;
  uint64_t start_ns_ = 0;
  uint64_t doubt_since_ns_ = 0;  ///< 0: no doubt
  Stuck stuck_ = Stuck::nothing;
  hsa_signal_t stuck_signal_ = {0};     ///< counts barriers that are left in their rings
  std::vector<uint64_t> stuck_queues_;  ///< ids of the queues with barriers of the last drain
};

}  // namespace kreplay::replay
