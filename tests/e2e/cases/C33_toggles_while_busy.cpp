// C33: a tool starts and stops its context ten thousand times, from a thread of its own and from its
// callbacks, and every replay toggles it for the thread, while four queues are busy with kernels and
// barriers. No packet is lost or doubled, no signal stays up, nothing hangs. Without the library the same
// work is done alone.
//
// e2e-replayed: ^append 1
#include <atomic>
#include <thread>

#include "stress/producer.hpp"
#include "support/stack/stack.hpp"

namespace {

constexpr unsigned kThreads = 4;
constexpr unsigned kRounds = 40;  ///< of four dispatches per thread
constexpr unsigned kDispatches = 4 * kRounds;
constexpr unsigned kToggles = 10'000;

std::atomic<unsigned> g_done{0};
std::atomic<unsigned> g_refused{0};

uint64_t three(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) { return 3; }

void toggle(const stack::Tool& tool, bool start) {
  const auto status = start ? tool.start_context(tool.context) : tool.stop_context(tool.context);
  // What another thread has stopped already is not found.
  const bool stopped = !start && status == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (status != ROCPROFILER_STATUS_SUCCESS && !stopped) ++g_refused;
}

void on_callback(const stack::Tool& tool, const stack::Record& record, stack::Payload& payload) {
  const bool config = record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG;
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  if (config) {
    payload.replay_pass_count = three;
    if (payload.dispatch_info.dispatch_id % 5 != 0) return;
    toggle(tool, false);
    toggle(tool, true);
    return;
  }
  // If it was active when the loop began, the loop may switch it for itself, whatever others do meanwhile.
  const auto stopped = payload.replay_stop_context(tool.context);
  const auto started = payload.replay_start_context(tool.context);
  if (stopped != started ||
      (stopped != ROCPROFILER_STATUS_SUCCESS && stopped != ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED))
    ++g_refused;
}

/// Alone, with a barrier behind it, between barriers that wait for it, two at once.
void work(stress::SharedQueue& queue, const e2e::Kernel& append, unsigned* log, hsa_signal_t all) {
  using Packet = stress::SharedQueue::Packet;
  const hsa_signal_t first = e2e::make_signal(1);
  const hsa_signal_t last = e2e::make_signal(1);
  unsigned value = 0;
  const auto next = [&](hsa_signal_t done) { return Packet::dispatch(append, 64, done, log, ++value); };
  for (unsigned round = 0; round < kRounds; ++round) {
    hsa_signal_store_relaxed(first, 1);
    hsa_signal_store_relaxed(last, 1);
    queue.submit({next(all)});
    queue.submit({next(first)});
    queue.submit({Packet::barrier(first, {})});
    queue.submit({next(all), next(all)});
    queue.submit({Packet::barrier({}, last)});
    e2e::wait_below(last, 1, "a round");
    g_done += 4;
    hsa_signal_subtract_screlease(all, 1 - hsa_signal_load_scacquire(first));
  }
  HSA_OK(hsa_signal_destroy(first));
  HSA_OK(hsa_signal_destroy(last));
}

}  // namespace

int main() {
  e2e::Checks checks("C33_toggles_while_busy");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  stack::Tool* tool = stack::find_tool();
  if (tool != nullptr)
    tool->on_callback = [tool](stack::Record record, stack::Payload& payload, rocprofiler_user_data_t*) {
      on_callback(*tool, record, payload);
    };
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel append = code.kernel("append");
    std::vector<std::unique_ptr<stress::SharedQueue>> queues;
    std::vector<unsigned*> logs;
    std::vector<hsa_signal_t> signals;
    for (unsigned t = 0; t < kThreads; ++t) {
      queues.push_back(std::make_unique<stress::SharedQueue>(agents));
      logs.push_back(e2e::to_device(agents, std::vector<unsigned>(1'024, 0)));
      signals.push_back(e2e::make_signal(kDispatches));
    }
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] { work(*queues[t], append, logs[t], signals[t]); });
    if (tool != nullptr)
      threads.emplace_back([&] {  // as often as the work goes on, and to the end when it is over
        unsigned seen = 0;
        for (unsigned n = 0; n < kToggles; ++n) {
          toggle(*tool, n % 2 == 0);
          if (n % 17 != 0) continue;  // started the first time, then stopped and started in turn
          while (g_done == seen && seen != kThreads * kDispatches) std::this_thread::yield();
          seen = g_done;
        }
      });
    for (std::thread& thread : threads) thread.join();
    std::vector<unsigned> want(1'024, 0);
    want[0] = kDispatches;
    for (unsigned value = 1; value <= kDispatches; ++value) want[value] = value;
    for (unsigned t = 0; t < kThreads; ++t) {
      checks.equal("log", e2e::from_device(agents, logs[t], 1'024), want);
      checks.value("signal", static_cast<long long>(hsa_signal_load_scacquire(signals[t])), 0ll);
      HSA_OK(hsa_signal_destroy(signals[t]));
      HSA_OK(hsa_amd_memory_pool_free(logs[t]));
    }
  }
  checks.value("refused", g_refused.load(), 0u);
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
