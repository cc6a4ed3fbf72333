// KFD events: numbers the runtime waits on, and a page of mailbox slots through which queues say which one
// they mean.
//
// Waking: setting an event wakes every waiter that is present. An auto-reset event stays signalled only if
// nobody was waiting; then the next waiter consumes it, or RESET clears it.
//
// Two threads may wait on one event for two different signals (the runtime shares one event among the
// inactive signals of all queues), so the waiter that consumes a set need not be the one it was meant for.
// Newer runtimes send the age of the event they last saw, and a wait ends at once if it has moved on. For
// runtimes that send none the table remembers the age for each thread; a thread that may sleep is woken by a
// set it has not seen, whoever consumed it. The runtime looks at its signals and waits again, so one look too
// many is harmless and one too few is a hang. A poll (timeout 0) is answered from the signalled state alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include <linux/kfd_ioctl.h>

#include "cp/interrupts.hpp"

namespace softgpu::kfd {

using kreplay::GpuVa;

constexpr uint32_t kEventSlots = KFD_SIGNAL_EVENT_LIMIT;
static_assert(sizeof(kfd_event_data) == 48);
constexpr uint64_t kSlotUnsignalled = ~uint64_t{0};
constexpr uint32_t kWaitForever = 0xfffffffe;  ///< this and the value above it

/// Threads: any. No lock is held while a thread is blocked in wait().
class EventTable final : public cp::InterruptSink {
 public:
  struct Created {
    uint32_t id = 0;
    uint32_t slot = 0;
  };

  /// The mailbox page: kEventSlots words. All become unsignalled. Once per process; later calls are refused.
  /// @return 0, -EBUSY
  int set_page(uint64_t* slots);
  bool has_page() const;
  /// @return 0; -EINVAL (signal event without a page), -ENOSPC (all slots taken)
  int create(uint32_t type, bool auto_reset, Created& created);
  /// Wakes the waiters, who are told that the wait failed. All: 0 or -EINVAL.
  int destroy(uint32_t id);
  int set(uint32_t id);
  int reset(uint32_t id);

  /// WAIT_EVENTS. Fills in the exception data of memory events, and ages where the caller sent one.
  /// @param timeout_ms kWaitForever and above: no limit
  /// @param result KFD_IOC_WAIT_RESULT_*
  /// @return 0; -EINVAL for no event at all, or an id that does not exist
  int wait(std::span<kfd_event_data> events, bool all, uint32_t timeout_ms, uint32_t& result);

  void signal_event(uint32_t event_id) override;
  void scan_event_slots() override;
  void memory_fault(uint32_t gpu_id, GpuVa address, cp::FaultReason reason) override;
  bool queue_exception(GpuVa save_area, uint32_t code) override;

  /// RUNTIME_ENABLE: the runtime takes queue errors from save areas from now on, or no longer.
  void report_exceptions(bool on) { exceptions_.store(on, std::memory_order_release); }

  size_t size() const;

 private:
  struct Waiter;
  struct WaitItem;
  struct Event {
    uint32_t id = 0;
    uint32_t type = 0;
    bool auto_reset = false;
    bool signalled = false;
    uint64_t age = 1;   ///< moves with every set
    uint32_t slot = 0;  ///< signal events only
    bool has_slot = false;
    kfd_hsa_memory_exception_data fault{};
    std::vector<WaitItem*> waiting;
    std::unordered_map<int, uint64_t> seen;  ///< age at the end of the last wait of a thread (tid)
  };

  Event* find(uint32_t id);
  void set_locked(Event& event);
  void clear_slot(const Event& event);
  static bool unseen(const Event& event, int thread);
  static void see(Event& event, int thread);
  static bool satisfied(const Waiter& waiter, bool all, bool& failed);
  void leave(Waiter& waiter, bool give_back);

  std::atomic<bool> exceptions_{false};
  mutable std::mutex mutex_;  ///< guards everything below
  uint64_t* slots_ = nullptr;
  std::map<uint32_t, std::unique_ptr<Event>> events_;
  std::vector<bool> slot_taken_ = std::vector<bool>(kEventSlots);
  uint32_t next_id_ = 1;
};

}  // namespace softgpu::kfd
