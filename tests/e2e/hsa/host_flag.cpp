// A kernel that waits for a host flag which the program sets only after the submit has returned: legal, and a
// deadlock for any tool that waits inside the submit without bound.
// e2e-candidates: ^wait_for_host 2
// e2e-env-replayed: KREPLAY_PASS_TIMEOUT=0.5
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("host_flag");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  unsigned* x = e2e::to_device(agents, std::vector<unsigned>{100});
  auto* flag = e2e::allocate<unsigned>(agents, agents.host, 1);
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel wait_for_host = code.kernel("wait_for_host");
    e2e::Queue queue(agents);
    for (unsigned launch = 1; launch <= 2; ++launch) {
      const hsa_signal_t done = e2e::make_signal(1);
      __atomic_store_n(flag, 0u, __ATOMIC_RELEASE);
      queue.dispatch(wait_for_host, 64, 64, done, flag, x);
      checks.value("running", static_cast<long long>(hsa_signal_load_scacquire(done)), 1ll);
      __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
      e2e::wait_below(done, 1, "the kernel after its flag");
      checks.value("value", static_cast<long long>(hsa_signal_load_scacquire(done)), 0ll);
      HSA_OK(hsa_signal_destroy(done));
      checks.value("result", e2e::from_device(agents, x, 1)[0], 100u + launch);
    }
  }
  HSA_OK(hsa_amd_memory_pool_free(x));
  HSA_OK(hsa_amd_memory_pool_free(flag));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
