#include "fake_gpu.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

using kreplay::hsa::Packet;
using kreplay::hsa::PacketKind;

FakeGpu* FakeGpu::self = nullptr;

struct FakeGpu::FakeQueue {
  alignas(64) amd_queue_t object = {};
  alignas(64) amd_signal_t doorbell = {};
  uint64_t bell = UINT64_MAX;
  std::vector<Packet> ring;
  void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr;
  void* data = nullptr;
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> error{0};
  std::thread thread;
};

namespace {
void nap() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }
amd_signal_t* object(hsa_signal_t signal) { return reinterpret_cast<amd_signal_t*>(signal.handle); }
bool holds(hsa_signal_condition_t condition, int64_t value, int64_t against) {
  kreplay::hsa::Dependency dependency;
  dependency.condition = condition;
  dependency.value = against;
  return kreplay::hsa::satisfied(dependency, value);
}
}  // namespace

FakeGpu::FakeGpu(unsigned gpus) : gpus_(gpus) {
  self = this;
  fill();
  service_ = std::thread([this] { service(); });
}

void FakeGpu::stop() {
  if (stop_.exchange(true, std::memory_order_acq_rel)) return;
  service_.join();
  for (auto& queue : queues_) {
    queue->stop.store(true);
    if (queue->thread.joinable()) queue->thread.join();
  }
  // Handlers free what they were given; nothing else would.
  for (const Handler& handler : handlers_) handler.function(value(handler.signal), handler.data);
  handlers_.clear();
}

FakeGpu::~FakeGpu() {
  stop();
  for (void* memory : allocations_) std::free(memory);
  for (amd_signal_t* signal : signals_) std::free(signal);
  self = nullptr;
}

void FakeGpu::set_kernel(uint64_t kernel_object, std::function<void(void*)> kernel) {
  const std::lock_guard lock(mutex_);
  kernels_[kernel_object] = std::move(kernel);
}
std::vector<FakeGpu::Executed> FakeGpu::executed() const {
  const std::lock_guard lock(mutex_);
  return executed_;
}
std::vector<std::string> FakeGpu::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}
std::vector<void*> FakeGpu::freed() const {
  const std::lock_guard lock(mutex_);
  return freed_;
}
std::vector<hsa_queue_t*> FakeGpu::destroyed() const {
  const std::lock_guard lock(mutex_);
  return destroyed_;
}
void FakeGpu::problem(const std::string& what) {
  const std::lock_guard lock(mutex_);
  problems_.push_back(what);
}

hsa_signal_t FakeGpu::make_signal(int64_t initial) {
  // 128 bytes, as the runtime's shared signals: the proxy copies that much.
  auto* signal = static_cast<amd_signal_t*>(std::aligned_alloc(128, 128));
  std::memset(static_cast<void*>(signal), 0, 128);
  signal->kind = AMD_SIGNAL_KIND_USER;
  signal->value = initial;
  const std::lock_guard lock(mutex_);
  signals_.push_back(signal);
  ++live_signals;
  ++created_signals;
  return {reinterpret_cast<uint64_t>(signal)};
}

void FakeGpu::subtract(hsa_signal_t signal) {
  __atomic_fetch_sub(&object(signal)->value, 1, __ATOMIC_ACQ_REL);
}

void FakeGpu::fail_queue(hsa_queue_t* queue, hsa_status_t status) {
  FakeQueue* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (auto& each : queues_)
      if (&each->object.hsa_queue == queue) found = each.get();
  }
  if (found == nullptr) throw std::invalid_argument("fail_queue: not a queue of this fake GPU");
  found->error.store(static_cast<uint32_t>(status));
  if (found->callback != nullptr) found->callback(status, queue, found->data);
}

void FakeGpu::run_packet(FakeQueue& queue, const Packet& packet) {
  kreplay::hsa::Dependency list[5];
  kreplay::hsa::DependencyMode mode;
  const size_t count = kreplay::hsa::dependencies(packet, list, mode);
  const auto ready = [&] {
    size_t good = 0;
    for (size_t i = 0; i < count; ++i)
      if (kreplay::hsa::satisfied(list[i], value(list[i].signal))) ++good;
    return mode == kreplay::hsa::DependencyMode::all ? good == count : good > 0 || count == 0;
  };
  while (!ready() && !queue.stop.load() && !stopping()) nap();
  if (queue.stop.load() || stopping()) return;
  const uint64_t start = ticks_.fetch_add(1);
  if (kreplay::hsa::is_dispatch(kreplay::hsa::kind_of(packet.word[0]))) {
    const auto fields = kreplay::hsa::dispatch_fields(packet);
    std::function<void(void*)> kernel;
    {
      const std::lock_guard lock(mutex_);
      const auto it = kernels_.find(fields.kernel_object);
      if (it != kernels_.end()) kernel = it->second;
    }
    if (kernel)
      kernel(reinterpret_cast<void*>(fields.kernarg_address));
    else
      problem("dispatch of an unknown kernel object");
  }
  const uint64_t end = ticks_.fetch_add(10);
  {
    const std::lock_guard lock(mutex_);
    executed_.push_back({&queue.object.hsa_queue, packet});
  }
  const hsa_signal_t completion = kreplay::hsa::completion_signal(packet);
  if (completion.handle != 0) {
    // Relaxed: packets of several queues may carry one signal.
    __atomic_store_n(&object(completion)->start_ts, start, __ATOMIC_RELAXED);
    __atomic_store_n(&object(completion)->end_ts, end, __ATOMIC_RELAXED);
    subtract(completion);
  }
}

void FakeGpu::process(FakeQueue& queue) {
  const uint32_t mask = static_cast<uint32_t>(queue.ring.size()) - 1;
  uint64_t at = 0;
  unsigned idle = 0;
  while (!queue.stop.load() && !stopping()) {
    const uint64_t bell = __atomic_load_n(&queue.bell, __ATOMIC_ACQUIRE);
    auto* header = reinterpret_cast<uint32_t*>(&queue.ring[at & mask]);
    const bool rung = bell != UINT64_MAX && at <= bell;
    if (!rung || queue.error.load() != 0) {
      if (++idle > 50) nap();
      continue;
    }
    idle = 0;
    const uint32_t word0 = __atomic_load_n(header, __ATOMIC_ACQUIRE);
    if ((word0 & 0xff) == HSA_PACKET_TYPE_INVALID) {
      problem("doorbell rung for a packet that is not published");
      nap();
      continue;
    }
    if (at >= __atomic_load_n(&queue.object.write_dispatch_id, __ATOMIC_ACQUIRE))
      problem("doorbell beyond the write index");
    Packet packet = queue.ring[at & mask];
    packet.word[0] = word0;
    run_packet(queue, packet);
    if (queue.stop.load() || stopping()) return;
    __atomic_store_n(header, uint32_t{HSA_PACKET_TYPE_INVALID}, __ATOMIC_RELEASE);
    ++at;
    __atomic_store_n(&queue.object.read_dispatch_id, at, __ATOMIC_RELEASE);
  }
}

/// Asynchronous handlers and copies.
void FakeGpu::service() {
  while (!stopping()) {
    std::vector<Handler> due;
    std::vector<Copy> ready;
    {
      const std::lock_guard lock(mutex_);
      for (size_t i = 0; i < handlers_.size();)
        if (holds(handlers_[i].condition, value(handlers_[i].signal), handlers_[i].value)) {
          due.push_back(handlers_[i]);
          handlers_.erase(handlers_.begin() + static_cast<long>(i));
        } else {
          ++i;
        }
      for (size_t i = 0; i < copies_.size() && !hold_copies.load();) {
        const bool free = std::all_of(copies_[i].dependencies.begin(), copies_[i].dependencies.end(),
                                      [](hsa_signal_t s) { return value(s) == 0; });
        if (free) {
          ready.push_back(copies_[i]);
          copies_.erase(copies_.begin() + static_cast<long>(i));
        } else {
          ++i;
        }
      }
    }
    for (const Handler& handler : due)
      if (handler.function(value(handler.signal), handler.data)) {
        const std::lock_guard lock(mutex_);
        handlers_.push_back(handler);
      }
    for (const Copy& copy : ready) {
      if (copy.fails) {
        __atomic_store_n(&object(copy.completion)->value, -1, __ATOMIC_RELEASE);
        continue;
      }
      std::memcpy(copy.to, copy.from, copy.size);
      subtract(copy.completion);
    }
    if (due.empty() && ready.empty()) nap();
  }
}

void FakeGpu::fill() {
  api.hsa_iterate_agents = [](hsa_status_t (*f)(hsa_agent_t, void*), void* data) {
    f({kCpu}, data);
    for (unsigned i = 0; i < self->gpus_; ++i) f({gpu(i)}, data);
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_agent_get_info = [](hsa_agent_t agent, hsa_agent_info_t what, void* value) {
    const bool is_gpu = agent.handle != kCpu;
    switch (static_cast<unsigned>(what)) {
      case HSA_AGENT_INFO_DEVICE:
        *static_cast<hsa_device_type_t*>(value) = is_gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
        break;
      case HSA_AGENT_INFO_NAME:
        std::strcpy(static_cast<char*>(value), is_gpu ? "gfx906" : "cpu");
        break;
      case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
        std::strcpy(static_cast<char*>(value), "fake");
        break;
      case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
        *static_cast<uint32_t*>(value) = static_cast<uint32_t>(agent.handle - kCpu);
        break;
      case HSA_AGENT_INFO_NODE:
        *static_cast<uint32_t*>(value) = static_cast<uint32_t>(agent.handle - kCpu);
        break;
      default:
        *static_cast<uint32_t*>(value) = 1;
    }
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_agent_iterate_memory_pools = [](hsa_agent_t agent,
                                              hsa_status_t (*f)(hsa_amd_memory_pool_t, void*), void* data) {
    if (agent.handle == kCpu) {
      f({kKernargPool}, data);
      f({kHostPool}, data);
    } else {
      f({kDevicePool + (agent.handle - gpu(0))}, data);
    }
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_memory_pool_get_info = [](hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t what,
                                        void* value) {
    switch (what) {
      case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
        *static_cast<hsa_amd_segment_t*>(value) = HSA_AMD_SEGMENT_GLOBAL;
        break;
      case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
        *static_cast<uint32_t*>(value) =
            pool.handle == kHostPool      ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
            : pool.handle == kKernargPool ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT
                                          : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
        break;
      case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
        *static_cast<bool*>(value) = true;
        break;
      case HSA_AMD_MEMORY_POOL_INFO_SIZE:
        *static_cast<size_t*>(value) = size_t{1} << 34;
        break;
      case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
        *static_cast<size_t*>(value) = 4096;
        break;
      default:
        *static_cast<uint64_t*>(value) = 4096;
    }
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_agent_iterate_regions = [](hsa_agent_t, hsa_status_t (*)(hsa_region_t, void*), void*) {
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_agent_memory_pool_get_info = [](hsa_agent_t, hsa_amd_memory_pool_t,
                                              hsa_amd_agent_memory_pool_info_t what, void* value) {
    if (what == HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS)
      *static_cast<hsa_amd_memory_pool_access_t*>(value) = HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
    else
      *static_cast<uint32_t*>(value) = 0;
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_agents_allow_access = [](uint32_t, const hsa_agent_t*, const uint32_t*, const void*) {
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_memory_pool_allocate = [](hsa_amd_memory_pool_t, size_t size, uint32_t, void** out) {
    *out = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    const std::lock_guard lock(self->mutex_);
    self->allocations_.push_back(*out);
    ++self->pool_allocations;
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_memory_pool_free = [](void* memory) {
    const std::lock_guard lock(self->mutex_);
    self->freed_.push_back(memory);  // kept readable: a late access is found by the test, not by a crash
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_system_get_info = [](hsa_system_info_t what, void* value) {
    if (what == HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY) *static_cast<uint64_t*>(value) = 1'000'000'000;
    if (what == HSA_SYSTEM_INFO_VERSION_MAJOR) *static_cast<uint16_t*>(value) = 1;
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_signal_create = [](hsa_signal_value_t initial, uint32_t, const hsa_agent_t*, hsa_signal_t* out) {
    if (self->fail_signal_create.load()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *out = self->make_signal(initial);
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_signal_create = [](hsa_signal_value_t initial, uint32_t, const hsa_agent_t*, uint64_t,
                                 hsa_signal_t* out) {
    if (self->fail_signal_create.load()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *out = self->make_signal(initial);
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_signal_destroy = [](hsa_signal_t) {
    --self->live_signals;
    return HSA_STATUS_SUCCESS;
  };
  const auto store = [](hsa_signal_t signal, hsa_signal_value_t value) {
    __atomic_store_n(&object(signal)->value, value, __ATOMIC_RELEASE);
  };
  api.hsa_signal_store_relaxed = store;
  api.hsa_signal_store_screlease = store;
  api.hsa_signal_silent_store_relaxed = store;
  api.hsa_signal_silent_store_screlease = store;
  const auto load = [](hsa_signal_t signal) -> hsa_signal_value_t { return value(signal); };
  api.hsa_signal_load_relaxed = load;
  api.hsa_signal_load_scacquire = load;
  const auto minus = [](hsa_signal_t signal, hsa_signal_value_t value) {
    __atomic_fetch_sub(&object(signal)->value, value, __ATOMIC_ACQ_REL);
  };
  api.hsa_signal_subtract_screlease = minus;
  api.hsa_signal_subtract_relaxed = minus;
  const auto wait = [](hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t against,
                       uint64_t timeout, hsa_wait_state_t) -> hsa_signal_value_t {
    ++self->signal_waits;
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::nanoseconds(std::min<uint64_t>(timeout, 1'000'000'000));
    while (!holds(condition, value(signal), against) && std::chrono::steady_clock::now() < end) nap();
    return value(signal);
  };
  api.hsa_signal_wait_scacquire = wait;
  api.hsa_signal_wait_relaxed = wait;
  api.hsa_amd_signal_async_handler = [](hsa_signal_t signal, hsa_signal_condition_t condition,
                                        hsa_signal_value_t value, hsa_amd_signal_handler function,
                                        void* data) {
    const std::lock_guard lock(self->mutex_);
    self->handlers_.push_back({signal, condition, value, function, data});
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_profiling_get_dispatch_time = [](hsa_agent_t, hsa_signal_t signal,
                                               hsa_amd_profiling_dispatch_time_t* time) {
    time->start = object(signal)->start_ts;
    time->end = object(signal)->end_ts;
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_amd_profiling_set_profiler_enabled = [](hsa_queue_t*, int) { return HSA_STATUS_SUCCESS; };
  api.hsa_amd_memory_async_copy = [](void* to, hsa_agent_t, const void* from, hsa_agent_t, size_t size,
                                     uint32_t count, const hsa_signal_t* dependencies,
                                     hsa_signal_t completion) {
    const uint64_t number = ++self->async_copies;
    const std::lock_guard lock(self->mutex_);
    self->copies_.push_back({to, from, size, std::vector<hsa_signal_t>(dependencies, dependencies + count),
                             completion, number >= self->fail_copy_at.load()});
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_memory_copy = [](void* to, const void* from, size_t size) {
    if (self->fail_sync_copies.load()) return HSA_STATUS_ERROR;
    std::memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_queue_create = [](hsa_agent_t, uint32_t size, hsa_queue_type32_t type,
                            void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data, uint32_t,
                            uint32_t, hsa_queue_t** out) {
    auto made = std::make_unique<FakeQueue>();
    FakeQueue& queue = *made;
    queue.ring.resize(size);
    for (Packet& packet : queue.ring) packet.word[0] = HSA_PACKET_TYPE_INVALID;
    queue.doorbell.kind = AMD_SIGNAL_KIND_DOORBELL;
    queue.doorbell.hardware_doorbell_ptr = &queue.bell;
    queue.object.hsa_queue.type = type;
    queue.object.hsa_queue.base_address = queue.ring.data();
    queue.object.hsa_queue.doorbell_signal = {reinterpret_cast<uint64_t>(&queue.doorbell)};
    queue.object.hsa_queue.size = size;
    queue.callback = callback;
    queue.data = data;
    {
      const std::lock_guard lock(self->mutex_);
      queue.object.hsa_queue.id = self->queues_.size();
      self->queues_.push_back(std::move(made));
    }
    queue.thread = std::thread([&queue] { self->process(queue); });
    *out = &queue.object.hsa_queue;
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_queue_destroy = [](hsa_queue_t* queue) {
    const std::lock_guard lock(self->mutex_);
    for (auto& each : self->queues_)
      if (&each->object.hsa_queue == queue) each->stop.store(true);
    self->destroyed_.push_back(queue);
    return HSA_STATUS_SUCCESS;
  };
}

kreplay::hsa::Packet dispatch_packet(uint64_t kernel_object, void* kernarg, hsa_signal_t completion,
                                     bool barrier) {
  hsa_kernel_dispatch_packet_t dispatch = {};
  dispatch.header = static_cast<uint16_t>((HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE) |
                                          (barrier ? 1u << HSA_PACKET_HEADER_BARRIER : 0u));
  dispatch.setup = 1;
  dispatch.workgroup_size_x = 64;
  dispatch.workgroup_size_y = dispatch.workgroup_size_z = 1;
  dispatch.grid_size_x = 128;
  dispatch.grid_size_y = dispatch.grid_size_z = 1;
  dispatch.kernel_object = kernel_object;
  dispatch.kernarg_address = kernarg;
  dispatch.completion_signal = completion;
  Packet packet;
  std::memcpy(&packet, &dispatch, sizeof packet);
  return packet;
}

kreplay::hsa::Packet extended_dispatch_packet(uint64_t kernel_object, void* kernarg, hsa_signal_t completion,
                                              hsa_signal_t waits_for) {
  kreplay::hsa::ExtDispatch extended = {};
  extended.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
  extended.amd_format = kreplay::hsa::kFormatExtDispatch;
  extended.setup = 1;
  extended.workgroup_size[0] = extended.workgroup_size[1] = extended.workgroup_size[2] = 1;
  extended.cluster_count_x = extended.cluster_count_y = extended.cluster_count_z = 1;
  extended.cluster_size[0] = extended.cluster_size[1] = extended.cluster_size[2] = 1;
  extended.kernel_object = kernel_object;
  extended.kernarg_address = reinterpret_cast<uint64_t>(kernarg);
  extended.dep_signal = waits_for.handle;
  extended.completion_signal = completion.handle;
  Packet packet;
  std::memcpy(&packet, &extended, sizeof packet);
  return packet;
}
