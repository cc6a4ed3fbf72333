// The library's life inside the application's process, and the only mutable globals it has.
//
//   unknown --first use of an initialised runtime--> active --exit--> closed
//      |                                               |  ^
//      '--switched off, another profiler, no GPU--> passive  '-- runtime shut down: unknown again
//   any --fork--> forked (the child; for ever)
//
// A hook may run in any state, before our constructor and after our atexit handler. In every state a proxy
// stays usable; only the observing stops.
#pragma once

#include <atomic>
#include <cstdint>

#include "hsa/hsa_api.hpp"
#include "replay/replayer.hpp"

namespace kreplay::intercept {

enum class Phase : uint8_t { unknown, active, passive, closed, forked };

namespace process {

extern std::atomic<Phase> g_phase;
/// The live replayer; set only in phase active. Created by start(), never destroyed.
extern std::atomic<replay::Replayer*> g_replayer;
/// The runtime's exported functions. Created by bind(), replaced when the runtime was reopened, never freed.
extern std::atomic<const hsa::HsaApi*> g_real;
/// The originals of the table entries we replaced; members that were not replaced are null. Null: no table.
extern std::atomic<const hsa::HsaApi*> g_table;

/// Looks the runtime up. @param refresh also when it was found before, in case it was closed and reopened
const hsa::HsaApi& bind(bool refresh);
inline const hsa::HsaApi& real() {
  const hsa::HsaApi* api = g_real.load(std::memory_order_acquire);
  return api != nullptr ? *api : bind(false);
}

/// The replayer, started if this is the first use of an initialised runtime; null when there is none.
replay::Replayer* start();
inline replay::Replayer* replayer() {
  switch (g_phase.load(std::memory_order_acquire)) {
    case Phase::active:
      return g_replayer.load(std::memory_order_acquire);
    case Phase::unknown:
      return start();
    default:
      return nullptr;
  }
}
/// The latest replayer while a window of its is open, whatever the phase; null in a fork child.
replay::Replayer* replayer_with_windows();
inline bool forked() { return g_phase.load(std::memory_order_relaxed) == Phase::forked; }

/// Called around the real hsa_init and hsa_shut_down.
void initialised();
void init_failed(hsa_status_t status);
void before_shut_down();
void after_shut_down();
/// The runtime is going away for sure (OnUnload).
void unloading();
/// The runtime's table was patched while it initialised: nothing was missed.
void table_installed();

/// Signal whose bytes proxies use as their doorbell; made on first use. Null handle when it cannot be made.
hsa_signal_t doorbell_model();

/// Says once why and passes everything through from now on. Takes no lock: windows that are open put nothing
/// back any more and end by themselves.
void turn_off(const char* area, const char* why);

}  // namespace process
}  // namespace kreplay::intercept
