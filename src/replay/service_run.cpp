#include "replay/service_run.hpp"

#include <chrono>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "replay/agent.hpp"
#include "replay/completion.hpp"
#include "replay/core.hpp"
#include "replay/thread_state.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {
namespace {

using hsa::Packet;

constexpr uint32_t kBarrierBit = 1u << HSA_PACKET_HEADER_BARRIER;
/// Vendor packets of services flush for themselves: no fences.
constexpr uint32_t kVendorHeader = uint32_t{HSA_PACKET_TYPE_VENDOR_SPECIFIC} << HSA_PACKET_HEADER_TYPE;

Packet with_header(const Packet& packet, uint32_t header, hsa_signal_t signal) {
  Packet out = packet;
  out.word[0] = (packet.word[0] & 0xffff0000u) | header;
  hsa::set_completion_signal(out, signal);
  return out;
}

report::PassTime time_of(const hsa::HsaApi& api, hsa_agent_t agent, hsa_signal_t signal) {
  hsa_amd_profiling_dispatch_time_t time = {};
  if (api.hsa_amd_profiling_get_dispatch_time(agent, signal, &time) != HSA_STATUS_SUCCESS) return {};
  return {time.start, time.end};
}

/// A kernel on its way, outside of a window.
struct Followed {
  Core* core;
  Agent* agent;
  hsa_signal_t application;
  hsa_signal_t ours;
  std::shared_ptr<tool_api::KernelRun> run;

  static bool finished(hsa_signal_value_t, void* data) {
    const OursScope ours_scope;
    const std::unique_ptr<Followed> self(static_cast<Followed*>(data));
    // Before the application goes on: what it flushes then must hold this run.
    self->run->completed(time_of(self->core->api, self->agent->handle(), self->ours));
    complete_now(*self->core, self->application, self->ours);
    self->agent->signals.release(self->ours);
    return false;  // once
  }
};

tool_api::KernelLaunch launch_of(Core& core, Agent& agent, const tool_api::ReplayCall& call) {
  tool_api::KernelLaunch launch;
  launch.memory = &agent.packet_memory(core.api);
  launch.info = call.info;
  launch.thread_id = call.thread_id;
  launch.correlation = call.correlation;
  return launch;
}

}  // namespace

std::shared_ptr<tool_api::KernelRun> begin_run(Core& core, Agent& agent, const tool_api::ReplayCall& call,
                                               const tool_api::ReplayCall* pass_of) {
  if (!tool_api::kernel_services_listen()) return nullptr;
  tool_api::KernelServices* services = tool_api::kernel_services();
  if (services == nullptr) return nullptr;
  const TheirsScope theirs;
  return services->begin(launch_of(core, agent, call), pass_of);
}

std::shared_ptr<tool_api::KernelRun> begin_run(Core& core, Window& window, const tool_api::ReplayCall& call) {
  if (!tool_api::kernel_services_listen()) return nullptr;
  const Window::CallbackScope scope(window);
  return begin_run(core, window.agent(), call, &call);
}

bool follow(Core& core, Agent& agent, Packet& packet, const std::shared_ptr<tool_api::KernelRun>& run) {
  const Result<hsa_signal_t> signal = agent.signals.acquire();
  if (!signal) return false;
  const hsa_signal_t ours = *signal;
  core.api.hsa_signal_store_relaxed(ours, 1);
  std::unique_ptr<Followed> followed(new (std::nothrow)
                                         Followed{&core, &agent, hsa::completion_signal(packet), ours, run});
  if (!followed ||
      core.api.hsa_amd_signal_async_handler(ours, HSA_SIGNAL_CONDITION_LT, 1, &Followed::finished,
                                            followed.get()) != HSA_STATUS_SUCCESS) {
    agent.signals.release(ours);
    return false;
  }
  (void)followed.release();
  hsa::set_completion_signal(packet, ours);
  return true;
}

ServiceRun::ServiceRun(Core& core, Window& window, std::shared_ptr<tool_api::KernelRun> run)
    : core_(core), window_(window), agent_(window.agent()), queue_(window.queue()), run_(std::move(run)) {
  if (!run_ || run_->after().empty()) return;
  const uint64_t packets = run_->before().size() + 1 + run_->after().size();
  const Result<hsa_signal_t> signal = agent_.signals.acquire();
  if (signal && packets <= queue_.ring.size()) {
    last_ = *signal;
    return;
  }
  log::warn("services",
            "queue {} of {} packets: a kernel and the {} packets around it cannot be submitted; it "
            "runs without counters",
            queue_.id(), queue_.ring.size(), packets - 1);
  if (signal) agent_.signals.release(*signal);
  run_->leave_packets_out();
}

ServiceRun::~ServiceRun() {
  if (last_.handle == 0) return;
  try {
    agent_.signals.abandon(last_);
  } catch (...) {  // out of memory: then it is lost
  }
}

void ServiceRun::submit(const Packet& kernel, bool applications) {
  Packet packet = kernel;
  const uint64_t around = run_ ? run_->before().size() + run_->after().size() : 0;
  core_.watch_carriers(queue_, 1 + around);
  if (last_.handle != 0) core_.api.hsa_signal_store_relaxed(last_, 1);
  if (around != 0) {
    for (const Packet& before : run_->before()) queue_.submit_extra(with_header(before, kVendorHeader, {0}));
    packet.word[0] |= kBarrierBit;
  }
  if (applications)
    queue_.ring.submit(packet);
  else
    queue_.submit_extra(packet);
  if (around == 0) return;
  const auto after = run_->after();
  for (size_t i = 0; i < after.size(); ++i)
    queue_.submit_extra(
        with_header(after[i], kVendorHeader | kBarrierBit, i + 1 == after.size() ? last_ : hsa_signal_t{0}));
}

void ServiceRun::enqueued() {
  if (!run_) return;
  const Window::CallbackScope scope(window_);
  run_->enqueued();
}

void ServiceRun::completed(const std::vector<report::PassTime>& times) {
  if (last_.handle != 0) agent_.signals.release(std::exchange(last_, {0}));
  if (!run_) return;
  const Window::CallbackScope scope(window_);
  run_->completed(times.empty() ? report::PassTime{} : times.back());
  const std::chrono::nanoseconds limit(core_.options.drain_timeout_ns);
  if (!run_->wait_delivered(limit))
    log::warn("services",
              "a tool did not take the records of a pass within {} ms; the replay goes on without "
              "waiting for it",
              core_.options.drain_timeout_ns / 1'000'000);
}

}  // namespace kreplay::replay
