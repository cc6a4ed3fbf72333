// The passes over recorded work inside an open window: save, then { PASS ENTER, submit, wait, PASS EXIT, go
// on?, put back }, then CONFIG EXIT and the application's completion. Never a restore after the last executed
// pass.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hsa/aql.hpp"
#include "replay/core.hpp"
#include "replay/dispatch.hpp"
#include "replay/host_services.hpp"
#include "replay/window.hpp"
#include "report/outcome.hpp"
#include "tool_api/replay_tool.hpp"
#include "tool_api/services/kernel_run.hpp"

namespace kreplay::replay {

class CompletionGuard;
class ServiceRun;

/// Lives on the stack of the window's owner, shorter than the window.
class PassLoop {
 public:
  /// @param dispatch looks at its arguments again, now that everything ahead of it has ended
  PassLoop(Core& core, Window& window, Dispatch& dispatch)
      : core_(core),
        window_(window),
        agent_(window.agent()),
        queue_(window.queue()),
        kernel_(window.kernel()),
        dispatch_(dispatch),
        packet_(dispatch.packet) {}
  PassLoop(const PassLoop&) = delete;
  PassLoop& operator=(const PassLoop&) = delete;

  /// Saves memory and flushes caches. @return none, or why there can be no pass; then nothing is held
  report::Reason save(std::string& detail);
  /// The passes, CONFIG EXIT, and the application's completion signal. Fills the record.
  void run(tool_api::ReplayTool& tool, tool_api::ReplayCall& call, const tool_api::PassPlan& plan,
           report::DispatchRecord& record, std::string& detail);
  /// One run without a replay, nothing saved, and the application's completion signal.
  void run_once(std::shared_ptr<tool_api::KernelRun> run, std::string& detail);

 private:
  enum class PassEnd { done, handed_over, failed };

  report::Reason cover_arguments(std::string& detail);
  void watch_host();
  bool flush_caches(std::string& detail);
  PassEnd run_passes(CompletionGuard& guard, tool_api::ReplayTool& tool, tool_api::ReplayCall& call,
                     const tool_api::PassPlan& plan, report::DispatchRecord& record, std::string& detail);
  PassEnd run_pass(CompletionGuard& guard, ServiceRun& services, uint64_t pass, std::string& detail);
  bool first_pass_allows_more(const HostServices& services, report::DispatchRecord& record,
                              std::string& detail);
  bool put_back_host(uint64_t next_pass, report::DispatchRecord& record, std::string& detail);
  [[noreturn]] void fail_restore(const report::DispatchRecord& record, uint64_t pass, const std::string& why);
  bool put_back(CompletionGuard& guard, uint64_t next_pass, report::DispatchRecord& record,
                std::string& detail);
  void remember_times();
  void fill(report::DispatchRecord& record, const tool_api::ReplayCall& call);
  void end(PassEnd end, std::string& detail);
  void hand_over(hsa_signal_t application, std::string& detail);

  Core& core_;
  Window& window_;
  Agent& agent_;
  Queue& queue_;
  Kernel* kernel_;
  Dispatch& dispatch_;
  const hsa::Packet& packet_;
  bool caches_flushed_ = true;
};

}  // namespace kreplay::replay
