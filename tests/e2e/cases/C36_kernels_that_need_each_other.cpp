// C36: two kernels on two GPUs that wait for each other's flag, as collectives do. In one thread the
// second is submitted after the first: whoever waits for the first never submits the second.
//
// e2e-candidates: ^wait_for_host 1
// e2e-candidates: ^raise_flag 1
// e2e-env: KREPLAY_SOFTGPU_GPUS=2
// e2e-env-replayed: KREPLAY_PASS_TIMEOUT=0.3
#include "cases/gpus.hpp"

int main() {
  e2e::Checks checks("C36_kernels_that_need_each_other");
  HSA_OK(hsa_init());
  const std::vector<e2e::Agents> gpus = e2e::find_all_gpus();
  checks.value("gpus", gpus.size(), size_t{2});
  auto* flag = e2e::allocate<unsigned>(gpus[0], gpus[0].host, 1);
  HSA_OK(hsa_amd_agents_allow_access(2, std::vector<hsa_agent_t>{gpus[0].gpu, gpus[1].gpu}.data(), nullptr,
                                     flag));
  unsigned* x = e2e::to_device(gpus[0], std::vector<unsigned>{0});
  {
    const e2e::CodeObject code0(gpus[0]);
    const e2e::CodeObject code1(gpus[1]);
    e2e::Queue queue0(gpus[0]);
    e2e::Queue queue1(gpus[1]);
    for (unsigned round = 1; round <= 2; ++round) {
      __atomic_store_n(flag, 0u, __ATOMIC_RELEASE);
      const hsa_signal_t first = e2e::make_signal(1);
      const hsa_signal_t second = e2e::make_signal(1);
      queue0.dispatch(code0.kernel("wait_for_host"), 64, 64, first, flag, x);
      queue1.dispatch(code1.kernel("raise_flag"), 64, 64, second, flag);
      e2e::wait_below(second, 1, "the kernel that raises the flag");
      e2e::wait_below(first, 1, "the kernel that waits for it");
      checks.value("x", e2e::from_device(gpus[0], x, 1)[0], round);
      HSA_OK(hsa_signal_destroy(first));
      HSA_OK(hsa_signal_destroy(second));
    }
  }
  HSA_OK(hsa_amd_memory_pool_free(x));
  HSA_OK(hsa_amd_memory_pool_free(flag));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
