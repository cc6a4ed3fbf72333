// Everything the tool interface remembers in a process: tools (clients), contexts, the one kernel-replay
// subscription, and how far initialisation and finalisation have come.
//
// Threads: any, for every method. `mutex_` guards the containers and is never held while a tool is called.
// Contexts, clients and subscriptions live until the registry goes, and the process's registry never does:
// pointers to them stay valid without a lock.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/handshake.hpp"
#include "base/options.hpp"
#include "base/status.hpp"
#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/external_correlation.hpp"
#include "tool_api/replay_tool.hpp"

namespace kreplay::tool_api {

class SdkReplayTool;
class CountingRoom;
struct CountingSetup;
struct Services;

/// One tool.
struct Client {
  rocprofiler_configure_func_t configure = nullptr;
  std::string origin;  ///< the library it came from, or "rocprofiler_force_configure"
  unsigned priority = 0;
  rocprofiler_client_id_t id;                       ///< the tool sets `name`
  rocprofiler_tool_configure_result_t result = {};  ///< a copy; all null when the tool returned NULL
  bool takes_part = false;  ///< configure returned a result, and initialize did not throw
  bool requested = false;   ///< ROCP_TOOL_LIBRARIES names it
  std::vector<std::string>
      refusals;  ///< calls that failed while it was initialised; guarded by the registry's mutex
  std::atomic<bool> closing{false};     ///< no callback begins any more
  std::atomic<bool> finalizing{false};  ///< someone has taken the finalisation
  std::atomic<bool> finalized{false};   ///< finalize is about to be called: no callback any more
  std::atomic<uint64_t> in_flight{0};   ///< candidates between CONFIG ENTER and CONFIG EXIT

  Client(rocprofiler_configure_func_t function, std::string from, unsigned place, uint32_t handle)
      : configure(function), origin(std::move(from)), priority(place), id{sizeof(id), nullptr, handle} {}
};

/// What it calls itself, or the library it came from.
const char* name_of(const Client& client);
/// In a handler: "an exception: TEXT".
std::string thrown_text();
/// Set by Registry::tell_refused(): the call that is being answered has its line already. Of the calling
/// thread.
void mark_told() noexcept;

/// gettid() of the caller, as records name it.
rocprofiler_thread_id_t calling_thread() noexcept;

struct Context {
  unsigned index = 0;
  Client* client = nullptr;
  bool dropped = false;                 ///< its tool returned NULL from configure
  uint64_t kinds = 0;                   ///< bit per configured callback tracing kind
  std::vector<CountingRoom*> counting;  ///< its dispatch-counting services
  uint64_t buffer_kinds = 0;            ///< the same for buffer tracing
};

/// The one subscription to KERNEL_REPLAY.
struct ReplaySubscription {
  const Context* context = nullptr;
  Client* client = nullptr;
  rocprofiler_callback_tracing_kind_t kind = ROCPROFILER_CALLBACK_TRACING_NONE;  ///< the tool's own number
  bool config = false;  ///< lists the CONFIG operation; without it nothing is ever replayed
  bool pass = false;
  rocprofiler_callback_tracing_cb_t callback = nullptr;
  void* args = nullptr;
  /// Threads in its callbacks, for `kreplay run`; null without one.
  mutable std::atomic<std::atomic<uint32_t>*> inside{nullptr};
  mutable std::atomic<bool> warned_throw{false};
  mutable std::atomic<bool> warned_endless{false};
};

/// Where tools are looked for. Replaced in tests.
struct Discovered {
  rocprofiler_configure_func_t configure = nullptr;  ///< null: a library that was asked for and is no tool
  std::string origin;
  bool requested = false;  ///< by ROCP_TOOL_LIBRARIES
};
using Discovery = std::function<Result<std::vector<Discovered>>()>;

class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// The registry behind the exported functions: made on first use and never destroyed.
  static Registry& current();
  /// The same, null when nobody has needed one yet.
  static Registry* existing() noexcept;
  /// For tests. @return the one that was current; null means the process's own
  static Registry* exchange_current(Registry* registry);

  void set_options(const Options& options);
  void set_discovery(Discovery discovery);
  /// Longest waits, in ms: for other threads' callbacks before a tool is finalised, and for another thread's
  /// initialisation of the tools.
  void set_wait_ms(unsigned callbacks, unsigned initialization) {
    wait_ms_ = callbacks;
    init_wait_ms_ = initialization;
  }

  // ---- life cycle (registry_lifecycle.cpp)
  /// Finds the tools, then all configure, then all initialize. Does nothing when done, when called from
  /// within, or in a child of the process that did it. Aborts the process when a library that
  /// ROCP_TOOL_LIBRARIES names cannot be loaded, as upstream does.
  void start() noexcept;
  rocprofiler_status_t force_configure(rocprofiler_configure_func_t function);
  /// Stops contexts, waits (bounded) for callbacks in flight on other threads, calls finalize(tool_data)
  /// once.
  void finalize() noexcept;
  void finalize_client(uint32_t handle) noexcept;
  int init_status() const { return init_status_.load(std::memory_order_acquire); }
  int fini_status() const { return fini_status_.load(std::memory_order_acquire); }
  /// Null: no replay.
  ReplayTool* replay_tool() const noexcept { return replay_tool_.load(std::memory_order_acquire); }
  bool tool_present() const;
  /// "timing", or the tools' names separated by ", "; empty when replay is off.
  std::string tool_names() const;

  // ---- contexts
  rocprofiler_status_t create_context(rocprofiler_context_id_t* id);
  rocprofiler_status_t start_context(rocprofiler_context_id_t id);
  rocprofiler_status_t stop_context(rocprofiler_context_id_t id);
  const Context* find_context(rocprofiler_context_id_t id) const;
  bool is_active(unsigned index) const noexcept {
    return (active_[index / 64].load(std::memory_order_acquire) >> (index % 64) & 1) != 0;
  }
  ContextSet active_contexts() const noexcept;
  static rocprofiler_context_id_t id_of(const Context& context) { return {kFirstContext + context.index}; }

  // ---- callback tracing
  rocprofiler_status_t configure_callback_tracing(rocprofiler_context_id_t id, int kind,
                                                  const rocprofiler_tracing_operation_t* operations,
                                                  size_t count, rocprofiler_callback_tracing_cb_t callback,
                                                  void* args);
  // ---- services (registry_services.cpp)
  rocprofiler_status_t configure_buffer_tracing(rocprofiler_context_id_t id, int kind,
                                                const rocprofiler_tracing_operation_t* operations,
                                                size_t count, rocprofiler_buffer_id_t buffer);
  /// @param id of an existing context
  rocprofiler_status_t configure_counting(rocprofiler_context_id_t id, const CountingSetup& setup);
  rocprofiler_status_t set_counting_agents(rocprofiler_context_id_t id, std::vector<uint64_t> agents);
  Services& services() noexcept { return *services_; }
  /// Everything that ended before is in its buffer, or was told. Bounded.
  void settle_services() noexcept;
  /// One line, once per tool and service, that says who is refused what and why.
  /// @param id of a context of the tool's; any other value: the tool that is being initialised
  void tell_refused(rocprofiler_context_id_t id, const char* service, const char* why);
  /// What was refused so far: "tool NAME: SERVICE".
  std::vector<std::string> refused() const;

  const ReplaySubscription* replay_subscription() const noexcept {
    return replay_.load(std::memory_order_acquire);
  }
  unsigned replay_kind() const { return replay_kind_.load(std::memory_order_relaxed); }

  /// A callback sequence of `client` begins on this thread. False: the client is being finalised.
  bool enter(Client& client) noexcept;
  void leave(Client& client) noexcept;
  /// The same for what completes: also while the client's contexts are being stopped. False: its finalize has
  /// been called.
  bool enter_late(Client& client) noexcept;

  ExternalCorrelation& external_correlation() { return external_; }

  // ---- what goes wrong (tool_trouble.cpp)
  /// As of refused() in guard.hpp.
  void call_refused(const char* function, rocprofiler_status_t status, const char* what) noexcept;
  /// Says so, tells `kreplay run`, and keeps the built-in tool from taking the place.
  void tool_failed(const Client& client, const std::string& how) noexcept;
  /// The same, in the handler of what it threw. @param consequence behind the exception's text; may be ""
  void tool_threw(const Client& client, const char* function, const char* consequence) noexcept;

 private:
  static constexpr uint64_t kFirstContext =
      0x4b520001;  ///< never 0, and unlikely to be another handle's value
  static Registry& own();
  enum class Turn { mine, within, timed_out };

  Turn take_turn() noexcept;
  void end_turn() noexcept;
  bool in_child() const noexcept;
  void begin_init() noexcept;
  void end_init() noexcept;
  Client* add_client(const Discovered& tool);
  void note(std::string_view event, std::string_view detail) const noexcept;
  /// Notes for `kreplay run` around each function of a tool that may end the process.
  void tool_enters(const Client& client, const char* function) const noexcept;
  void tool_leaves(const Client& client) const noexcept { note(handshake_event::tool_leaves, client.origin); }
  void note_idle() noexcept;
  void count_callbacks() noexcept;
  void configure_client(Client& client) noexcept;
  void initialize_client(Client& client) noexcept;
  void finalize_one(Client& client) noexcept;
  void drop_contexts_of(const Client& client);
  void choose_tool() noexcept;
  void set_active(unsigned index, bool active) noexcept;
  Context* find_locked(rocprofiler_context_id_t id);
  rocprofiler_status_t configure_service(Context& context, int kind,
                                         const rocprofiler_tracing_operation_t* operations, size_t count,
                                         rocprofiler_callback_tracing_cb_t callback, void* args);
  std::vector<Client*> clients() const;

  mutable std::mutex mutex_;
  Options options_;                                          // guarded by mutex_
  bool options_set_ = false;                                 // guarded by mutex_
  Discovery discovery_;                                      // guarded by mutex_
  std::vector<std::unique_ptr<Client>> clients_;             // guarded by mutex_
  std::vector<std::unique_ptr<Context>> contexts_;           // guarded by mutex_
  std::vector<std::unique_ptr<ReplaySubscription>> claims_;  // guarded by mutex_
  std::vector<rocprofiler_configure_func_t> forced_;         // guarded by mutex_
  std::vector<std::string> refused_;                         // guarded by mutex_
  Client* initializing_ = nullptr;                           // guarded by mutex_
  bool built_in_allowed_ = true;  // guarded by mutex_; no tool was asked for, and none failed

  std::mutex turn_mutex_;  // guards the two below
  std::condition_variable turn_done_;
  bool turn_taken_ = false;
  pthread_t turn_owner_ = {};

  std::mutex idle_mutex_;  // orders in_flight's last decrement with its waiter
  std::condition_variable idle_;

  std::atomic<int> init_status_{0};
  std::atomic<int> fini_status_{0};
  std::atomic<pid_t> started_pid_{0};
  std::atomic<unsigned> wait_ms_{5000};
  std::atomic<unsigned> init_wait_ms_{30000};
  std::atomic<unsigned> replay_kind_{ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY};
  std::atomic<ReplayTool*> replay_tool_{nullptr};
  std::atomic<const ReplaySubscription*> replay_{nullptr};
  std::array<std::atomic<uint64_t>, kMaxContexts / 64> active_{};
  uint32_t client_base_ = 0;
  std::unique_ptr<SdkReplayTool> sdk_tool_;
  std::unique_ptr<ReplayTool> timing_tool_;
  ExternalCorrelation external_;
  std::unique_ptr<Services> services_;  // last: its threads use the rest
};

}  // namespace kreplay::tool_api
