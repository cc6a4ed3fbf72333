#include "replay/completion.hpp"

#include <hsa/amd_hsa_signal.h>

#include <exception>
#include <memory>
#include <new>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "device/signal_wait.hpp"
#include "replay/agent.hpp"
#include "replay/core.hpp"
#include "replay/fatal.hpp"
#include "replay/queue.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::replay {
namespace {

/// A dispatch whose end nobody here waits for.
struct Later {
  Core* core;
  device::SignalPool* pool;
  hsa_signal_t application;
  hsa_signal_t ours;

  static bool finished(hsa_signal_value_t, void* data) {
    const OursScope ours_scope;
    const std::unique_ptr<Later> self(static_cast<Later*>(data));
    complete_now(*self->core, self->application, self->ours);
    self->pool->release(self->ours);
    return false;  // once
  }
};

}  // namespace

void copy_times(hsa_signal_t to, hsa_signal_t from) {
  const auto* source = reinterpret_cast<const amd_signal_t*>(from.handle);
  auto* target = reinterpret_cast<amd_signal_t*>(to.handle);
  __atomic_store_n(&target->start_ts, source->start_ts, __ATOMIC_RELAXED);
  __atomic_store_n(&target->end_ts, source->end_ts, __ATOMIC_RELAXED);
}

void complete_now(Core& core, hsa_signal_t application, hsa_signal_t from) {
  if (application.handle == 0) return;
  KR_CHECK_UNLOCKED();
  KR_CHECK(from.handle != 0 && from.handle != application.handle, "passes complete a signal of ours");
  copy_times(application, from);
  core.completing.begin(application);
  {
    SignalChange change(core.copies, application);
    core.api.hsa_signal_subtract_screlease(application, 1);
    change.by(-1);
  }
  core.completing.end(application);
}

bool complete_later(Core& core, device::SignalPool& pool, hsa_signal_t application,
                    hsa_signal_t ours) noexcept {
  KR_CHECK(ours.handle != 0 && ours.handle != application.handle, "what is handed over has a signal of ours");
  KR_CHECK_UNLOCKED();
  std::unique_ptr<Later> later(new (std::nothrow) Later{&core, &pool, application, ours});
  if (!later || core.api.hsa_amd_signal_async_handler(ours, HSA_SIGNAL_CONDITION_LT, 1, &Later::finished,
                                                      later.get()) != HSA_STATUS_SUCCESS)
    return false;
  (void)later.release();
  return true;
}

CompletionGuard::CompletionGuard(Core& core, Agent& agent, Queue& queue, const hsa::Packet& packet)
    : core_(core),
      agent_(agent),
      queue_(queue),
      packet_(packet),
      before_(queue.submitted()),
      exceptions_(std::uncaught_exceptions()) {}

CompletionGuard::~CompletionGuard() {
  if (!dismissed_ && std::uncaught_exceptions() > exceptions_ && queue_.submitted() != before_) finish();
}

/// The exception may have come from the middle of it.
void CompletionGuard::put_back_again() const noexcept {
  try {
    if (agent_.window.memory->restore().ok()) return;
  } catch (...) {
  }
  fatal("replay", "memory could not be put back. Going on would give the application wrong data");
}

/// As PassLoop::run() ends, without anything that could fail for want of memory.
void CompletionGuard::finish() noexcept {
  const hsa_signal_t application = hsa::completion_signal(packet_);
  const hsa_signal_t ours = agent_.window.pass_signal;
  if (ours.handle == 0) return;  // handed over already
  KR_CHECK(queue_.submitted() > before_, "what has to be finished was submitted");
  if (put_back_ && !queue_.failed()) {
    put_back_again();
    hsa::Packet copy = packet_;
    copy.word[0] = hsa::with_system_fences(packet_.word[0]);
    hsa::set_completion_signal(copy, ours);
    __atomic_store_n(&reinterpret_cast<amd_signal_t*>(ours.handle)->value, 1, __ATOMIC_RELEASE);
    queue_.submit_extra(copy);
  }
  const device::WaitEnd end =
      core_.waiter.wait(ours, core_.options.pass_timeout_ns, [&] { return queue_.failed(); });
  if (end == device::WaitEnd::done) {
    complete_now(core_, application, ours);
    return;
  }
  agent_.window.pass_signal = {0};        // may still be written
  if (end == device::WaitEnd::stopped) {  // completes for nobody
    try {
      agent_.signals.abandon(ours);
    } catch (...) {  // then it is lost
    }
    return;
  }
  if (complete_later(core_, agent_.signals, application, ours)) return;
  fatal("replay", "a dispatch did not end in time after an internal error, and cannot be handed over");
}

}  // namespace kreplay::replay
