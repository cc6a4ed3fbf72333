// C09: counters in pinned host memory, in fine-grained memory, and in ordinary pages that were locked: one
// more per launch, whatever the number of passes; what the host wrote meanwhile stays.
//
// e2e-candidates: ^bump_indexed 8
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C09_host_memory");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  unsigned* index = e2e::to_device(agents, std::vector<unsigned>{0});
  auto* pinned = e2e::allocate<unsigned>(agents, agents.host, 64);
  std::memset(pinned, 0, 64 * sizeof(unsigned));
  std::vector<unsigned> heap(4096, 0);
  void* locked = nullptr;
  HSA_OK(hsa_amd_memory_lock(heap.data(), heap.size() * sizeof(unsigned),
                             const_cast<hsa_agent_t*>(&agents.gpu), 1, &locked));
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel bump = code.kernel("bump_indexed");
    e2e::Queue queue(agents);
    const hsa_signal_t done = e2e::make_signal(1);
    for (unsigned launch = 1; launch <= 4; ++launch) {
      pinned[1] = heap[1] = launch * 10;  // beside the counters
      hsa_signal_store_relaxed(done, 2);
      queue.dispatch(bump, 64, 64, done, pinned, index);
      queue.dispatch(bump, 64, 64, done, static_cast<unsigned*>(locked), index);
      e2e::wait_below(done, 1, "both");
      checks.value("pinned", pinned[0], launch);
      checks.value("locked", heap[0], launch);
      checks.value("beside_pinned", pinned[1], launch * 10);
      checks.value("beside_locked", heap[1], launch * 10);
    }
    HSA_OK(hsa_signal_destroy(done));
  }
  HSA_OK(hsa_amd_memory_unlock(heap.data()));
  HSA_OK(hsa_amd_memory_pool_free(pinned));
  HSA_OK(hsa_amd_memory_pool_free(index));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
