// HSA side of the end-to-end programs: agents and pools, memory, a code object, a queue that builds packets.
// Waits are bounded: a program that hangs says at which wait and ends with status 3.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/check.hpp"

#define HSA_OK(call) e2e::hsa_ok((call), #call)

namespace e2e {

/// Ends the program with status 2 and the failing call's text when an HSA call did not succeed.
inline void hsa_ok(hsa_status_t status, const char* call) {
  if (status != HSA_STATUS_SUCCESS) {
    std::printf("error %s: 0x%x\n", call, static_cast<unsigned>(status));
    std::fflush(stdout);
    std::_Exit(2);
  }
}

/// The first GPU and CPU agent, and the pools the programs use. Valid between hsa_init and hsa_shut_down.
struct Agents {
  hsa_agent_t gpu{};
  hsa_agent_t cpu{};
  hsa_amd_memory_pool_t device{};   ///< coarse-grained memory of the GPU
  hsa_amd_memory_pool_t host{};     ///< fine-grained system memory
  hsa_amd_memory_pool_t kernarg{};  ///< kernel arguments
};

inline Agents find_agents() {
  Agents agents;
  HSA_OK(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        auto& found = *static_cast<Agents*>(data);
        hsa_device_type_t type;
        HSA_OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        hsa_agent_t& slot = type == HSA_DEVICE_TYPE_GPU ? found.gpu : found.cpu;
        if (slot.handle == 0) {
          slot = agent;
        }
        return HSA_STATUS_SUCCESS;
      },
      &agents));
  if (agents.gpu.handle == 0 || agents.cpu.handle == 0) {
    std::printf("error no GPU agent\n");
    std::exit(2);
  }
  const auto classify = [](hsa_amd_memory_pool_t pool, void* data) {
    auto& found = *static_cast<Agents*>(data);
    hsa_amd_segment_t segment;
    HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    bool allocates = false;
    HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allocates));
    if (segment != HSA_AMD_SEGMENT_GLOBAL || !allocates) {
      return HSA_STATUS_SUCCESS;
    }
    uint32_t flags = 0;
    HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0) {
      found.kernarg = pool;
    } else if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0) {
      found.host = pool;
    } else if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0) {
      found.device = pool;  // of the CPU first, then overwritten by the GPU's
    }
    return HSA_STATUS_SUCCESS;
  };
  HSA_OK(hsa_amd_agent_iterate_memory_pools(agents.cpu, classify, &agents));
  const hsa_amd_memory_pool_t host = agents.host;
  HSA_OK(hsa_amd_agent_iterate_memory_pools(agents.gpu, classify, &agents));
  agents.host = host;
  return agents;
}

/// `size_bytes` of a pool, accessible to both agents; to be freed with hsa_amd_memory_pool_free.
template <class T>
T* allocate(const Agents& agents, hsa_amd_memory_pool_t pool, size_t count) {
  void* data = nullptr;
  HSA_OK(hsa_amd_memory_pool_allocate(pool, count * sizeof(T), 0, &data));
  if (pool.handle == agents.device.handle) {
    HSA_OK(hsa_amd_agents_allow_access(1, &agents.gpu, nullptr, data));
  } else {
    const hsa_agent_t both[] = {agents.gpu, agents.cpu};
    HSA_OK(hsa_amd_agents_allow_access(2, both, nullptr, data));
  }
  return static_cast<T*>(data);
}

inline hsa_signal_t make_signal(hsa_signal_value_t value) {
  hsa_signal_t signal{};
  HSA_OK(hsa_signal_create(value, 0, nullptr, &signal));
  return signal;
}

/// Waits until the signal is below `limit`. Ends the program after a minute of waiting.
inline hsa_signal_value_t wait_below(hsa_signal_t signal, hsa_signal_value_t limit, const char* what) {
  uint64_t frequency = 0;
  uint64_t begin = 0;
  uint64_t now = 0;
  HSA_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  HSA_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &begin));
  for (;;) {
    const hsa_signal_value_t value =
        hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, limit, frequency, HSA_WAIT_STATE_BLOCKED);
    if (value < limit) {
      return value;
    }
    HSA_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
    if ((now - begin) / frequency >= 60) {
      std::printf("error still waiting for %s after a minute: signal is %lld\n", what,
                  static_cast<long long>(value));
      std::fflush(stdout);
      std::_Exit(3);
    }
  }
}

/// Host bytes to device memory or back, synchronously.
inline void copy(const Agents& agents, void* to, const void* from, size_t size_bytes) {
  void* staging = nullptr;
  HSA_OK(hsa_amd_memory_pool_allocate(agents.host, size_bytes, 0, &staging));
  HSA_OK(hsa_amd_agents_allow_access(1, &agents.gpu, nullptr, staging));
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  HSA_OK(hsa_amd_pointer_info(const_cast<void*>(to), &info, nullptr, nullptr, nullptr));
  const bool up = info.type == HSA_EXT_POINTER_TYPE_HSA && info.agentOwner.handle == agents.gpu.handle;
  if (up) {
    std::memcpy(staging, from, size_bytes);
  }
  const hsa_signal_t done = make_signal(1);
  HSA_OK(hsa_amd_memory_async_copy(up ? to : staging, up ? agents.gpu : agents.cpu, up ? staging : from,
                                   up ? agents.cpu : agents.gpu, size_bytes, 0, nullptr, done));
  wait_below(done, 1, "a copy");
  if (!up) {
    std::memcpy(to, staging, size_bytes);
  }
  HSA_OK(hsa_signal_destroy(done));
  HSA_OK(hsa_amd_memory_pool_free(staging));
}

/// A vector in device memory; freed by hand, as the programs also test what happens without.
template <class T>
T* to_device(const Agents& agents, const std::vector<T>& values) {
  T* data = allocate<T>(agents, agents.device, values.size());
  copy(agents, data, values.data(), values.size() * sizeof(T));
  return data;
}

template <class T>
std::vector<T> from_device(const Agents& agents, const T* data, size_t count) {
  std::vector<T> values(count);
  copy(agents, values.data(), data, count * sizeof(T));
  return values;
}

struct Kernel {
  uint64_t object = 0;
  uint32_t kernarg_bytes = 0;
  uint32_t group_bytes = 0;
  uint32_t private_bytes = 0;
};

/// The code object named by the environment variable E2E_CODE_OBJECT, loaded for the GPU.
class CodeObject {
 public:
  explicit CodeObject(const Agents& agents) : agent_(agents.gpu) {
    const char* path = std::getenv("E2E_CODE_OBJECT");
    std::ifstream file(path == nullptr ? "" : path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.empty()) {
      std::printf("error E2E_CODE_OBJECT names no readable file\n");
      std::exit(2);
    }
    HSA_OK(hsa_code_object_reader_create_from_memory(bytes_.data(), bytes_.size(), &reader_));
    HSA_OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr,
                                     &executable_));
    HSA_OK(hsa_executable_load_agent_code_object(executable_, agent_, reader_, nullptr, nullptr));
    HSA_OK(hsa_executable_freeze(executable_, nullptr));
  }
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;
  ~CodeObject() {
    HSA_OK(hsa_executable_destroy(executable_));
    HSA_OK(hsa_code_object_reader_destroy(reader_));
  }

  Kernel kernel(const char* name) const {
    const hsa_executable_symbol_t found = symbol((std::string(name) + ".kd").c_str());
    Kernel kernel;
    HSA_OK(hsa_executable_symbol_get_info(found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object));
    HSA_OK(hsa_executable_symbol_get_info(found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                          &kernel.kernarg_bytes));
    HSA_OK(hsa_executable_symbol_get_info(found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                          &kernel.group_bytes));
    HSA_OK(hsa_executable_symbol_get_info(found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                          &kernel.private_bytes));
    return kernel;
  }
  void* variable(const char* name) const {
    uint64_t address = 0;
    HSA_OK(
        hsa_executable_symbol_get_info(symbol(name), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    return reinterpret_cast<void*>(address);
  }

 private:
  hsa_executable_symbol_t symbol(const char* name) const {
    hsa_executable_symbol_t found{};
    HSA_OK(hsa_executable_get_symbol_by_name(executable_, name, &agent_, &found));
    return found;
  }

  hsa_agent_t agent_;
  std::vector<char> bytes_;
  hsa_code_object_reader_t reader_{};
  hsa_executable_t executable_{};
};

constexpr uint16_t packet_header(hsa_packet_type_t type, bool barrier = true) {
  return static_cast<uint16_t>((type << HSA_PACKET_HEADER_TYPE) |
                               ((barrier ? 1 : 0) << HSA_PACKET_HEADER_BARRIER) |
                               (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) |
                               (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE));
}

/// A queue that writes packets the way the specification describes. One thread, unless stated.
class Queue {
 public:
  explicit Queue(const Agents& agents, uint32_t packets = 256, hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI,
                 void (*on_error)(hsa_status_t, hsa_queue_t*, void*) = nullptr, void* error_data = nullptr)
      : agents_(agents) {
    HSA_OK(
        hsa_queue_create(agents.gpu, packets, type, on_error, error_data, UINT32_MAX, UINT32_MAX, &queue_));
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    if (queue_ != nullptr) {
      HSA_OK(hsa_queue_destroy(queue_));
    }
    for (void* block : arguments_) {
      HSA_OK(hsa_amd_memory_pool_free(block));
    }
  }
  /// Leaves the queue to the end of the process.
  void abandon() {
    queue_ = nullptr;
    arguments_.clear();
  }
  hsa_queue_t* get() const { return queue_; }

  /// Reserves the next slot, waiting while the ring is full. Threads: any.
  uint64_t reserve() {
    const uint64_t index = hsa_queue_add_write_index_screlease(queue_, 1);
    uint64_t spins = 0;
    while (index - hsa_queue_load_read_index_scacquire(queue_) >= queue_->size) {
      if (++spins > 4'000'000'000u) {
        std::printf("error the ring stays full\n");
        std::fflush(stdout);
        std::_Exit(3);
      }
    }
    return index;
  }
  void* slot(uint64_t index) const {
    return static_cast<char*>(queue_->base_address) + (index & (queue_->size - 1)) * 64;
  }
  void ring(uint64_t index) const {
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }
  /// Makes the packet visible: header and setup in one store.
  static void publish(void* slot, uint16_t header, uint16_t setup) {
    __atomic_store_n(static_cast<uint32_t*>(slot), header | static_cast<uint32_t>(setup) << 16,
                     __ATOMIC_RELEASE);
  }

  /// Writes everything but the first dword of a dispatch; the arguments live as long as the queue.
  template <class... Args>
  void fill_dispatch(uint64_t index, const Kernel& kernel, uint32_t grid, uint16_t group, hsa_signal_t done,
                     Args... args) {
    auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(slot(index));
    char* block =
        allocate<char>(agents_, agents_.kernarg, kernel.kernarg_bytes < 64 ? 64 : kernel.kernarg_bytes);
    keep(block);
    std::memset(block, 0, kernel.kernarg_bytes);
    size_t offset = 0;
    (
        [&] {
          // An argument may be a pointer: its own size is meant. NOLINTBEGIN(bugprone-sizeof-expression)
          offset = (offset + sizeof(Args) - 1) / sizeof(Args) * sizeof(Args);
          std::memcpy(block + offset, &args, sizeof(Args));
          offset += sizeof(Args);  // NOLINTEND(bugprone-sizeof-expression)
        }(),
        ...);
    packet->workgroup_size_x = group;
    packet->workgroup_size_y = 1;
    packet->workgroup_size_z = 1;
    packet->reserved0 = 0;
    packet->grid_size_x = grid;
    packet->grid_size_y = 1;
    packet->grid_size_z = 1;
    packet->private_segment_size = kernel.private_bytes;
    packet->group_segment_size = kernel.group_bytes;
    packet->kernel_object = kernel.object;
    packet->kernarg_address = block;
    packet->reserved2 = 0;
    packet->completion_signal = done;
  }
  void fill_barrier(uint64_t index, const std::vector<hsa_signal_t>& dependencies, hsa_signal_t done) {
    auto* packet = static_cast<hsa_barrier_and_packet_t*>(slot(index));
    std::memset(static_cast<void*>(reinterpret_cast<char*>(packet) + 4), 0, 60);
    for (size_t i = 0; i < dependencies.size() && i < 5; ++i) {
      packet->dep_signal[i] = dependencies[i];
    }
    packet->completion_signal = done;
  }

  /// One dispatch, one doorbell.
  template <class... Args>
  void dispatch(const Kernel& kernel, uint32_t grid, uint16_t group, hsa_signal_t done, Args... args) {
    const uint64_t index = reserve();
    fill_dispatch(index, kernel, grid, group, done, args...);
    publish(slot(index), packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    ring(index);
  }
  void barrier(hsa_packet_type_t type, const std::vector<hsa_signal_t>& dependencies, hsa_signal_t done) {
    const uint64_t index = reserve();
    fill_barrier(index, dependencies, done);
    publish(slot(index), packet_header(type), 0);
    ring(index);
  }
  /// Waits until everything submitted has run.
  void drain() {
    const hsa_signal_t done = make_signal(1);
    barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, done);
    wait_below(done, 1, "the queue to drain");
    HSA_OK(hsa_signal_destroy(done));
  }

 private:
  void keep(void* block) {
    while (__atomic_test_and_set(&keeping_, __ATOMIC_ACQUIRE)) {
    }
    arguments_.push_back(block);
    __atomic_clear(&keeping_, __ATOMIC_RELEASE);
  }

  Agents agents_;
  hsa_queue_t* queue_ = nullptr;
  std::vector<void*> arguments_;
  bool keeping_ = false;
};

/// The effect of kernel `in_place` on the host.
inline void in_place_host(std::vector<unsigned>& x, const std::vector<unsigned>& y) {
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = x[i] * 3u + y[i];
  }
}

}  // namespace e2e
