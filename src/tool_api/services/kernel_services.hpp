// The services that act around kernels, as rooms: one object per service and context. A new service is a
// class derived from KernelRoom, made where it is configured and handed to add().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "tool_api/replay_tool.hpp"
#include "tool_api/services/kernel_run.hpp"
#include "tool_api/services/worker_thread.hpp"

namespace kreplay::tool_api {

class Registry;
struct Context;

/// One service of one context.
class KernelRoom {
 public:
  /// Rooms of a lower rank enter first and are completed first.
  enum class Rank : uint8_t { tracing, counting };

  KernelRoom(const Context& context, Rank rank) : context_(context), rank_(rank) {}
  virtual ~KernelRoom() = default;
  KernelRoom(const KernelRoom&) = delete;
  KernelRoom& operator=(const KernelRoom&) = delete;

  /// A kernel of this context is about to be submitted. May call the tool and may throw.
  /// Threads: the submitting one, several at a time. @return null: nothing is to be done for this run
  virtual std::unique_ptr<RunPart> enter(const KernelLaunch& launch) = 0;

  const Context& context() const { return context_; }
  Rank rank() const { return rank_; }

 private:
  const Context& context_;
  const Rank rank_;
};

/// Whether a context with a service around kernels is active in the process: one load, for every dispatch.
inline std::atomic<bool> g_kernel_services_listen{false};

/// Threads: any.
class KernelServices {
 public:
  KernelServices(Registry& registry, const InternalThreads& notices)
      : registry_(registry), delivery_(notices) {}
  ~KernelServices();
  KernelServices(const KernelServices&) = delete;
  KernelServices& operator=(const KernelServices&) = delete;

  /// The room lives as long as this object.
  void add(std::unique_ptr<KernelRoom> room);
  /// Contexts were started or stopped.
  void activity_changed(const ContextSet& active) noexcept;

  /// Lets the rooms enter that are enabled: in this pass of `call`, or in general when it is null.
  /// @return null when nothing is to be done around this run
  std::shared_ptr<KernelRun> begin(const KernelLaunch& launch, const ReplayCall* call) noexcept;

  /// Waits until everything that completed before was delivered. True at once on the delivery thread.
  bool settle(std::chrono::nanoseconds limit) noexcept { return delivery_.settle(limit); }
  /// Waits until no run is on its way. @param inside the caller is in a callback, which may belong to one
  bool wait_idle(std::chrono::nanoseconds limit, bool inside) noexcept;

 private:
  friend class KernelRun;
  using Rooms = std::vector<KernelRoom*>;

  std::unique_ptr<RunPart> enter(KernelRoom& room, const KernelLaunch& launch) noexcept;
  void ended() noexcept;

  Registry& registry_;
  std::mutex mutex_;  // guards the two below
  std::vector<std::unique_ptr<KernelRoom>> owned_;
  std::vector<std::unique_ptr<const Rooms>> lists_;  ///< old ones stay: a reader may be inside
  std::atomic<const Rooms*> rooms_{nullptr};
  std::mutex idle_mutex_;  // guards in_flight_
  std::condition_variable idle_;
  uint64_t in_flight_ = 0;
  WorkerThread delivery_;  // last: its tasks use the rest
};

}  // namespace kreplay::tool_api
