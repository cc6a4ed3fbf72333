#include "replay/pass_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/check.hpp"
#include "replay/completion.hpp"
#include "replay/fatal.hpp"
#include "replay/service_run.hpp"

namespace kreplay::replay {
namespace {

using device::WaitEnd;
using hsa::Packet;
using report::Reason;

const char* name_of(const Kernel* kernel) {
  return kernel != nullptr ? kernel->demangled.c_str() : "an unknown kernel";
}

}  // namespace

Reason PassLoop::save(std::string& detail) {
  KR_CHECK(!agent_.gate_open(), "memory is saved while the agent stands still");
  KR_CHECK(window_.covering(), "memory is saved while its frees are held back");
  AgentWindow& own = agent_.window;
  for (const Agent* member : window_.members())
    if (std::string why = member->incomplete(); !why.empty()) {
      detail = std::move(why);
      return Reason::snapshot_failed;
    }
  if (const Reason unfit = cover_arguments(detail); unfit != Reason::none) return unfit;
  const Status saved = own.memory->save(window_.members());
  if (!saved.ok()) {
    detail = saved.message();
    return saved.code() == Error::budget ? Reason::budget : Reason::snapshot_failed;
  }
  if (!flush_caches(detail)) {
    own.memory->finish();
    return Reason::cache_flush;
  }
  return Reason::none;
}

/// Everything ahead has ended: what the arguments point at now is what the passes will work on.
///
/// The executable flag does not tell the application's buffers from the runtime's own pools, which must be
/// left alone. What an explicit argument points at is the application's: it is saved from here on.
Reason PassLoop::cover_arguments(std::string& detail) {
  using snapshot::MemoryClass;
  dispatch_.look_at_arguments(core_.extents);
  const bool signals = core_.options.host_write != Options::HostWrite::ignore;
  const Reason unfit = dispatch_.shares_memory(agent_.handle().handle, signals, detail);
  if (unfit != Reason::none) return unfit;
  for (const Pointee& pointee : dispatch_.arguments.pointees())
    if (pointee.extent.memory_class == MemoryClass::device_executable)
      core_.extents.reclassify(pointee.extent.base, pointee.extent.generation, MemoryClass::device_coarse);
  return Reason::none;
}

/// Copies the host memory in reach, to tell after a pass whether it was written.
void PassLoop::watch_host() {
  HostWrites& writes = agent_.window.host_writes;
  if (core_.options.host_write == Options::HostWrite::ignore) return writes.begin_unchecked(core_.extents);
  writes.begin(dispatch_.arguments, core_.extents);
  agent_.window.memory->visit_code_segments([&](const std::byte* bytes, uint64_t size_bytes) {
    writes.add_pointed_at({bytes, size_bytes}, core_.extents);
  });
}

/// Before each pass, as the last thing. @return false with the reason in `detail`; true at once when not
/// asked for
bool PassLoop::flush_caches(std::string& detail) {
  if (!core_.options.flush_caches) return true;
  auto& flush = agent_.window.cache_flush;
  if (!flush) flush = std::make_unique<snapshot::CacheFlush>(core_.api, agent_.handle());
  const Status flushed = flush->run();
  if (!flushed) detail = flushed.message();
  return flushed.ok();
}

void PassLoop::run(tool_api::ReplayTool& tool, tool_api::ReplayCall& call, const tool_api::PassPlan& plan,
                   report::DispatchRecord& record, std::string& detail) {
  KR_CHECK(agent_.window.memory != nullptr, "passes come after a save");
  agent_.window.pass_times.clear();
  if (core_.progress != nullptr && kernel_ != nullptr)
    set_progress_kernel(*core_.progress, kernel_->demangled);
  record.outcome = report::Outcome::replayed;
  CompletionGuard guard(core_, agent_, queue_, packet_);
  const PassEnd how = run_passes(guard, tool, call, plan, record, detail);
  fill(record, call);
  agent_.window.memory->finish();
  if (how != PassEnd::done) {
    record.outcome = report::Outcome::stopped;
    record.reason = how == PassEnd::failed ? Reason::queue_error : Reason::pass_timeout;
  } else if (window_.reentrant() && record.reason == Reason::none) {
    record.reason = Reason::reentrant;
    detail = "a callback launched on the same agent inside the window";
  }
  {
    const Window::CallbackScope scope(window_);
    tool.config_exit(call);
  }
  end(how, detail);
}

PassLoop::PassEnd PassLoop::run_passes(CompletionGuard& guard, tool_api::ReplayTool& tool,
                                       tool_api::ReplayCall& call, const tool_api::PassPlan& plan,
                                       report::DispatchRecord& record, std::string& detail) {
  const HostServices services(dispatch_.arguments, core_.extents);
  watch_host();
  const bool endless = plan.mode == tool_api::PassMode::until_stopped;
  for (uint64_t pass = 0;; ++pass) {
    {
      const Window::CallbackScope scope(window_);
      tool.pass_enter(call, pass);
    }
    ServiceRun services_around(core_, window_, begin_run(core_, window_, call));
    if (const PassEnd end = run_pass(guard, services_around, pass, detail); end != PassEnd::done) return end;
    KR_CHECK(agent_.window.pass_times.size() <= pass + 1, "a pass has one time");
    {
      const Window::CallbackScope scope(window_);
      call.pass_times = agent_.window.pass_times;
      tool.pass_exit(call, pass);
    }
    if (!caches_flushed_) {
      // Memory had been put back already, so the pass was run; its time would be that of other conditions.
      if (!agent_.window.pass_times.empty()) agent_.window.pass_times.pop_back();
      detail += fmt::format("; pass {} ran without it and is not in the times", pass);
      record.outcome = report::Outcome::stopped;
      record.reason = Reason::cache_flush;
      return PassEnd::done;
    }
    if (!endless && pass + 1 >= plan.passes) {
      record.passes_end = report::PassesEnd::count;
      return PassEnd::done;
    }
    if (pass == 0 && !first_pass_allows_more(services, record, detail)) return PassEnd::done;
    bool more;
    {
      const Window::CallbackScope scope(window_);
      more = tool.continue_after(call, pass);
    }
    if (!more) {
      record.passes_end =
          call.passes_end == report::PassesEnd::none ? report::PassesEnd::tool : call.passes_end;
      return PassEnd::done;
    }
    if (!put_back(guard, pass + 1, record, detail)) return PassEnd::done;
  }
}

/// What the first pass did that a second one must not do again.
bool PassLoop::first_pass_allows_more(const HostServices& services, report::DispatchRecord& record,
                                      std::string& detail) {
  if (services.used()) {
    record.reason = Reason::host_services;
    detail = "the kernel called the host (printf, device malloc) in its first pass";
  } else if (core_.options.host_write == Options::HostWrite::stop) {
    if (const snapshot::Extent* written = agent_.window.host_writes.first_changed()) {
      record.reason = Reason::host_write;
      detail = fmt::format("the first pass wrote {} memory at 0x{:x} ({} bytes), which is not put back",
                           snapshot::name_of(written->memory_class), written->base.value, written->size);
    }
  }
  if (record.reason == Reason::none) return true;
  record.outcome = report::Outcome::stopped;
  return false;
}

/// @return false when the window was broken into; aborts when memory cannot be put back
bool PassLoop::put_back(CompletionGuard& guard, uint64_t next_pass, report::DispatchRecord& record,
                        std::string& detail) {
  if (!window_.begin_restore()) {
    record.outcome = report::Outcome::stopped;
    record.reason = window_.stuck() ? Reason::callback_timeout : Reason::reentrant;
    if (window_.stuck())
      detail = fmt::format("a tool callback did not return within {} ms while other work waited",
                           core_.options.drain_timeout_ns / 1'000'000);
    else
      detail = core_.closed.load() ? "the process or the runtime is ending"
                                   : "work of another thread had to be let in";
    return false;
  }
  KR_CHECK(!agent_.gate_open(), "memory is put back behind a closed gate");
  // Before the device's: what cannot be put back leaves everything as the pass left it.
  if (!put_back_host(next_pass, record, detail)) {
    window_.end_restore();
    return false;
  }
  guard.put_back();
  const Status restored = agent_.window.memory->restore();
  if (!restored.ok()) {
    guard.dismiss();  // nothing can be finished any more
    fail_restore(record, next_pass, restored.message());
  }
  caches_flushed_ = flush_caches(detail);
  window_.end_restore();
  return true;
}

/// With KREPLAY_HOST_WRITE=restore. @return false when the next pass must not run
bool PassLoop::put_back_host(uint64_t next_pass, report::DispatchRecord& record, std::string& detail) {
  if (core_.options.host_write != Options::HostWrite::restore) return true;
  const snapshot::Extent* failed = nullptr;
  const HostWrites::Restored restored = agent_.window.host_writes.restore(&failed);
  if (restored == HostWrites::Restored::yes) return true;
  std::string why = fmt::format("{} memory at 0x{:x} ({} bytes) was written by a pass and is protected now",
                                snapshot::name_of(failed->memory_class), failed->base.value, failed->size);
  if (restored == HostWrites::Restored::broken) fail_restore(record, next_pass, why);
  record.outcome = report::Outcome::stopped;
  record.reason = Reason::host_write;
  detail = std::move(why);
  return false;
}

void PassLoop::fail_restore(const report::DispatchRecord& record, uint64_t pass, const std::string& why) {
  fatal("replay",
        fmt::format("dispatch {} of {} on agent node {}: memory could not be put back before pass {}: "
                    "{}. Going on would give the application wrong data",
                    record.dispatch_id, name_of(kernel_), agent_.info().node, pass, why));
}

void PassLoop::fill(report::DispatchRecord& record, const tool_api::ReplayCall& call) {
  const AgentWindow& own = agent_.window;
  record.unverified_bytes = own.host_writes.unverified_bytes();
  const snapshot::SnapshotStats stats = own.memory->stats();
  record.tier = stats.shadowed == 0 ? "T3" : stats.shadowed == stats.bytes_saved ? "T1" : "T1+T3";
  record.bytes_link = stats.link_bytes;
  record.extents = stats.extents;
  record.bytes_saved = stats.bytes_saved;
  record.bytes_restored = stats.bytes_restored;
  record.save_ns = stats.save_ns;
  record.restore_ns = stats.restore_ns;
  record.passes = own.pass_times.data();
  record.passes_run = own.pass_times.size();
  record.warmup = std::min<uint64_t>(call.warmup, record.passes_run);
  record.relative_error_ppm = call.relative_error_ppm;
  if (core_.options.flush_caches) record.cache = "flush";
}

void PassLoop::end(PassEnd end, std::string& detail) {
  KR_CHECK(agent_.window.pass_signal.handle != 0, "a dispatch is completed once");
  const hsa_signal_t application = hsa::completion_signal(packet_);
  switch (end) {
    case PassEnd::done:
      if (!window_.reentrant()) queue_.idle_at.store(queue_.ring.write_index(), std::memory_order_release);
      complete_now(core_, application, agent_.window.pass_signal);
      break;
    case PassEnd::handed_over:
      hand_over(application, detail);
      break;
    case PassEnd::failed:
      // The queue is in error: its packets, this one included, complete for nobody. The application's error
      // callback has been told. Our signal may still be written, so it is not used again.
      agent_.signals.abandon(agent_.window.pass_signal);
      agent_.window.pass_signal = {0};
      break;
  }
}

void PassLoop::run_once(std::shared_ptr<tool_api::KernelRun> run, std::string& detail) {
  agent_.window.pass_times.clear();
  CompletionGuard guard(core_, agent_, queue_, packet_);
  ServiceRun services(core_, window_, std::move(run));
  end(run_pass(guard, services, 0, detail), detail);
}

PassLoop::PassEnd PassLoop::run_pass(CompletionGuard& guard, ServiceRun& services, uint64_t pass,
                                     std::string& detail) {
  KR_CHECK(t_state.window == &window_, "passes run on the thread that owns the window");
  const hsa_signal_t ours = agent_.window.pass_signal;
  KR_CHECK(ours.handle != 0 && ours.handle != agent_.window.drain_signal.handle, "a pass has its own signal");
  Packet copy = packet_;
  copy.word[0] = hsa::with_system_fences(packet_.word[0]);
  hsa::set_completion_signal(copy, ours);
  core_.api.hsa_signal_store_relaxed(ours, 1);
  services.submit(copy, pass == 0);  // the first one stands for the application's packet in the accounts
  guard.submitted();
  services.enqueued();

  const WaitEnd end = core_.waiter.wait(services.last_of(ours), core_.options.pass_timeout_ns,
                                        [&] { return queue_.failed(); });
  if (end == WaitEnd::stopped) {
    detail = fmt::format("in pass {} {}", pass, queue_.describe_failure(core_.api));
    return PassEnd::failed;
  }
  if (end == WaitEnd::timeout) {
    if (kernel_ != nullptr) kernel_->learned.store(true, std::memory_order_relaxed);
    detail = fmt::format("pass {} did not end within {} ms and was handed over to the application", pass,
                         core_.options.pass_timeout_ns / 1'000'000);
    return PassEnd::handed_over;
  }
  KR_CHECK(device::signal_value(ours) == 0, "a pass completes its signal once");
  remember_times();
  services.completed(agent_.window.pass_times);
  if (core_.progress != nullptr) core_.progress->passes.fetch_add(1, std::memory_order_relaxed);
  return PassEnd::done;
}

void PassLoop::remember_times() {
  hsa_amd_profiling_dispatch_time_t time = {};
  if (core_.api.hsa_amd_profiling_get_dispatch_time(agent_.handle(), agent_.window.pass_signal, &time) !=
      HSA_STATUS_SUCCESS)
    time = {};
  std::vector<report::PassTime>& times = agent_.window.pass_times;
  try {
    times.push_back({time.start, time.end});
  } catch (const std::bad_alloc&) {
    // The passes go on: the application's dispatch matters more than the list of its times.
    if (!times.empty()) times.back() = {time.start, time.end};
  }
}

void PassLoop::hand_over(hsa_signal_t application, std::string& detail) {
  const hsa_signal_t ours = agent_.window.pass_signal;
  if (complete_later(core_, agent_.signals, application, ours)) {
    agent_.window.pass_signal = {0};
    return;
  }
  // Nobody else can tell the application, so this thread stays with the dispatch.
  detail += "; no asynchronous handler, waited instead";
  const WaitEnd end =
      core_.waiter.wait(ours, core_.options.drain_timeout_ns, [&] { return queue_.failed(); });
  if (end == WaitEnd::done) return complete_now(core_, application, ours);
  if (end == WaitEnd::timeout)
    fatal("replay",
          fmt::format("a dispatch of {} did not end within {} ms and cannot be handed over", name_of(kernel_),
                      (core_.options.pass_timeout_ns + core_.options.drain_timeout_ns) / 1'000'000));
  agent_.window.pass_signal = {0};
}

}  // namespace kreplay::replay
