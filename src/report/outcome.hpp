// Outcome records: every candidate dispatch leaves exactly one. The enumerations and their spelling are the
// result schema (docs/results.md); adding a value bumps kSchemaVersion.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kreplay::report {

constexpr unsigned kSchemaVersion = 1;

enum class Outcome : uint8_t {
  replayed,   ///< all passes ran
  stopped,    ///< began, ended early for `reason`; the application keeps the last executed pass
  declined,   ///< ran once, `reason` says why
  opted_out,  ///< the tool asked for one pass
};

enum class Reason : uint8_t {
  none,
  multi_packet,
  graph,
  budget,
  no_backing,
  snapshot_failed,
  dependency,
  queue_drain,
  agent_drain,
  cooperative,
  host_write,
  host_services,
  peer_write,
  stray,
  collective,
  reentrant,
  bypassed,
  unsupported_packet,
  learned,
  pass_timeout,
  queue_error,
  callback_timeout,
  filtered,
  cache_flush,       ///< the caches could not be flushed although that was asked for
  runtime_internal,  ///< fill and copy kernels of HIP and the runtime, left out by default
  count
};

const char* name_of(Outcome outcome);
const char* name_of(Reason reason);

/// Why a replayed dispatch got no further pass.
enum class PassesEnd : uint8_t {
  none,        ///< it was not replayed to its end
  count,       ///< as many as asked for
  converged,   ///< the median is known well enough
  max_passes,  ///< the limit of an open-ended number of passes
  max_time,    ///< the limit of their time
  tool,        ///< the tool said so
};
const char* name_of(PassesEnd end);

constexpr uint64_t kUnknownError = UINT64_MAX;

/// What the compiler made of a kernel: facts that do not depend on the run, so two runs can be compared
/// without noise. Counts are those of the code object's metadata.
struct KernelResources {
  uint32_t vgprs = 0;  ///< per work-item; on gfx90a and later AGPRs are part of it
  uint32_t agprs = 0;
  uint32_t sgprs = 0;  ///< per wavefront
  uint32_t vgpr_spills = 0;
  uint32_t sgpr_spills = 0;
  uint32_t lds_bytes = 0;      ///< fixed, per workgroup
  uint32_t scratch_bytes = 0;  ///< fixed, per work-item
  uint32_t kernarg_bytes = 0;
  uint64_t code_hash = 0;         ///< FNV-1a of the kernel's instructions; 0 when they were not found
  uint64_t code_object_hash = 0;  ///< FNV-1a of the whole code object
  uint64_t code_bytes = 0;        ///< length of the kernel's instructions; 0 when they were not found
};

/// A kernel, interned once per code object. Names are stable for the life of the process.
struct KernelInfo {
  uint64_t kernel_id = 0;
  std::string_view symbol;                   ///< mangled, without ".kd"
  std::string_view demangled;                ///< as the filters see it
  std::optional<KernelResources> resources;  ///< absent when the code object has no metadata for it
};

/// Times of one executed pass, ns on the system clock (hsa_amd_profiling_get_dispatch_time's domain).
struct PassTime {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
};

struct DispatchRecord {
  uint64_t dispatch_id = 0;
  const KernelInfo* kernel = nullptr;  ///< null when the kernel object is unknown
  uint64_t launch = 0;                 ///< ordinal of this launch per kernel and agent, from 1
  uint32_t agent_node = 0;             ///< KFD node id
  uint64_t queue_id = 0;               ///< our own id, never reused
  uint64_t thread_id = 0;
  uint64_t correlation_id = 0;
  uint32_t grid[3] = {};       ///< work-items
  uint32_t workgroup[3] = {};  ///< work-items
  uint32_t lds_bytes = 0;      ///< per workgroup, dynamic part included
  Outcome outcome = Outcome::declined;
  Reason reason = Reason::none;
  std::string_view detail;  ///< one sentence, may be empty; valid during the call that writes the record
  std::string_view tier;    ///< "T1" (device), "T3" (host), "T1+T3"; empty when nothing was saved
  uint64_t passes_requested = 0;
  const PassTime* passes = nullptr;  ///< [passes_run]; valid during the call
  uint64_t passes_run = 0;
  uint64_t warmup = 0;  ///< how many of the first passes are not to be counted; at most passes_run
  PassesEnd passes_end = PassesEnd::none;
  uint64_t relative_error_ppm =
      kUnknownError;  ///< of the median, in millionths; kUnknownError: was not looked at
  uint64_t extents = 0;
  uint64_t bytes_saved = 0;
  uint64_t bytes_restored = 0;
  uint64_t bytes_link = 0;  ///< of both: what crossed the link between host and device
  uint64_t save_ns = 0;
  uint64_t restore_ns = 0;
  uint64_t window_ns = 0;            ///< gate closed to gate open
  uint64_t unverified_bytes = 0;     ///< host and managed memory the agent can write that was not checked:
                                     ///< docs/results.md
  std::string_view cache = "as_is";  ///< what was done to the caches before each pass: "as_is" is nothing
  /// Call stack of the launch, innermost first, one frame a line; empty unless KREPLAY_BACKTRACE=1.
  std::string_view launch_site;
};

}  // namespace kreplay::report
