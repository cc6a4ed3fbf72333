// A program that handles memory faults itself: told once, with the address, and at once, also when the
// kernel that faults is being replayed: nothing waits for passes that cannot end.
// e2e-replayed: ^in_place 1
// e2e-candidates: ^in_place 3
// e2e-env-replayed: KREPLAY_PASS_TIMEOUT=1000000
// e2e-env-replayed: KREPLAY_DRAIN_TIMEOUT=1000000
#include <atomic>
#include <chrono>
#include <thread>

#include "support/hsa_check.hpp"

namespace {

struct Faults {
  std::atomic<unsigned> count{0};
  uint64_t agent = 0, address = 0;
};

hsa_status_t on_event(const hsa_amd_event_t* event, void* data) {
  auto& faults = *static_cast<Faults*>(data);
  if (event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT) {
    faults.agent = event->memory_fault.agent.handle;
    faults.address = event->memory_fault.virtual_address;
    faults.count.fetch_add(1);
  }
  return HSA_STATUS_SUCCESS;  // handled: the runtime does not abort
}

}  // namespace

int main() {
  e2e::Checks checks("memory_fault");
  HSA_OK(hsa_init());
  static Faults faults;
  HSA_OK(hsa_amd_register_system_event_handler(on_event, &faults));
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 401);
  const auto y = e2e::random_values<unsigned>(count, 402);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  const e2e::CodeObject code(agents);
  const e2e::Kernel in_place = code.kernel("in_place");
  static e2e::Queue queue(agents);
  static e2e::Queue other(agents);

  queue.dispatch(in_place, count, 64, hsa_signal_t{0}, dev_x, dev_y, count);
  queue.drain();
  e2e::in_place_host(x, y);
  checks.equal("before", e2e::from_device(agents, dev_x, count), x);

  queue.dispatch(in_place, count, 64, hsa_signal_t{0}, reinterpret_cast<unsigned*>(0x5000), dev_y, count);
  for (int look = 0; look < 60'000 && faults.count == 0; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  checks.value("faults", faults.count.load(), 1u);
  checks.value("address", faults.address, uint64_t{0x5000});
  checks.that("agent", faults.agent == agents.gpu.handle);
  // Nobody waits for the queue that stopped, on whichever queue the next dispatch comes.
  other.dispatch(in_place, count, 64, hsa_signal_t{0}, dev_x, dev_y, count);
  checks.value("once", faults.count.load(), 1u);
  queue.abandon();
  other.abandon();
  std::exit(checks.finish());  // as it is: what to free of a GPU in this state is up to the runtime
}
