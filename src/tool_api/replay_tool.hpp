// What a replay window asks of whoever decides: a tool library behind the ROCprofiler-SDK interface, or the
// built-in timing tool. All calls of one candidate come on the submitting thread, in the order
//   wants -> config_enter -> (pass_enter -> pass_exit -> continue_after)* -> config_exit
// with no lock held. Nothing here throws, and nothing here allocates in the steady state.
// Contract: docs/tool-contract.md (statements K1..K28).
#pragma once

#include <cstdint>
#include <span>

#include "report/outcome.hpp"
#include "rocprofiler-sdk/rocprofiler.h"

namespace kreplay::tool_api {

enum class PassMode : uint8_t {
  once,           ///< no replay: CONFIG EXIT follows at once
  fixed,          ///< `passes` executions, fewer if the tool stops early
  until_stopped,  ///< indefinite: goes on until the tool stops
};

struct PassPlan {
  PassMode mode = PassMode::once;
  uint64_t passes = 1;
};

/// Most contexts of one process; rocprofiler_create_context fails beyond it.
constexpr unsigned kMaxContexts = 256;

/// A set of contexts by index, copied by value once per replay loop.
struct ContextSet {
  uint64_t words[kMaxContexts / 64] = {};
  bool has(unsigned index) const { return (words[index / 64] >> (index % 64) & 1) != 0; }
  void insert(unsigned index) { words[index / 64] |= uint64_t{1} << (index % 64); }
  void erase(unsigned index) { words[index / 64] &= ~(uint64_t{1} << (index % 64)); }
};

/// What a tool is asked about first. Small: every dispatch makes one.
struct Candidate {
  const report::KernelInfo* kernel = nullptr;  ///< null when the kernel object is unknown
  uint64_t agent = 0;                          ///< hsa_agent_t::handle
  uint32_t agent_index = 0;                    ///< position among the runtime's GPU agents
  // filled by `wants`
  uint64_t launch = 0;  ///< ordinal per kernel and agent, from 1; 0 if the kernel is never wanted
  report::Reason skipped =
      report::Reason::none;  ///< why not wanted: filtered, runtime_internal, none = no subscriber
  const void* subscriber = nullptr;
};

/// One candidate dispatch; lives on the submitting thread's stack from `wants` to `config_exit`.
struct ReplayCall : Candidate {
  // filled by the window before `config_enter`
  rocprofiler_kernel_dispatch_info_t info = {};
  uint64_t thread_id = 0;
  rocprofiler_correlation_id_t correlation = {};
  /// Times of the passes that have run, kept current by the window; valid until the next pass.
  std::span<const report::PassTime> pass_times;
  // for the record, set by a tool that knows
  uint64_t warmup = 0;                                     ///< first passes that do not count
  report::PassesEnd passes_end = report::PassesEnd::none;  ///< why continue_after() said no
  uint64_t relative_error_ppm = report::kUnknownError;
  // owned by the tool side
  uint64_t started_ns = 0;  ///< host clock at CONFIG ENTER
  PassPlan plan;
  rocprofiler_user_data_t config_data = {};
  rocprofiler_user_data_t pass_data = {};
  rocprofiler_kernel_replay_pass_count_cb_t pass_count_cb = nullptr;
  rocprofiler_kernel_replay_continue_cb_t continue_cb = nullptr;       ///< as CONFIG ENTER left it
  rocprofiler_kernel_replay_continue_cb_t pass_continue_cb = nullptr;  ///< as this pass's PASS EXIT left it
  uint64_t subscriber_epoch = 0;
  bool entered = false;     ///< CONFIG ENTER was delivered and CONFIG EXIT is owed
  bool tool_threw = false;  ///< a callback of the tool threw: no further pass
  ContextSet active;        ///< contexts active when the loop began
  ContextSet stopped;       ///< contexts the tool stopped for this loop
};

/// Threads: every method may be called from any number of threads for different calls.
class ReplayTool {
 public:
  virtual ~ReplayTool() = default;
  /// Whether any dispatch could be wanted now. A relaxed load: this is the fast path of every dispatch.
  virtual bool listening() const noexcept = 0;
  /// Whether this dispatch is a candidate. Counts the launch. False: it is forwarded untouched. Calls no code
  /// of a tool library: it runs while others wait for the caller's queue.
  virtual bool wants(Candidate& candidate) noexcept = 0;
  virtual PassPlan config_enter(ReplayCall& call) noexcept = 0;
  virtual void pass_enter(ReplayCall& call, uint64_t pass) noexcept = 0;
  virtual void pass_exit(ReplayCall& call, uint64_t pass) noexcept = 0;
  /// Asked after pass_exit(pass) and before the restore, when another pass could follow.
  virtual bool continue_after(ReplayCall& call, uint64_t pass) noexcept = 0;
  virtual void config_exit(ReplayCall& call) noexcept = 0;
};

}  // namespace kreplay::tool_api
