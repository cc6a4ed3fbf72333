// A packet of an invalid type: the queue's error callback comes once, with the application's queue and data;
// another queue of the same agent goes on working. The packet that failed stands at the queue's read index,
// as it was submitted; so does a dispatch whose kernel traps.
// e2e-replayed: ^in_place 2
#include <atomic>
#include <thread>

#include "support/hsa_check.hpp"

namespace {
struct Error {
  std::atomic<int> calls{0};
  std::atomic<unsigned> status{0};
  std::atomic<hsa_queue_t*> source{nullptr};
  hsa_kernel_dispatch_packet_t packet{};  ///< at the read index
};

void on_error(hsa_status_t status, hsa_queue_t* source, void* data) {
  auto& error = *static_cast<Error*>(data);
  error.status = status;
  error.source = source;
  const uint64_t read = hsa_queue_load_read_index_scacquire(source);
  std::memcpy(&error.packet, static_cast<char*>(source->base_address) + read % source->size * 64, 64);
  error.calls.fetch_add(1);
}

void wait_for(const Error& error) {
  for (int k = 0; k < 60'000 && error.calls == 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
}  // namespace

int main() {
  e2e::Checks checks("queue_error");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 400;
  auto x = e2e::random_values<unsigned>(count, 351);
  const auto y = e2e::random_values<unsigned>(count, 352);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  {
    const e2e::CodeObject code(agents);
    Error error;
    e2e::Queue bad(agents, 256, HSA_QUEUE_TYPE_MULTI, on_error, &error);
    e2e::Queue good(agents);
    const hsa_signal_t done = e2e::make_signal(1);
    bad.dispatch(code.kernel("in_place"), count, 64, done, dev_x, dev_y, count);
    e2e::wait_below(done, 1, "a dispatch before the error");
    e2e::in_place_host(x, y);

    const uint64_t index = bad.reserve();
    std::memset(bad.slot(index), 0, 64);
    e2e::Queue::publish(bad.slot(index), 0x1500 | 0x55, 0);  // no such packet type
    bad.ring(index);
    wait_for(error);
    checks.value("calls", error.calls.load(), 1);
    checks.value("status", error.status.load(),
                 static_cast<unsigned>(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT));
    checks.that("source", error.source == bad.get());
    checks.value("packet_that_failed", unsigned{error.packet.header}, 0x1555u);

    Error trap;
    e2e::Queue trapping(agents, 256, HSA_QUEUE_TYPE_MULTI, on_error, &trap);
    auto* flag = e2e::allocate<unsigned>(agents, agents.host, 1);
    *flag = 1;
    auto* counter = e2e::allocate<unsigned>(agents, agents.device, 1);
    const e2e::Kernel kernel = code.kernel("trap_when");
    const hsa_signal_t never = e2e::make_signal(1);
    trapping.dispatch(kernel, 64, 64, never, flag, counter);
    wait_for(trap);
    checks.value("trap_calls", trap.calls.load(), 1);
    checks.value("header_that_failed", unsigned{trap.packet.header},
                 unsigned{e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH)});
    checks.that("kernel_that_failed", trap.packet.kernel_object == kernel.object);
    checks.that("signal_that_failed", trap.packet.completion_signal.handle == never.handle);
    checks.value("not_completed", static_cast<long long>(hsa_signal_load_scacquire(never)), 1ll);

    hsa_signal_store_relaxed(done, 1);
    good.dispatch(code.kernel("in_place"), count, 64, done, dev_x, dev_y, count);
    e2e::wait_below(done, 1, "a dispatch after the error");
    e2e::in_place_host(x, y);
    checks.equal("in_place", e2e::from_device(agents, dev_x, count), x);
    HSA_OK(hsa_amd_memory_pool_free(flag));
    HSA_OK(hsa_amd_memory_pool_free(counter));
    HSA_OK(hsa_signal_destroy(never));
    HSA_OK(hsa_signal_destroy(done));
  }
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
