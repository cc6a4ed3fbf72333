#include "intercept/process.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>

#include "base/cancel_guard.hpp"
#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/handshake.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/options.hpp"
#include "base/rank.hpp"
#include "base/stderr.hpp"
#include "hsa/runtime_binding.hpp"
#include "hsa/status_text.hpp"
#include "intercept/api_table.hpp"
#include "intercept/environment.hpp"
#include "intercept/exports.hpp"
#include "intercept/instance.hpp"
#include "intercept/stall_watch.hpp"
#include "intercept/start_lock.hpp"
#include "replay/backtrace.hpp"
#include "tool_api/marker_gate.hpp"
#include "tool_api/tools.hpp"

namespace kreplay::intercept::process {

std::atomic<Phase> g_phase{Phase::unknown};
std::atomic<replay::Replayer*> g_replayer{nullptr};
std::atomic<const hsa::HsaApi*> g_real{nullptr};
std::atomic<const hsa::HsaApi*> g_table{nullptr};

namespace {

/// Created on first use, never destroyed.
struct State {
  StartLock start_lock;   // serialises start() and shut down
  std::mutex bind_mutex;  // serialises bind()
  Options options;
  std::unique_ptr<report::OutcomeSink> sink;
  std::atomic<pid_t> pid{0};
  std::atomic<int> init_count{0};      ///< successful hsa_init minus hsa_shut_down seen
  std::atomic<bool> seen_init{false};  ///< hsa_init or OnLoad was seen in this life of the runtime
  std::atomic<uint64_t> doorbell{0};   ///< hsa_signal_t::handle
  bool once_done = false;              ///< tools started, sink opened, exit handler registered
  std::atomic<bool> off{false};        ///< passive for good
  std::atomic<replay::Replayer*> latest{nullptr};  ///< of the runtime's last life; never destroyed
};
State& state() {
  alignas(
      State) static std::byte storage[sizeof(State)];  // no allocation: that could throw into the application
  static State& instance = *new (storage) State;
  return instance;
}

/// Options are read once; before our constructor if a hook runs that early.
const Options& options() {
  static const Options& instance = *new Options(read_options(own_environment()));
  return instance;
}

/// How long a thread waits for another one's start or shut down, which may be a tool's initialisation that
/// waits for this very thread.
std::chrono::nanoseconds start_limit() {
  return std::min<std::chrono::nanoseconds>(std::chrono::seconds(10),
                                            std::chrono::nanoseconds(options().drain_timeout_ns));
}

/// For `kreplay run`: what becomes of this process.
void note(std::string_view event, std::string_view detail = {}) {
  handshake_note(options().handshake, event, detail);
}

bool in_child() {
  const pid_t started = state().pid.load(std::memory_order_relaxed);
  return started != 0 && started != getpid();
}

void on_fork_child() { g_phase.store(Phase::forked, std::memory_order_release); }

EndedNote counts(const report::Totals& totals) {
  EndedNote note;
  note.dispatches = totals.sums.dispatches;
  note.replayed = totals.sums.of(report::Outcome::replayed);
  note.skipped = totals.sums.skipped_sum();
  note.lost = totals.lines_lost;
  uint64_t most = 0;
  for (size_t i = 0; i < report::kReasons; ++i) {
    const uint64_t count = totals.sums.declined[i] + totals.sums.stopped[i];
    if (count <= most) continue;
    most = count;
    note.reason = report::name_of(static_cast<report::Reason>(i));
  }
  return note;
}

void on_exit() {
  if (g_phase.load(std::memory_order_acquire) == Phase::forked || in_child()) return;
  KR_CHECK_UNLOCKED();
  const int saved = errno;
  {
    const replay::OursScope ours;
    tool_api::finalize();
    if (replay::Replayer* replayer = g_replayer.load(std::memory_order_acquire)) {
      replayer->close();
      replayer->settle(true);
    }
    g_phase.store(Phase::closed, std::memory_order_release);
    if (report::OutcomeSink* sink = state().sink.get()) {
      sink->finish();
      note(handshake_event::ended, format_ended(counts(sink->totals())));
      if (!options().quiet) {
        write_stderr(sink->summary());
      }
    }
  }
  errno = saved;
}

bool runtime_ready(const hsa::HsaApi& api) {
  uint16_t major = 0;
  return api.hsa_system_get_info != nullptr &&
         api.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major) == HSA_STATUS_SUCCESS;
}

report::RunInfo run_info(const replay::Replayer& replayer, const hsa::HsaApi& api) {
  report::RunInfo info;
  info.runtime.emplace_back("hsa-runtime64", hsa::object_path(reinterpret_cast<const void*>(api.hsa_init)));
  for (const hsa::LoadedObject& object : hsa::loaded_objects("libamdhip64.so"))
    info.runtime.emplace_back("amdhip64", object.path);
  for (const auto& agent : replayer.agents()) {
    report::RunInfo::Agent entry;
    entry.node = agent->info().node;
    entry.name = agent->info().name;
    entry.product = agent->info().product;
    entry.compute_units = agent->info().compute_units;
    entry.memory_bytes = agent->info().memory_bytes;
    info.agents.push_back(std::move(entry));
  }
  info.options = options_as_set(own_environment());
  info.bar_disabled = bar_disabled();
  info.tool = tool_api::tool_names();
  return info;
}

/// Reasons that hold for the whole process. @return why to stay passive; empty: no reason
std::string must_stay_passive() {
  if (second_instance()) return "a second copy of the library is loaded";
  const std::vector<std::string> errors =
      options().errors.empty() ? pattern_errors(options()) : options().errors;
  if (!errors.empty()) {
    for (const std::string& error : errors) log::error("options", "{}", error);
    log::error("options", "{}", "the application runs without replay");
    return errors.front();
  }
  if (!options().enabled) return "KREPLAY_ENABLE is off";
  const std::optional<uint64_t> rank = job_rank();
  if (!options().ranks.all() && !rank) {
    log::warn("options",
              "KREPLAY_RANKS is set, but this process is no rank of a parallel job; it runs without replay");
    return "KREPLAY_RANKS is set, but it is no rank of a parallel job";
  }
  if (const std::string other = foreign_profiler(); !other.empty()) {
    log::warn("start", "another profiler is active ({}); this library stays passive", other);
    return fmt::format("another profiler is active ({})", other);
  }
  const auto runtimes = hsa::mapped_objects("libhsa-runtime64.so");
  if (runtimes.size() > 1) {
    log::warn("start", "two HSA runtimes are loaded ({} and {}); this library stays passive",
              runtimes[0].path, runtimes[1].path);
    return fmt::format("two HSA runtimes are loaded ({} and {})", runtimes[0].path, runtimes[1].path);
  }
  return {};
}

/// A rank in which replay was not asked for: no reason to say anything.
bool left_out() {
  const std::optional<uint64_t> rank = job_rank();
  return rank && !options().ranks.contains(*rank);
}

/// An assertion failed: as turn_off(), and from under any lock.
void end_replay(const char* what) noexcept {
  if (replay::Replayer* replayer = g_replayer.load(std::memory_order_acquire)) replayer->close();
  state().off = true;
  if (g_phase.exchange(Phase::passive, std::memory_order_acq_rel) != Phase::passive)
    note(handshake_event::passive, what);
}

/// Once per process, when the first replayer is about to be made.
void first_start() {
  State& s = state();
  s.sink = std::make_unique<report::OutcomeSink>();
  tool_api::start(options());
  if (!options().output.empty()) {
    const Status opened = s.sink->open(options().output);
    if (!opened.ok()) {
      log::error("KREPLAY_OUTPUT", "{}; no result file is written", opened.message());
      note(handshake_event::no_results, opened.message());
    }
    if (opened.ok()) note(handshake_event::results, s.sink->path());
  }
  replay::prepare_backtrace();
  set_check_action(&end_replay);
  pthread_atfork(nullptr, nullptr, &on_fork_child);
  std::atexit(&on_exit);
}

replay::Replayer* start_locked() {
  State& s = state();
  const hsa::HsaApi& api = real();
  if (s.off || !runtime_ready(api)) return nullptr;
  KR_CHECK(g_replayer.load(std::memory_order_acquire) == nullptr, "one replayer observes at a time");
  s.pid.store(getpid(), std::memory_order_relaxed);
  const bool first = !s.once_done;
  if (first && left_out()) {
    note(handshake_event::excluded);
    s.off = true;
    g_phase.store(Phase::passive, std::memory_order_release);
    return nullptr;
  }
  if (const std::string why = first ? must_stay_passive() : std::string(); !why.empty()) {
    note(handshake_event::passive, why);
    s.off = true;
    g_phase.store(Phase::passive, std::memory_order_release);
    return nullptr;
  }
  if (first) first_start();
  s.once_done = true;

  auto made = std::make_unique<replay::Replayer>(
      api, *s.sink, options(), [] { return tool_api::replay_tool(); },
      [](uint32_t node) { return tool_api::agent_id_of_node(node).handle; });
  if (const replay::Replayer* before = s.latest.load()) made->continue_ids(*before);
  const Status listed = made->start();
  if (!listed.ok()) {
    log::warn("start", "{}; the application runs without replay", listed.message());
    s.off = true;
  }
  if (first) s.sink->header(run_info(*made, api));  // also when nothing will follow but the trailer
  if (s.off || made->agents().empty()) {
    note(handshake_event::passive,
         s.off ? listed.message() : "the runtime has no GPU agent; kreplay doctor says why");
    g_phase.store(Phase::passive, std::memory_order_release);
    return nullptr;
  }
  if (!s.seen_init.load(std::memory_order_acquire))
    made->mark_bypassed(0, "start", "the runtime was in use before this library saw it");
  replay::Replayer* replayer = made.release();  // leaked: destructors of other libraries call us later
  s.latest.store(replayer, std::memory_order_release);
  g_replayer.store(replayer, std::memory_order_release);
  g_phase.store(Phase::active, std::memory_order_release);
  if (first) note(handshake_event::runtime, hsa::object_path(reinterpret_cast<const void*>(api.hsa_init)));
  return replayer;
}

}  // namespace

const hsa::HsaApi& bind(bool refresh) {
  State& s = state();
  const std::lock_guard lock(s.bind_mutex);
  const hsa::HsaApi* current = g_real.load(std::memory_order_acquire);
  if (current != nullptr && current->hsa_init != nullptr) {
    if (!refresh) return *current;
    void* now = hsa::find_runtime_symbol("hsa_init");
    if (now == nullptr || now == reinterpret_cast<void*>(current->hsa_init)) return *current;
  }
  // Never freed: a thread may be about to call through the old one. The first needs no allocation.
  static hsa::HsaApi first;
  hsa::HsaApi* fresh = current == nullptr ? &first : new (std::nothrow) hsa::HsaApi;
  if (fresh == nullptr) return *current;
  if (hsa::bind_api(*fresh, &hsa::find_runtime_symbol) == 0 && current != nullptr) {
    delete fresh;
    return *current;
  }
  g_real.store(fresh, std::memory_order_release);
  if (fresh->hsa_init != nullptr) point_passes_at(*fresh);
  return *fresh;
}

replay::Replayer* start() {
  State& s = state();
  if (replay::t_state.ours != 0 || in_child()) return nullptr;
  KR_CHECK_UNLOCKED();
  const CancelGuard whole;
  const int saved = errno;
  replay::Replayer* out = nullptr;
  if (s.start_lock.try_lock_for(start_limit())) {
    const replay::OursScope ours;
    try {
      if (g_phase.load(std::memory_order_acquire) == Phase::unknown) start_locked();
      if (g_phase.load(std::memory_order_acquire) == Phase::active)
        out = g_replayer.load(std::memory_order_acquire);
    } catch (...) {
      turn_off("start", "out of memory");
    }
    s.start_lock.unlock();
  } else {
    log::warn("start", "starting takes longer than {} ms in another thread; this call is not observed",
              start_limit() / std::chrono::milliseconds(1));
  }
  errno = saved;
  return out;
}

void initialised() {
  State& s = state();
  s.init_count.fetch_add(1, std::memory_order_acq_rel);
  s.seen_init.store(true, std::memory_order_release);
  (void)replayer();
}

void init_failed(hsa_status_t status) {
  static std::atomic<bool> noted{false};
  if (forked() || in_child() || noted.exchange(true)) return;
  const CancelGuard whole;
  const int saved = errno;
  try {
    note(handshake_event::no_runtime, "hsa_init: " + hsa::status_text(real(), status));
  } catch (...) {  // out of memory: `kreplay run` learns less
  }
  errno = saved;
}

void table_installed() { state().seen_init.store(true, std::memory_order_release); }

void unloading() {
  State& s = state();
  const replay::OursScope ours;
  KR_CHECK_UNLOCKED();
  stall_watch::remove_all();
  if (replay::Replayer* replayer = g_replayer.load(std::memory_order_acquire))
    replayer->release_runtime_objects();
  const uint64_t doorbell = s.doorbell.exchange(0, std::memory_order_acq_rel);
  if (doorbell != 0) real().hsa_signal_destroy({doorbell});
}

void before_shut_down() {
  // The last call ends the runtime: signals of ours that are left would be reported as leaked. When somebody
  // else still holds the runtime, they are simply made again.
  if (state().init_count.load(std::memory_order_acquire) <= 1 && g_phase.load() == Phase::active) unloading();
}

void after_shut_down() {
  State& s = state();
  if (s.init_count.load(std::memory_order_acquire) > 0) s.init_count.fetch_sub(1, std::memory_order_acq_rel);
  const replay::OursScope ours;
  KR_CHECK_UNLOCKED();
  if (g_phase.load(std::memory_order_acquire) != Phase::active || runtime_ready(real())) return;
  if (!s.start_lock.try_lock_for(start_limit())) {
    turn_off("shut down", "starting takes too long in another thread");
    return;
  }
  if (replay::Replayer* replayer = g_replayer.exchange(nullptr, std::memory_order_acq_rel)) {
    replayer->close();
    replayer->settle(true);
  }
  s.init_count.store(0, std::memory_order_release);
  s.seen_init.store(false, std::memory_order_release);
  g_phase.store(Phase::unknown, std::memory_order_release);
  s.start_lock.unlock();
}

hsa_signal_t doorbell_model() {
  State& s = state();
  uint64_t handle = s.doorbell.load(std::memory_order_acquire);
  if (handle != 0) return {handle};
  hsa_signal_t made = {0};
  if (real().hsa_signal_create(0, 0, nullptr, &made) != HSA_STATUS_SUCCESS) return {0};
  if (s.doorbell.compare_exchange_strong(handle, made.handle, std::memory_order_acq_rel)) return made;
  real().hsa_signal_destroy(made);
  return {handle};
}

replay::Replayer* replayer_with_windows() {
  replay::Replayer* latest = state().latest.load(std::memory_order_acquire);
  return latest != nullptr && !forked() && latest->core().windows.any_open() && !in_child() ? latest
                                                                                            : nullptr;
}

void turn_off(const char* area, const char* why) {
  if (g_phase.exchange(Phase::passive, std::memory_order_acq_rel) == Phase::passive) return;
  if (replay::Replayer* replayer = g_replayer.load(std::memory_order_acquire)) replayer->close();
  state().off = true;
  log::warn(area, "{}; replay is off from here on", why);
  note(handshake_event::passive, why);
}

}  // namespace kreplay::intercept::process

namespace {

/// Cheap: runs in every process that inherits the preload, GPU or not. Starts nothing, and opens nothing but
/// the file of a `kreplay run` that waits for word of it.
__attribute__((constructor)) void kreplay_loaded() {
  using namespace kreplay;
  const CancelGuard whole;
  const int saved = errno;
  try {
    if (!intercept::second_instance()) {
      const Options& options = intercept::process::options();
      intercept::prepare_environment(options);
      intercept::accept_registered_tables();
      tool_api::marker_gate().configure(options.from_marker, options.to_marker);
      handshake_note(options.handshake, handshake_event::loaded);
    }
  } catch (...) {  // the option variables stay as they are
  }
  errno = saved;
}

}  // namespace
