#include "replay/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "device/futex.hpp"
#include "replay/arguments.hpp"
#include "replay/completion.hpp"
#include "replay/fatal.hpp"
#include "replay/host_services.hpp"

namespace kreplay::replay {
namespace {

using hsa::Packet;
using report::Reason;

constexpr uint64_t kWaitersPassNs = 5'000'000;

}  // namespace

report::Reason Window::open(const Packet& packet, std::string& detail, bool& submitted) {
  queue_.park(packet);
  const WindowOwners::Acquired acquired =
      core_.owners.acquire(agent_, *this, core_.options.drain_timeout_ns, core_.copies);
  submitted = !queue_.unpark();
  if (acquired == WindowOwners::Acquired::circle) {
    detail = "two windows would wait for each other";
    return Reason::reentrant;
  }
  if (acquired == WindowOwners::Acquired::stuck) {
    detail = "the window in front of it is held up by a tool callback";
    return Reason::callback_timeout;
  }
  if (submitted) {
    core_.owners.release(agent_);
    detail = "submitted inside another window, by a callback that launched on the same queue";
    return Reason::reentrant;
  }
  outer_ = t_state.window;
  t_state.window = this;
  open_ = true;
  const Reason reason = open_locked(packet, detail);
  if (reason != Reason::none) {
    close();
    release();
  }
  return reason;
}

report::Reason Window::open_locked(const Packet& packet, std::string& detail) {
  agent_.let_waiters_pass(kWaitersPassNs);
  opened_ns_ = monotonic_ns();
  agent_.close_gate();
  core_.copies.close(agent_.handle().handle);
  agent_.start_covering();
  agent_.pin_queues(agent_.window_queues);
  if (!ready_signals(detail)) return Reason::snapshot_failed;
  if (!agent_.drain)
    agent_.drain = std::make_unique<Drain>(agent_, core_.queues, core_.copies, core_.waiter, core_.kernels,
                                           core_.api, DrainLimits{core_.options.drain_timeout_ns});
  DrainResult drained = agent_.drain->run(queue_, packet, agent_.window_queues, agent_.drain_signal);
  if (drained.reason != Reason::none) {
    if (drained.stuck && !core_.options.decline_on_stuck_drain) {
      const char* name = kernel_ != nullptr ? kernel_->demangled.c_str() : "unknown kernel";
      fatal("replay",
            fmt::format("{} (before a replay of {}; set KREPLAY_ON_STUCK_DRAIN=decline to run it once "
                        "instead)",
                        drained.detail, name));
    }
    detail = std::move(drained.detail);
    return drained.reason;
  }

  if (std::string why = agent_.incomplete(); !why.empty()) {
    detail = std::move(why);
    return Reason::snapshot_failed;
  }
  cover_arguments();
  if (!agent_.snapshot)
    agent_.snapshot = std::make_unique<snapshot::AgentSnapshot>(
        core_.api, agent_.handle(), core_.extents,
        snapshot::SnapshotLimits{core_.options.host_bytes, core_.options.drain_timeout_ns});
  const Status saved = agent_.snapshot->save();
  if (!saved.ok()) {
    agent_.snapshot->finish();
    detail = saved.message();
    return saved.code() == Error::budget ? Reason::budget : Reason::snapshot_failed;
  }
  if (!flush_caches(detail)) {
    agent_.snapshot->finish();
    return Reason::cache_flush;
  }
  return Reason::none;
}

/// Before each pass, as the last thing. @return false with the reason in `detail`; true at once when not
/// asked for
bool Window::flush_caches(std::string& detail) {
  if (!core_.options.flush_caches) return true;
  if (!agent_.cache_flush)
    agent_.cache_flush = std::make_unique<snapshot::CacheFlush>(core_.api, agent_.handle());
  const Status flushed = agent_.cache_flush->run();
  if (!flushed) detail = flushed.message();
  return flushed.ok();
}

/// The executable flag does not tell the application's buffers from the runtime's own pools, which must be
/// left alone. What an explicit argument points at is the application's: it is saved from here on.
void Window::cover_arguments() {
  using snapshot::MemoryClass;
  visit_arguments(kernel_, queue_.parked_packet, core_.extents, [this](const snapshot::Extent& extent) {
    if (extent.memory_class == MemoryClass::device_executable)
      core_.extents.reclassify(extent.base, extent.generation, MemoryClass::device_coarse);
    return true;
  });
}

bool Window::ready_signals(std::string& detail) {
  for (hsa_signal_t* signal : {&agent_.pass_signal, &agent_.drain_signal}) {
    if (signal->handle != 0) continue;
    const Result<hsa_signal_t> made = agent_.signals.acquire();
    if (!made) {
      detail = made.status().message();
      return false;
    }
    *signal = *made;
  }
  return true;
}

/// Around a call of the tool's: the one thing in a window that has no bound of its own.
class Window::CallbackScope {
 public:
  explicit CallbackScope(Window& window) : window_(window) {
    window_.callback_since_ns_.store(monotonic_ns(), std::memory_order_release);
    uint32_t expected = kWorking;
    window_.phase_.compare_exchange_strong(expected, kInCallback, std::memory_order_acq_rel);
  }
  ~CallbackScope() {
    uint32_t expected = kInCallback;
    window_.phase_.compare_exchange_strong(expected, kWorking, std::memory_order_acq_rel);
  }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  Window& window_;
  TheirsScope theirs_;
};

bool Window::break_if_stuck(uint64_t limit_ns) {
  uint32_t phase = phase_.load(std::memory_order_acquire);
  // Read before the clock: the next callback may begin between the two, and its start must not lie ahead.
  const uint64_t since = callback_since_ns_.load(std::memory_order_acquire);
  if (phase == kInCallback && monotonic_ns() - since > limit_ns &&
      phase_.compare_exchange_strong(phase, kStuck, std::memory_order_acq_rel))
    return true;
  return phase == kStuck;
}

void Window::run(const Packet& packet, tool_api::ReplayTool& tool, tool_api::ReplayCall& call,
                 const tool_api::PassPlan& plan, report::DispatchRecord& record, std::string& detail) {
  agent_.pass_times.clear();
  if (core_.progress != nullptr && kernel_ != nullptr)
    set_progress_kernel(*core_.progress, kernel_->demangled);
  record.outcome = report::Outcome::replayed;
  CompletionGuard guard(core_, agent_, queue_, packet);
  const HostServices services(kernel_ == nullptr ? nullptr : &kernel_->metadata,
                              hsa::dispatch_fields(packet).kernarg_address, core_.extents);
  const bool check_host = core_.options.host_write != Options::HostWrite::ignore;
  if (check_host) {
    agent_.host_writes.begin(kernel_ == nullptr ? nullptr : &kernel_->metadata,
                             hsa::dispatch_fields(packet).kernarg_address, core_.extents);
    agent_.snapshot->visit_saved(snapshot::MemoryClass::code_segment,
                                 [this](const std::byte* bytes, uint64_t size_bytes) {
                                   agent_.host_writes.add_pointed_at(bytes, size_bytes, core_.extents);
                                 });
  }
  const bool endless = plan.mode == tool_api::PassMode::until_stopped;
  PassEnd end = PassEnd::done;
  bool flushed = true;  // before the first pass: else the window would not have opened
  for (uint64_t pass = 0;; ++pass) {
    {
      const CallbackScope scope(*this);
      tool.pass_enter(call, pass);
    }
    end = run_pass(packet, pass, guard, detail);
    if (end != PassEnd::done) break;
    {
      const CallbackScope scope(*this);
      call.pass_times = agent_.pass_times;
      tool.pass_exit(call, pass);
    }
    if (!flushed) {
      // Memory had been put back already, so the pass was run; its time would be that of other conditions.
      if (!agent_.pass_times.empty()) agent_.pass_times.pop_back();
      detail += fmt::format("; pass {} ran without it and is not in the times", pass);
      record.outcome = report::Outcome::stopped;
      record.reason = Reason::cache_flush;
      break;
    }
    bool more = endless || pass + 1 < plan.passes;
    if (!more) record.passes_end = report::PassesEnd::count;
    if (more && pass == 0 && services.used()) {
      record.outcome = report::Outcome::stopped;
      record.reason = Reason::host_services;
      detail = "the kernel called the host (printf, device malloc) in its first pass";
      break;
    }
    if (more && pass == 0 && core_.options.host_write == Options::HostWrite::stop) {
      if (const snapshot::Extent* written = agent_.host_writes.first_changed()) {
        record.outcome = report::Outcome::stopped;
        record.reason = Reason::host_write;
        detail = fmt::format("the first pass wrote {} memory at 0x{:x} ({} bytes), which is not put back",
                             snapshot::name_of(written->memory_class), written->base.value, written->size);
        break;
      }
    }
    if (more) {
      const CallbackScope scope(*this);
      more = tool.continue_after(call, pass);
      if (!more) record.passes_end = call.passes_end;
      if (!more && call.passes_end == report::PassesEnd::none) record.passes_end = report::PassesEnd::tool;
    }
    if (!more) break;
    if (phase_.load(std::memory_order_acquire) == kStuck) {
      record.outcome = report::Outcome::stopped;
      record.reason = Reason::callback_timeout;
      detail = fmt::format("a tool callback did not return within {} ms while other work waited",
                           core_.options.drain_timeout_ns / 1'000'000);
      break;
    }
    if (broken_.load(std::memory_order_acquire)) {
      record.outcome = report::Outcome::stopped;
      record.reason = Reason::reentrant;
      detail = "work of another thread had to be let in";
      break;
    }
    guard.put_back();
    const Status restored = agent_.snapshot->restore();
    if (!restored.ok()) {
      guard.dismiss();  // nothing can be finished any more
      fail_restore(record, pass + 1, restored.message());
    }
    if (core_.options.host_write == Options::HostWrite::restore) agent_.host_writes.restore();
    flushed = flush_caches(detail);
  }
  if (check_host) record.unverified_bytes = agent_.host_writes.unverified_bytes();
  const snapshot::SnapshotStats stats = agent_.snapshot->stats();
  agent_.snapshot->finish();
  record.tier = "T3";
  record.extents = stats.extents;
  record.bytes_saved = stats.bytes_saved;
  record.bytes_restored = stats.bytes_restored;
  record.save_ns = stats.save_ns;
  record.restore_ns = stats.restore_ns;
  record.passes = agent_.pass_times.data();
  record.passes_run = agent_.pass_times.size();
  record.warmup = std::min<uint64_t>(call.warmup, record.passes_run);
  record.relative_error_ppm = call.relative_error_ppm;
  if (core_.options.flush_caches) record.cache = "flush";
  if (end != PassEnd::done) {
    record.outcome = report::Outcome::stopped;
    record.reason = end == PassEnd::failed ? Reason::queue_error : Reason::pass_timeout;
  } else if (reentrant_ && record.reason == Reason::none) {
    record.reason = Reason::reentrant;
    detail = "a callback launched on the same agent inside the window";
  }

  {
    const CallbackScope scope(*this);
    tool.config_exit(call);
  }
  const hsa_signal_t application = hsa::completion_signal(packet);
  switch (end) {
    case PassEnd::done:
      if (!reentrant_) queue_.idle_at.store(queue_.ring.write_index(), std::memory_order_release);
      complete(application, agent_.pass_signal);
      break;
    case PassEnd::handed_over:
      hand_over(application, detail);
      break;
    case PassEnd::failed:
      // The queue is in error: its packets, this one included, complete for nobody. The application's error
      // callback has been told. Our signal may still be written, so it is not used again.
      agent_.signals.abandon(agent_.pass_signal);
      agent_.pass_signal = {0};
      break;
  }
}

Window::PassEnd Window::run_pass(const Packet& packet, uint64_t pass, CompletionGuard& guard,
                                 std::string& detail) {
  Packet copy = packet;
  copy.word[0] = hsa::with_system_fences(packet.word[0]);
  hsa::set_completion_signal(copy, agent_.pass_signal);
  core_.api.hsa_signal_store_relaxed(agent_.pass_signal, 1);
  if (pass == 0)
    queue_.ring.submit(copy);  // stands for the application's packet in the accounts
  else
    queue_.submit_extra(copy);
  guard.submitted();

  const device::WaitEnd end =
      core_.waiter.wait(agent_.pass_signal, core_.options.pass_timeout_ns, [&] { return queue_.failed(); });
  if (end == device::WaitEnd::stopped) {
    detail = fmt::format("in pass {} {}", pass, queue_.describe_failure(core_.api));
    return PassEnd::failed;
  }
  if (end == device::WaitEnd::timeout) {
    if (kernel_ != nullptr) kernel_->learned.store(true, std::memory_order_relaxed);
    detail = fmt::format("pass {} did not end within {} ms and was handed over to the application", pass,
                         core_.options.pass_timeout_ns / 1'000'000);
    return PassEnd::handed_over;
  }
  remember_times();
  if (core_.progress != nullptr) core_.progress->passes.fetch_add(1, std::memory_order_relaxed);
  return PassEnd::done;
}

void Window::remember_times() {
  hsa_amd_profiling_dispatch_time_t time = {};
  if (core_.api.hsa_amd_profiling_get_dispatch_time(agent_.handle(), agent_.pass_signal, &time) !=
      HSA_STATUS_SUCCESS)
    time = {};
  try {
    agent_.pass_times.push_back({time.start, time.end});
  } catch (const std::bad_alloc&) {
    // The passes go on: the application's dispatch matters more than the list of its times.
    if (!agent_.pass_times.empty()) agent_.pass_times.back() = {time.start, time.end};
  }
}

void Window::complete(hsa_signal_t application, hsa_signal_t last) {
  if (application.handle == 0) return;
  copy_times(application, last);
  core_.api.hsa_signal_subtract_screlease(application, 1);
}

void Window::hand_over(hsa_signal_t application, std::string& detail) {
  if (complete_later(core_.api, agent_.signals, application, agent_.pass_signal)) {
    agent_.pass_signal = {0};
    return;
  }
  // Nobody else can tell the application, so this thread stays with the dispatch.
  detail += "; no asynchronous handler, waited instead";
  const device::WaitEnd end =
      core_.waiter.wait(agent_.pass_signal, core_.options.drain_timeout_ns, [&] { return queue_.failed(); });
  if (end == device::WaitEnd::done) return complete(application, agent_.pass_signal);
  if (end == device::WaitEnd::timeout)
    fatal("replay",
          fmt::format("a dispatch of {} did not end within {} ms and cannot be handed over",
                      kernel_ != nullptr ? kernel_->demangled : "an unknown kernel",
                      (core_.options.pass_timeout_ns + core_.options.drain_timeout_ns) / 1'000'000));
  agent_.pass_signal = {0};
}

void Window::fail_restore(const report::DispatchRecord& record, uint64_t pass, const std::string& why) {
  fatal("replay",
        fmt::format("dispatch {} of {} on agent node {}: memory could not be put back before pass {}: "
                    "{}. Going on would give the application wrong data",
                    record.dispatch_id, kernel_ != nullptr ? kernel_->demangled : "an unknown kernel",
                    agent_.info().node, pass, why));
}

void Window::close() {
  core_.copies.open(agent_.handle().handle);
  const auto deferred = agent_.stop_covering();
  agent_.unpin_queues();
  agent_.open_gate();
  t_state.window = outer_;
  for (const auto& work : deferred) work();
}

void Window::release() {
  open_ = false;
  core_.owners.release(agent_);
}

}  // namespace kreplay::replay
