// A kernel from a code object: dispatches, a module variable by its symbol, unload and load again.
// e2e-replayed: ^in_place 6
// e2e-replayed: ^count_up 6
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("code_object");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 1'000;
  auto x = e2e::random_values<unsigned>(count, 301);
  const auto y = e2e::random_values<unsigned>(count, 302);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  {
    e2e::Queue queue(agents);
    for (int load = 0; load < 2; ++load) {
      const e2e::CodeObject code(agents);
      const e2e::Kernel in_place = code.kernel("in_place");
      const e2e::Kernel count_up = code.kernel("count_up");
      const hsa_signal_t done = e2e::make_signal(1);
      for (unsigned launch = 1; launch <= 3; ++launch) {
        hsa_signal_store_relaxed(done, 1);
        queue.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
        e2e::wait_below(done, 1, "in_place");
        e2e::in_place_host(x, y);
        queue.dispatch(count_up, 64, 64, {}, launch);
      }
      queue.drain();
      checks.equal("in_place", e2e::from_device(agents, dev_x, count), x);
      const auto* counter = static_cast<const unsigned*>(code.variable("counter"));
      checks.value("counter", e2e::from_device(agents, counter, 1)[0], 64u * 6u);
      HSA_OK(hsa_signal_destroy(done));
    }
  }
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
