// The shape of every hook: observe, call the next function once, observe.
//
// A call reaches a hook as the exported symbol (the application links to it) or through the runtime's table
// (a caller that asked dlsym on the runtime's own handle). The exported one goes on to the runtime's export,
// so that tools which patched the table after us are not cut off; that comes back to our table entry, which
// must not observe again: `expected_entry` names the entry point that is about to be called from here.
#pragma once

#include <cerrno>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "intercept/exports.hpp"
#include "intercept/process.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::intercept {

using hsa::EntryPoint;
using hsa::HsaApi;
using replay::Replayer;

class HookScope {
 public:
  explicit HookScope(EntryPoint entry)
      : entry_(entry),
        from_table_(replay::t_state.from_table),
        outer_expected_(replay::t_state.expected_entry) {
    replay::t_state.from_table = false;
  }
  ~HookScope() { replay::t_state.expected_entry = outer_expected_; }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;

  /// The functions to call on with. Ask for it right where the call is made.
  const HsaApi& next() const {
    KR_CHECK_UNLOCKED();
    if (from_table_) return *process::g_table.load(std::memory_order_acquire);
    replay::t_state.expected_entry = static_cast<uint16_t>(static_cast<uint16_t>(entry_) + 1);
    return process::real();
  }

  /// Runs `body(Replayer&)` unless replay is off here or the call is our own. Keeps errno; what it throws
  /// turns replay off and goes no further. The thread counts as ours inside it only.
  template <typename Body>
  void observe(Body&& body) const noexcept {
    if (replay::t_state.ours != 0) return;
    const int saved = errno;
    run<replay::OursScope>(process::replayer(), body);
    errno = saved;
  }

  /// observe() for what a program does with every launch: the body reaches no cancellation point, so the
  /// thread need not be guarded against cancellation.
  template <typename Body>
  void observe_short(Body&& body) const noexcept {
    if (replay::t_state.ours != 0) return;
    const int saved = errno;
    run<replay::OursMark>(process::replayer(), body);
    errno = saved;
  }

  /// observe() for calls that take something away: also when replay is over, while windows that began before
  /// are open.
  template <typename Body>
  void observe_release(Body&& body) const noexcept {
    if (replay::t_state.ours != 0) return;
    const int saved = errno;
    Replayer* replayer = process::replayer();
    run<replay::OursScope>(replayer != nullptr ? replayer : process::replayer_with_windows(), body);
    errno = saved;
  }

 private:
  template <typename Scope, typename Body>
  void run(Replayer* replayer, Body&& body) const noexcept {
    if (replayer == nullptr) return;
    const Scope ours;
    try {
      body(*replayer);
    } catch (...) {
      process::turn_off(hsa::name_of(entry_), "an internal error (probably out of memory)");
    }
  }

  const EntryPoint entry_;
  const bool from_table_;
  const uint16_t outer_expected_;
};

/// `KR_SCOPE(fn)` opens the scope of hook fn under the name `hook`.
#define KR_SCOPE(fn) const ::kreplay::intercept::HookScope hook(::kreplay::hsa::EntryPoint::fn)

}  // namespace kreplay::intercept
