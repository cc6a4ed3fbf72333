// What services put around one run of a kernel: packets before and after it in the same queue, and what is to
// happen when it has ended. The forward path and the replay's passes both go through this, and know no
// service.
//
// One run, in order:
//   submitting thread   KernelServices::begin: every enabled room enters, in the order of kinds
//                       the caller submits before(), the kernel, after(); then enqueued()
//   any thread, once    completed(): the last of these packets has ended; may come before enqueued() returns
//   delivery thread     each part's completed(), in the same order, after both
// A run that is dropped without completed() is lost: its parts end without a record.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "hsa/aql.hpp"
#include "report/outcome.hpp"
#include "rocprofiler-sdk/rocprofiler.h"

namespace kreplay::tool_api {

class KernelServices;
class KernelRoom;
class PacketMemory;

/// The dispatch as services are told of it; the same in all runs of it.
struct KernelLaunch {
  rocprofiler_kernel_dispatch_info_t info = {};
  uint64_t thread_id = 0;
  rocprofiler_correlation_id_t correlation = {};
  /// For packets on the dispatch's agent; null where none can be submitted.
  PacketMemory* memory = nullptr;
};

/// Memory for packets and what they write, that replay neither saves nor restores. One per agent.
/// Threads: any. Calls the runtime; hold no lock.
class PacketMemory {
 public:
  enum class Use : uint8_t { output, commands };
  virtual ~PacketMemory() = default;
  /// Zeros, readable and writable by host and agent. Null when there is none.
  virtual void* allocate(uint64_t bytes, Use use) noexcept = 0;
  virtual void release(void* memory) noexcept = 0;
};

/// What one service does with one run.
class RunPart {
 public:
  virtual ~RunPart() = default;
  /// Without header and signal, which the submitter adds. Valid while the part is.
  virtual std::span<const hsa::Packet> before() const { return {}; }
  virtual std::span<const hsa::Packet> after() const { return {}; }
  /// The kernel stands in its queue. Submitting thread.
  virtual void enqueued() {}
  /// Delivery thread. May throw: the tool's callback is called here.
  virtual void completed(const report::PassTime& time) = 0;
  /// Its packets were not submitted: no record.
  virtual void leave_out() {}
};

class KernelRun : public std::enable_shared_from_this<KernelRun> {
 public:
  explicit KernelRun(KernelServices& services);
  ~KernelRun();
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  std::span<const hsa::Packet> before() const { return before_; }
  std::span<const hsa::Packet> after() const { return after_; }
  /// Whether the agent must run nothing else meanwhile.
  bool exclusive() const { return !before_.empty() || !after_.empty(); }
  /// The kernel runs without the packets.
  void leave_packets_out();
  void enqueued() noexcept;
  void completed(const report::PassTime& time) noexcept;
  /// Until the parts have been told. @return false when `limit` passed first
  bool wait_delivered(std::chrono::nanoseconds limit) noexcept;

 private:
  friend class KernelServices;
  struct Entry {
    const KernelRoom* room;
    std::unique_ptr<RunPart> part;
  };
  void add(const KernelRoom& room, std::unique_ptr<RunPart> part);
  void deliver() noexcept;

  KernelServices& services_;
  std::vector<Entry> parts_;
  std::vector<hsa::Packet> before_;
  std::vector<hsa::Packet> after_;
  void hand_over() noexcept;

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  report::PassTime time_;
  bool enqueued_ = false;
  bool completed_ = false;
  bool delivered_ = false;
};

}  // namespace kreplay::tool_api
