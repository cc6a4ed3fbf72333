// C26: a persistent kernel on one queue, ordinary ones on another, and a last one that ends the persistent
// kernel. Nothing drains while it runs; the program must end all the same.
//
// e2e-candidates: ^in_place 4
// e2e-env-replayed: KREPLAY_PASS_TIMEOUT=0.3
// e2e-env-replayed: KREPLAY_DRAIN_TIMEOUT=0.3
// e2e-env-replayed: KREPLAY_ON_STUCK_DRAIN=decline
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C26_persistent_kernel");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 261);
  const auto y = e2e::random_values<unsigned>(count, 262);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  unsigned* flag = e2e::to_device(agents, std::vector<unsigned>{0});
  unsigned* ended = e2e::to_device(agents, std::vector<unsigned>{0});
  {
    const e2e::CodeObject code(agents);
    e2e::Queue persistent(agents);
    e2e::Queue queue(agents);
    const hsa_signal_t over = e2e::make_signal(1);
    persistent.dispatch(code.kernel("wait_for_host"), 64, 64, over, flag, ended);
    const hsa_signal_t done = e2e::make_signal(4);
    for (int launch = 0; launch < 4; ++launch) {
      queue.dispatch(code.kernel("in_place"), count, 64, done, dev_x, dev_y, count);
      e2e::in_place_host(x, y);
    }
    queue.dispatch(code.kernel("raise_flag"), 64, 64, {}, flag);
    e2e::wait_below(done, 1, "the ordinary kernels");
    e2e::wait_below(over, 1, "the persistent kernel");
    checks.equal("x", e2e::from_device(agents, dev_x, count), x);
    checks.value("ended", e2e::from_device(agents, ended, 1)[0], 1u);
    HSA_OK(hsa_signal_destroy(over));
    HSA_OK(hsa_signal_destroy(done));
  }
  for (unsigned* data : {dev_x, dev_y, flag, ended}) HSA_OK(hsa_amd_memory_pool_free(data));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
