// Completion signals with initial values above 1 and below, shared by several dispatches and queues: each
// dispatch takes exactly one off, and the handlers and waiters see no value in between.
// e2e-replayed: ^in_place 14
#include <atomic>
#include <thread>

#include "support/hsa_check.hpp"

namespace {

struct Handler {
  std::atomic<int> calls{0};
  std::atomic<long long> last{-1};
};

bool on_signal(hsa_signal_value_t value, void* data) {
  auto& handler = *static_cast<Handler*>(data);
  handler.last = value;
  handler.calls.fetch_add(1);
  return false;  // once
}

}  // namespace

int main() {
  e2e::Checks checks("signal_values");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 500;
  auto x = e2e::random_values<unsigned>(count, 311);
  const auto y = e2e::random_values<unsigned>(count, 312);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel in_place = code.kernel("in_place");
    e2e::Queue queue(agents);
    e2e::Queue other(agents);
    HSA_OK(hsa_amd_profiling_set_profiler_enabled(queue.get(), 1));
    const auto run = [&](e2e::Queue& on, hsa_signal_t done) {
      on.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
      e2e::in_place_host(x, y);
    };

    // 5, two dispatches: 3, never below.
    const hsa_signal_t five = e2e::make_signal(5);
    run(queue, five);
    run(queue, five);
    e2e::wait_below(five, 4, "the second dispatch");
    queue.drain();
    checks.value("five_minus_two", static_cast<long long>(hsa_signal_load_scacquire(five)), 3ll);

    // One signal for six dispatches; a waiter on "equal 0" and a handler on "below 2".
    const hsa_signal_t six = e2e::make_signal(6);
    Handler handler;
    HSA_OK(hsa_amd_signal_async_handler(six, HSA_SIGNAL_CONDITION_LT, 2, on_signal, &handler));
    std::atomic<bool> woke{false};
    std::thread waiter([&] {
      e2e::wait_below(six, 1, "the last of six");
      woke = true;
    });
    for (int k = 0; k < 6; ++k) {
      run(queue, six);
    }
    waiter.join();
    checks.that("waiter_woke", woke.load());
    checks.value("six_minus_six", static_cast<long long>(hsa_signal_load_scacquire(six)), 0ll);

    // Shared by two queues, in turns, so that the result does not depend on their order.
    const hsa_signal_t both = e2e::make_signal(4);
    for (int k = 0; k < 2; ++k) {
      run(queue, both);
      queue.drain();
      run(other, both);
      other.drain();
    }
    checks.value("shared_by_two_queues", static_cast<long long>(hsa_signal_load_scacquire(both)), 0ll);

    // From 1, and from 0 to -1.
    const hsa_signal_t plain = e2e::make_signal(1);
    run(queue, plain);
    e2e::wait_below(plain, 1, "a dispatch");
    hsa_amd_profiling_dispatch_time_t time{};
    HSA_OK(hsa_amd_profiling_get_dispatch_time(agents.gpu, plain, &time));
    checks.that("times", time.start != 0 && time.end > time.start);
    const hsa_signal_t zero = e2e::make_signal(0);
    run(queue, zero);
    queue.drain();
    checks.value("zero_minus_one", static_cast<long long>(hsa_signal_load_scacquire(zero)), -1ll);

    // The handler ran by now or is about to: its thread also serves this signal, after it.
    Handler fence;
    const hsa_signal_t end = e2e::make_signal(1);
    HSA_OK(hsa_amd_signal_async_handler(end, HSA_SIGNAL_CONDITION_EQ, 0, on_signal, &fence));
    hsa_signal_subtract_screlease(end, 1);
    for (int k = 0; k < 60'000 && (fence.calls == 0 || handler.calls == 0); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    checks.value("handler_calls", handler.calls.load(), 1);
    checks.that("handler_value", handler.last == 1 || handler.last == 0);

    checks.equal("in_place", e2e::from_device(agents, dev_x, count), x);
    for (const hsa_signal_t signal : {five, six, both, plain, zero, end}) {
      HSA_OK(hsa_signal_destroy(signal));
    }
  }
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
