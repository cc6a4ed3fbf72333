// Parts about memory and copies.
#include <setjmp.h>
#include <signal.h>

#include <cstring>

#include "hsa_program.hpp"

namespace {

constexpr size_t kBig = 3 << 20;

void fill(void* memory, size_t bytes, uint32_t seed) {
  auto* words = static_cast<uint32_t*>(memory);
  for (size_t i = 0; i < bytes / 4; ++i) words[i] = seed + static_cast<uint32_t>(i) * 2654435761u;
}

bool holds(const void* memory, size_t bytes, uint32_t seed) {
  const auto* words = static_cast<const uint32_t*>(memory);
  for (size_t i = 0; i < bytes / 4; ++i) {
    if (words[i] != seed + static_cast<uint32_t>(i) * 2654435761u) return false;
  }
  return true;
}

void copy(const Machine& machine, void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent,
          size_t bytes, const std::vector<hsa_signal_t>& dependencies, hsa_signal_t done) {
  (void)machine;
  CHECK_HSA(hsa_amd_memory_async_copy(to, to_agent, from, from_agent, bytes,
                                      static_cast<uint32_t>(dependencies.size()),
                                      dependencies.empty() ? nullptr : dependencies.data(), done));
}

sigjmp_buf g_after_fault;
volatile sig_atomic_t g_faults = 0;

void on_fault(int) {
  g_faults = g_faults + 1;
  siglongjmp(g_after_fault, 1);
}

}  // namespace

void part_copies() {
  const Machine machine = start_hsa();
  CHECK_HSA(hsa_amd_profiling_async_copy_enable(true));
  auto* source = allocate(machine, machine.system_pool, kBig);
  auto* target = allocate(machine, machine.system_pool, kBig);
  auto* device = allocate(machine, machine.device_pools[0], kBig);
  uint64_t previous_end = 0;
  uint64_t duration = 0;
  for (uint32_t round = 1; round <= 5; ++round) {
    fill(source, kBig, round);
    const hsa_signal_t up = make_signal(1);
    const hsa_signal_t down = make_signal(1);
    copy(machine, device, machine.gpus[0], source, machine.cpu, kBig, {}, up);
    copy(machine, target, machine.cpu, device, machine.gpus[0], kBig, {up}, down);
    wait_done(down);
    CHECK_THAT(holds(target, kBig, round));
    hsa_amd_profiling_async_copy_time_t time{};
    CHECK_HSA(hsa_amd_profiling_get_async_copy_time(up, &time));
    CHECK_THAT(time.start < time.end);
    CHECK_THAT(time.start >= previous_end);
    previous_end = time.end;
    // The runtime turns ticks into its own clock with a fitted rate, so equal ticks are equal but for
    // rounding.
    const uint64_t now = time.end - time.start;
    CHECK_THAT(round == 1 || (now > duration - duration / 100 && now < duration + duration / 100));
    duration = now;
  }
  CHECK_HSA(hsa_shut_down());
}

void part_copy_dependencies() {
  const Machine machine = start_hsa();
  auto* source = allocate(machine, machine.system_pool, kBig);
  auto* device = allocate(machine, machine.device_pools[0], kBig);
  auto* target = allocate(machine, machine.system_pool, kBig);
  std::memset(target, 0, kBig);
  fill(source, kBig, 7);
  const hsa_signal_t gate = make_signal(1);
  const hsa_signal_t up = make_signal(1);
  const hsa_signal_t down = make_signal(1);
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  const hsa_signal_t opened = make_signal(1);
  copy(machine, device, machine.gpus[0], source, machine.cpu, kBig, {gate, opened}, up);
  copy(machine, target, machine.cpu, device, machine.gpus[0], kBig, {up}, down);
  CHECK_THAT(hsa_signal_load_scacquire(up) == 1);
  submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {gate}, opened);  // opened by a queue, gate by the host
  hsa_signal_store_screlease(gate, 0);
  wait_done(down);
  CHECK_THAT(holds(target, kBig, 7));
  CHECK_HSA(hsa_shut_down());
}

// Registered host memory has a device address of its own.
void part_locked_memory() {
  const Machine machine = start_hsa();
  std::vector<uint32_t> source(kBig / 4);
  std::vector<uint32_t> target(kBig / 4);
  hsa_agent_t gpu = machine.gpus[0];
  auto* device = allocate(machine, machine.device_pools[0], kBig);
  for (uint32_t round = 1; round <= 20; ++round) {
    fill(source.data(), kBig, round);
    void* source_on_device = nullptr;
    void* target_on_device = nullptr;
    CHECK_HSA(hsa_amd_memory_lock(source.data(), kBig, &gpu, 1, &source_on_device));
    CHECK_HSA(hsa_amd_memory_lock(target.data(), kBig, &gpu, 1, &target_on_device));
    const hsa_signal_t up = make_signal(1);
    const hsa_signal_t down = make_signal(1);
    copy(machine, device, gpu, source_on_device, machine.cpu, kBig, {}, up);
    copy(machine, target_on_device, machine.cpu, device, gpu, kBig, {up}, down);
    wait_done(down);
    CHECK_THAT(holds(target.data(), kBig, round));
    CHECK_HSA(hsa_amd_memory_unlock(source.data()));
    CHECK_HSA(hsa_amd_memory_unlock(target.data()));
  }
  CHECK_HSA(hsa_shut_down());
}

void part_rect_copy() {
  const Machine machine = start_hsa();
  constexpr uint32_t kWidth = 64, kHeight = 16, kPitch = 256;
  auto* source = static_cast<uint8_t*>(allocate(machine, machine.system_pool, kPitch * kHeight));
  auto* target = static_cast<uint8_t*>(allocate(machine, machine.system_pool, kPitch * kHeight));
  auto* device = allocate(machine, machine.device_pools[0], kPitch * kHeight);
  for (uint32_t i = 0; i < kPitch * kHeight; ++i) source[i] = static_cast<uint8_t>(i * 7);
  std::memset(target, 0xee, kPitch * kHeight);
  const hsa_pitched_ptr_t from{source, kPitch, kPitch * kHeight};
  const hsa_pitched_ptr_t middle{device, kPitch, kPitch * kHeight};
  const hsa_pitched_ptr_t to{target, kPitch, kPitch * kHeight};
  const hsa_dim3_t origin{0, 0, 0};
  const hsa_dim3_t inside{32, 4, 0};
  const hsa_dim3_t range{kWidth, 8, 1};
  const hsa_signal_t up = make_signal(1);
  const hsa_signal_t down = make_signal(1);
  CHECK_HSA(hsa_amd_memory_async_copy_rect(&middle, &inside, &from, &origin, &range, machine.gpus[0],
                                           hsaHostToDevice, 0, nullptr, up));
  CHECK_HSA(hsa_amd_memory_async_copy_rect(&to, &origin, &middle, &inside, &range, machine.gpus[0],
                                           hsaDeviceToHost, 1, &up, down));
  wait_done(down);
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kPitch; ++x) {
      const bool copied = x < kWidth && y < 8;
      CHECK_THAT(target[y * kPitch + x] == (copied ? source[y * kPitch + x] : 0xee));
    }
  }
  CHECK_HSA(hsa_shut_down());
}

void part_two_gpus() {
  const Machine machine = start_hsa();
  CHECK_THAT(machine.gpus.size() == 2);
  auto* source = allocate(machine, machine.system_pool, kBig);
  auto* target = allocate(machine, machine.system_pool, kBig);
  fill(source, kBig, 42);
  std::memset(target, 0, kBig);
  void* first = allocate(machine, machine.device_pools[0], kBig);
  void* second = allocate(machine, machine.device_pools[1], kBig);
  const hsa_signal_t a = make_signal(1);
  const hsa_signal_t b = make_signal(1);
  const hsa_signal_t c = make_signal(1);
  copy(machine, first, machine.gpus[0], source, machine.cpu, kBig, {}, a);
  wait_done(a);
  // Each GPU has queues of its own; a barrier of one waits for the other.
  hsa_queue_t* on_first = make_queue(machine.gpus[0], 64);
  hsa_queue_t* on_second = make_queue(machine.gpus[1], 64);
  const hsa_signal_t passed = make_signal(1);
  submit_barrier(on_second, HSA_PACKET_TYPE_BARRIER_AND, {passed}, b);
  submit_barrier(on_first, HSA_PACKET_TYPE_BARRIER_AND, {}, passed);
  wait_done(b);
  copy(machine, target, machine.cpu, first, machine.gpus[0], kBig, {}, c);
  wait_done(c);
  CHECK_THAT(holds(target, kBig, 42));
  CHECK_THAT(first != second);
  CHECK_HSA(hsa_shut_down());
}

// Without a large BAR the CPU cannot touch device memory, and the runtime says so; the copy engine can.
void part_private_memory_faults() {
  const Machine machine = start_hsa();
  hsa_amd_memory_pool_access_t access{};
  CHECK_HSA(hsa_amd_agent_memory_pool_get_info(machine.cpu, machine.device_pools[0],
                                               HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  CHECK_THAT(access == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
  auto* device = static_cast<volatile uint32_t*>(allocate(machine, machine.device_pools[0], kBig));
  struct sigaction action {};
  action.sa_handler = on_fault;
  CHECK_THAT(sigaction(SIGSEGV, &action, nullptr) == 0);
  if (sigsetjmp(g_after_fault, 1) == 0) device[0] = 1;
  CHECK_THAT(g_faults == 1);
  auto* source = allocate(machine, machine.system_pool, kBig);
  auto* target = allocate(machine, machine.system_pool, kBig);
  fill(source, kBig, 9);
  const hsa_signal_t up = make_signal(1);
  const hsa_signal_t down = make_signal(1);
  copy(machine, const_cast<uint32_t*>(device), machine.gpus[0], source, machine.cpu, kBig, {}, up);
  copy(machine, target, machine.cpu, const_cast<uint32_t*>(device), machine.gpus[0], kBig, {up}, down);
  wait_done(down);
  CHECK_THAT(holds(target, kBig, 9));
  CHECK_HSA(hsa_shut_down());
}

// Runs with KREPLAY_SOFTGPU_VRAM=256M.
void part_out_of_memory() {
  const Machine machine = start_hsa();
  constexpr size_t kPiece = 64 << 20;
  std::vector<void*> pieces;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  while (status == HSA_STATUS_SUCCESS && pieces.size() < 16) {
    void* piece = nullptr;
    status = hsa_amd_memory_pool_allocate(machine.device_pools[0], kPiece, 0, &piece);
    if (status == HSA_STATUS_SUCCESS) pieces.push_back(piece);
  }
  CHECK_THAT(status == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  CHECK_THAT(pieces.size() >= 2 && pieces.size() <= 4);
  CHECK_HSA(hsa_amd_memory_pool_free(pieces.back()));
  CHECK_HSA(hsa_amd_memory_pool_allocate(machine.device_pools[0], kPiece, 0, &pieces.back()));
  CHECK_HSA(hsa_shut_down());
}
