// A small HSA program in parts, run on the unmodified runtime with the software GPU preloaded. A failed check
// says where and ends the process with status 1.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_THAT(condition)                                                        \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::_Exit(1);                                                                 \
    }                                                                                \
  } while (false)

#define CHECK_HSA(call)                                                                             \
  do {                                                                                              \
    const hsa_status_t status_of_call = (call);                                                     \
    if (status_of_call != HSA_STATUS_SUCCESS) {                                                     \
      const char* text = "?";                                                                       \
      hsa_status_string(status_of_call, &text);                                                     \
      std::fprintf(stderr, "%s:%d: %s: %#x %s\n", __FILE__, __LINE__, #call, status_of_call, text); \
      std::_Exit(1);                                                                                \
    }                                                                                               \
  } while (false)

struct Machine {
  hsa_agent_t cpu{};
  std::vector<hsa_agent_t> gpus;
  hsa_amd_memory_pool_t system_pool{};  ///< fine-grained
  std::vector<hsa_amd_memory_pool_t> device_pools;
};

/// hsa_init and a look around. At least one GPU, or the process ends.
Machine start_hsa();

hsa_queue_t* make_queue(hsa_agent_t gpu, uint32_t packets,
                        void (*on_error)(hsa_status_t, hsa_queue_t*, void*) = nullptr, void* data = nullptr);
hsa_signal_t make_signal(hsa_signal_value_t value);
/// Waits until the signal is below one; ends the process after a minute.
void wait_done(hsa_signal_t signal);

/// Writes a barrier packet and rings the doorbell.
/// @param type HSA_PACKET_TYPE_BARRIER_AND or _OR
void submit_barrier(hsa_queue_t* queue, hsa_packet_type_t type, const std::vector<hsa_signal_t>& dependencies,
                    hsa_signal_t completion);

/// Memory that both sides may use, allowed to every GPU.
void* allocate(const Machine& machine, hsa_amd_memory_pool_t pool, size_t bytes);

// The parts; each is one ctest test.
void part_barriers();
void part_ring_wrap();
void part_queue_error();
void part_async_handler();
void part_copies();
void part_copy_dependencies();
void part_locked_memory();
void part_rect_copy();
void part_threads();
void part_queue_churn();
void part_reinit();
void part_fork();
void part_exit_without_shutdown();
void part_two_gpus();
void part_private_memory_faults();
void part_out_of_memory();
void part_idle();
void part_killed();
