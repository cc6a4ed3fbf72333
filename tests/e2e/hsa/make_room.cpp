// Memory that is used up after a kernel was replayed: the program gets as much as it would get alone, what is
// free is told as it would be, and work goes on when memory is there again. e2e-replayed: ^in_place 4
#include "support/hsa_check.hpp"

namespace {

constexpr size_t kMiB = size_t{1} << 20;
/// HSA_AMD_AGENT_INFO_MEMORY_AVAIL, which runtime 5.2 does not know.
constexpr auto kAvailable = static_cast<hsa_agent_info_t>(0xA015);

/// In units of 64 MiB; what queues and code take is less. 0: the runtime does not tell.
unsigned long long available(const e2e::Agents& agents) {
  uint64_t bytes = 0;
  if (hsa_agent_get_info(agents.gpu, kAvailable, &bytes) != HSA_STATUS_SUCCESS) return 0;
  return bytes / (64 * kMiB);
}

}  // namespace

int main() {
  e2e::Checks checks("make_room");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 81);
  const auto y = e2e::random_values<unsigned>(count, 82);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  void* ballast = nullptr;  // so that a second copy is seen in what is available
  HSA_OK(hsa_amd_memory_pool_allocate(agents.device, 72 * kMiB, 0, &ballast));
  const e2e::CodeObject code(agents);
  e2e::Queue queue(agents);
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned launch = 0; launch < 2; ++launch) {
      queue.dispatch(code.kernel("in_place"), count, 64, {}, dev_x, dev_y, count);
      e2e::in_place_host(x, y);
    }
    queue.drain();
    checks.equal("in_place", e2e::from_device(agents, dev_x, count), x);
    std::printf("available %llu\n", available(agents));
    std::vector<void*> blocks;
    for (size_t size = 1024 * kMiB; size >= 64 * kMiB; size /= 2)
      for (void* block = nullptr;
           hsa_amd_memory_pool_allocate(agents.device, size, 0, &block) == HSA_STATUS_SUCCESS;)
        blocks.push_back(block);
    std::printf("blocks %zu, available %llu\n", blocks.size(), available(agents));
    checks.that("there_was_memory", !blocks.empty());
    for (void* block : blocks) HSA_OK(hsa_amd_memory_pool_free(block));
  }
  for (void* block : {static_cast<void*>(dev_x), static_cast<void*>(dev_y), ballast})
    HSA_OK(hsa_amd_memory_pool_free(block));
  return checks.finish();
}
