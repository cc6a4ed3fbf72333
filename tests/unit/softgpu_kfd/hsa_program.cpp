#include "hsa_program.hpp"

#include <unistd.h>

#include <cstring>

namespace {

hsa_status_t take_agent(hsa_agent_t agent, void* data) {
  auto* machine = static_cast<Machine*>(data);
  hsa_device_type_t type{};
  CHECK_HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_CPU) machine->cpu = agent;
  if (type == HSA_DEVICE_TYPE_GPU) machine->gpus.push_back(agent);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_segment_t segment{};
  uint32_t flags = 0;
  CHECK_HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  CHECK_HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  auto* wanted = static_cast<std::pair<uint32_t, hsa_amd_memory_pool_t>*>(data);
  if ((flags & wanted->first) != 0 && wanted->second.handle == 0) wanted->second = pool;
  return HSA_STATUS_SUCCESS;
}

hsa_amd_memory_pool_t find_pool(hsa_agent_t agent, uint32_t flag) {
  std::pair<uint32_t, hsa_amd_memory_pool_t> wanted{flag, {0}};
  CHECK_HSA(hsa_amd_agent_iterate_memory_pools(agent, take_pool, &wanted));
  CHECK_THAT(wanted.second.handle != 0);
  return wanted.second;
}

struct Part {
  const char* name;
  void (*run)();
};

constexpr Part kParts[] = {
    {"barriers", part_barriers},
    {"ring_wrap", part_ring_wrap},
    {"queue_error", part_queue_error},
    {"async_handler", part_async_handler},
    {"copies", part_copies},
    {"copy_dependencies", part_copy_dependencies},
    {"locked_memory", part_locked_memory},
    {"rect_copy", part_rect_copy},
    {"threads", part_threads},
    {"queue_churn", part_queue_churn},
    {"reinit", part_reinit},
    {"fork", part_fork},
    {"exit_without_shutdown", part_exit_without_shutdown},
    {"two_gpus", part_two_gpus},
    {"private_memory_faults", part_private_memory_faults},
    {"out_of_memory", part_out_of_memory},
    {"idle", part_idle},
    {"killed", part_killed},
};

}  // namespace

Machine start_hsa() {
  CHECK_HSA(hsa_init());
  Machine machine;
  CHECK_HSA(hsa_iterate_agents(take_agent, &machine));
  CHECK_THAT(!machine.gpus.empty());
  machine.system_pool = find_pool(machine.cpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  for (const hsa_agent_t gpu : machine.gpus)
    machine.device_pools.push_back(find_pool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED));
  return machine;
}

hsa_queue_t* make_queue(hsa_agent_t gpu, uint32_t packets,
                        void (*on_error)(hsa_status_t, hsa_queue_t*, void*), void* data) {
  hsa_queue_t* queue = nullptr;
  CHECK_HSA(
      hsa_queue_create(gpu, packets, HSA_QUEUE_TYPE_MULTI, on_error, data, UINT32_MAX, UINT32_MAX, &queue));
  return queue;
}

hsa_signal_t make_signal(hsa_signal_value_t value) {
  hsa_signal_t signal{};
  CHECK_HSA(hsa_signal_create(value, 0, nullptr, &signal));
  return signal;
}

namespace {

/// Seconds on the runtime's clock, for waits that end a program that hangs.
struct Patience {
  static constexpr uint64_t kSeconds = 60;
  uint64_t frequency = 0;
  uint64_t begin = 0;
  Patience() {
    CHECK_HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    CHECK_HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &begin));
  }
  bool over() const {
    uint64_t now = 0;
    CHECK_HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
    return (now - begin) / frequency >= kSeconds;
  }
};

}  // namespace

void wait_done(hsa_signal_t signal) {
  const Patience patience;
  while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, patience.frequency,
                                   HSA_WAIT_STATE_BLOCKED) >= 1) {
    CHECK_THAT(!patience.over());
  }
}

void submit_barrier(hsa_queue_t* queue, hsa_packet_type_t type, const std::vector<hsa_signal_t>& dependencies,
                    hsa_signal_t completion) {
  const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  const Patience patience;
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
    CHECK_THAT(!patience.over());
    usleep(10);
  }
  auto* packet = static_cast<hsa_barrier_and_packet_t*>(queue->base_address) + (index & (queue->size - 1));
  std::memset(reinterpret_cast<char*>(packet) + sizeof packet->header, 0,
              sizeof *packet - sizeof packet->header);
  for (size_t i = 0; i < dependencies.size(); ++i) packet->dep_signal[i] = dependencies[i];
  packet->completion_signal = completion;
  const auto header =
      static_cast<uint16_t>(type | 1 << HSA_PACKET_HEADER_BARRIER |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  __atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

void* allocate(const Machine& machine, hsa_amd_memory_pool_t pool, size_t bytes) {
  void* memory = nullptr;
  CHECK_HSA(hsa_amd_memory_pool_allocate(pool, bytes, 0, &memory));
  CHECK_HSA(hsa_amd_agents_allow_access(static_cast<uint32_t>(machine.gpus.size()), machine.gpus.data(),
                                        nullptr, memory));
  return memory;
}

int main(int argc, char** argv) {
  for (const Part& part : kParts) {
    if (argc == 2 && std::strcmp(argv[1], part.name) == 0) {
      part.run();
      std::printf("%s: ok\n", part.name);
      return 0;
    }
  }
  std::fprintf(stderr, "usage: %s PART, one of:", argv[0]);
  for (const Part& part : kParts) std::fprintf(stderr, " %s", part.name);
  std::fprintf(stderr, "\n");
  return 2;
}
