// A runtime with two CPU agents and one device whose memory is ordinary host memory. It counts every call,
// checks what each copy is given, and fails where it is told to. Copies complete inside a wait, last one
// first, so that nothing can rely on completion at the call. One instance at a time.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hsa/agent_info.hpp"
#include "hsa/hsa_api.hpp"

struct FakeRuntime {
  static constexpr hsa_agent_t kFarCpu{0x11}, kNearCpu{0x12}, kDevice{0x21};
  enum Pool : uint64_t { far_fine = 1, near_kernarg, near_coarse, near_fine, near_region, device_local };

  kreplay::hsa::HsaApi api;
  std::map<std::string, uint64_t> calls;
  std::map<void*, uint64_t> staging;  ///< live allocations, by address
  uint64_t staging_bytes = 0;
  uint64_t shadow_bytes = 0;                      ///< of it: in the device's pool
  uint64_t device_bytes = uint64_t{16} << 30;     ///< size of the device's pool
  uint64_t application_bytes = 0;                 ///< of the device, held by others
  bool tells_available = true;                    ///< a runtime that knows HSA_AMD_AGENT_INFO_MEMORY_AVAIL
  uint64_t device_allocation_limit = UINT64_MAX;  ///< most bytes of shadow
  uint64_t staging_peak = 0;
  std::map<uint64_t, hsa_signal_value_t> signals;

  // Faults. Copies are counted from 1, over the life of the instance.
  static constexpr uint64_t kNever = UINT64_MAX;
  uint64_t copies = 0;
  uint64_t refuse_copy = kNever;  ///< this copy returns an error
  uint64_t fail_copy = kNever;    ///< this copy marks its signal when it runs, and copies nothing
  uint64_t hang_copy = kNever;    ///< this copy never runs
  uint64_t refuse_sync_from = kNever;
  uint64_t sync_copies = 0;
  uint64_t allocation_limit = UINT64_MAX;  ///< most bytes of staging
  uint64_t max_allocation = uint64_t{1} << 40;
  bool move_data = true;  ///< false: copies only count, so extents may have any address
  bool no_signals = false;
  bool no_access = false;
  bool no_host_pool = false;

  FakeRuntime() {
    REQUIRE(self == nullptr);
    self = this;
    fill();
  }
  ~FakeRuntime() {
    CHECK(problems == std::vector<std::string>());
    for (auto& [base, size] : staging) ::operator delete(base, std::align_val_t(4096));
    self = nullptr;
  }
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;

  std::vector<std::string> problems;  ///< what callers did wrong; checked at the end

  /// Sum of all calls, for "nothing else was called".
  uint64_t total_calls() const {
    uint64_t sum = 0;
    for (const auto& [name, count] : calls) sum += count;
    return sum;
  }

 private:
  struct Copy {
    void* to;
    const void* from;
    size_t size;
    uint64_t signal;
    bool fails;
  };
  static inline FakeRuntime* self = nullptr;
  std::set<void*> shadow;
  std::vector<Copy> pending_;
  uint64_t next_signal_ = 1;

  /// Unlike CHECK this allocates nothing when all is well, so that steady states can be measured.
  void expect(bool good, const char* what) {
    if (!good) problems.emplace_back(what);
  }

  void run_pending() {
    while (!pending_.empty()) {
      const Copy copy = pending_.back();
      pending_.pop_back();
      hsa_signal_value_t& value = signals.at(copy.signal);
      if (copy.fails) {
        value = -1;
      } else {
        if (move_data) std::memcpy(copy.to, copy.from, copy.size);
        --value;
      }
    }
  }

  template <typename T>
  static hsa_status_t answer(void* out, T value) {
    std::memcpy(out, &value, sizeof value);
    return HSA_STATUS_SUCCESS;
  }

  void fill() {
    pending_.reserve(4096);
    api.hsa_iterate_agents = [](hsa_status_t (*visit)(hsa_agent_t, void*), void* data) {
      ++self->calls["iterate_agents"];
      for (const hsa_agent_t agent : {kFarCpu, kDevice, kNearCpu})
        if (const hsa_status_t status = visit(agent, data); status != HSA_STATUS_SUCCESS) return status;
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_agent_get_info = [](hsa_agent_t agent, hsa_agent_info_t what, void* out) {
      ++self->calls["agent_get_info"];
      if (kreplay::hsa::is_memory_avail(what)) {
        self->expect(agent.handle == kDevice.handle, "agent.handle == kDevice.handle");
        if (!self->tells_available) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        const uint64_t used = self->shadow_bytes + self->application_bytes;
        return answer(out, self->device_bytes > used ? self->device_bytes - used : 0);
      }
      REQUIRE(what == HSA_AGENT_INFO_DEVICE);
      return answer(out, agent.handle == kDevice.handle ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
    };
    api.hsa_system_get_info = [](hsa_system_info_t what, void* out) {
      ++self->calls["system_get_info"];
      REQUIRE(what == HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY);
      return answer(out, uint64_t{100'000'000});
    };
    api.hsa_amd_agent_iterate_memory_pools =
        [](hsa_agent_t agent, hsa_status_t (*visit)(hsa_amd_memory_pool_t, void*), void* data) {
          ++self->calls["iterate_pools"];
          std::vector<uint64_t> pools;
          if (agent.handle == kFarCpu.handle) pools = {far_fine};
          if (agent.handle == kNearCpu.handle) pools = {near_kernarg, near_coarse, near_fine, near_region};
          if (agent.handle == kDevice.handle) pools = {device_local};
          for (const uint64_t pool : pools)
            if (const hsa_status_t status = visit({pool}, data); status != HSA_STATUS_SUCCESS) return status;
          return HSA_STATUS_SUCCESS;
        };
    api.hsa_amd_memory_pool_get_info = [](hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t what,
                                          void* out) {
      ++self->calls["pool_get_info"];
      switch (what) {
        case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
          return answer(out, pool.handle == near_region ? HSA_AMD_SEGMENT_GROUP : HSA_AMD_SEGMENT_GLOBAL);
        case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
          return answer(out, true);
        case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
          return answer(out, size_t{4096});
        case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
          return answer(out, size_t{self->max_allocation});
        case HSA_AMD_MEMORY_POOL_INFO_SIZE:
          return answer(out, size_t{pool.handle == device_local ? self->device_bytes : uint64_t{1} << 40});
        case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: {
          uint32_t flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
          if (pool.handle == near_kernarg) flags |= HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
          if (pool.handle == near_coarse || pool.handle == device_local)
            flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
          return answer(out, flags);
        }
        default:
          return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      }
    };
    api.hsa_amd_agent_memory_pool_get_info = [](hsa_agent_t agent, hsa_amd_memory_pool_t pool,
                                                hsa_amd_agent_memory_pool_info_t what, void* out) {
      ++self->calls["agent_pool_get_info"];
      REQUIRE(agent.handle == kDevice.handle);
      switch (what) {
        case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
          return answer(out, self->no_host_pool ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                                                : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
        case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
          return answer(out, uint32_t{1});
        case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
          hsa_amd_memory_pool_link_info_t link{};
          link.numa_distance = pool.handle == far_fine ? 52 : 20;
          return answer(out, link);
        }
      }
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    };
    api.hsa_amd_memory_pool_allocate = [](hsa_amd_memory_pool_t pool, size_t size, uint32_t, void** out) {
      ++self->calls["pool_allocate"];
      self->expect(pool.handle == near_fine || pool.handle == device_local, "near_fine or device_local");
      self->expect(size % 4096 == 0, "size % 4096 == 0");
      const bool in_device = pool.handle == device_local;
      if (size > self->max_allocation || self->staging_bytes + size > self->allocation_limit ||
          (in_device && self->shadow_bytes + size > self->device_allocation_limit))
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
      *out = ::operator new(size, std::align_val_t(4096));
      self->staging[*out] = size;
      self->staging_bytes += size;
      if (in_device) {
        self->shadow_bytes += size;
        self->shadow.insert(*out);
      }
      self->staging_peak = std::max(self->staging_peak, self->staging_bytes);
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_amd_memory_pool_free = [](void* base) {
      ++self->calls["pool_free"];
      const auto known = self->staging.find(base);
      REQUIRE(known != self->staging.end());
      self->staging_bytes -= known->second;
      if (self->shadow.erase(base) != 0) self->shadow_bytes -= known->second;
      self->staging.erase(known);
      ::operator delete(base, std::align_val_t(4096));
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_amd_agents_allow_access = [](uint32_t count, const hsa_agent_t* agents, const uint32_t*,
                                         const void* base) {
      ++self->calls["allow_access"];
      REQUIRE(count == 1);
      self->expect(agents[0].handle == kDevice.handle, "agents[0].handle == kDevice.handle");
      self->expect(self->staging.count(const_cast<void*>(base)) == 1,
                   "self->staging.count(const_cast<void*>(base)) == 1");
      return self->no_access ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
    };
    api.hsa_signal_create = [](hsa_signal_value_t value, uint32_t, const hsa_agent_t*, hsa_signal_t* out) {
      ++self->calls["signal_create"];
      if (self->no_signals) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
      out->handle = self->next_signal_++;
      self->signals[out->handle] = value;
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_signal_destroy = [](hsa_signal_t signal) {
      ++self->calls["signal_destroy"];
      self->expect(self->signals.erase(signal.handle) == 1, "self->signals.erase(signal.handle) == 1");
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_signal_store_relaxed = [](hsa_signal_t signal, hsa_signal_value_t value) {
      ++self->calls["signal_store"];
      self->signals.at(signal.handle) = value;
    };
    api.hsa_signal_wait_scacquire = [](hsa_signal_t signal, hsa_signal_condition_t condition,
                                       hsa_signal_value_t, uint64_t ticks, hsa_wait_state_t) {
      ++self->calls["signal_wait"];
      self->expect(condition == HSA_SIGNAL_CONDITION_LT, "condition == HSA_SIGNAL_CONDITION_LT");
      self->expect(ticks != UINT64_MAX, "ticks != UINT64_MAX");  // every wait is bounded
      self->run_pending();
      return self->signals.at(signal.handle);
    };
    api.hsa_amd_memory_async_copy = [](void* to, hsa_agent_t to_agent, const void* from,
                                       hsa_agent_t from_agent, size_t size, uint32_t dependencies,
                                       const hsa_signal_t*, hsa_signal_t signal) {
      ++self->calls["async_copy"];
      ++self->copies;
      self->expect(dependencies == 0, "dependencies == 0");
      self->expect(size > 0, "size > 0");
      self->expect(reinterpret_cast<uint64_t>(to) % 256 == reinterpret_cast<uint64_t>(from) % 256,
                   "reinterpret_cast<uint64_t>(to) % 256 == reinterpret_cast<uint64_t>(from) % 256");
      if (to_agent.handle == kDevice.handle && from_agent.handle == kDevice.handle) {
        self->expect(self->in_shadow(to, size) != self->in_shadow(from, size), "one side is the shadow");
      } else {
        const bool to_device = to_agent.handle == kDevice.handle;
        self->expect((to_device ? from_agent : to_agent).handle == kNearCpu.handle,
                     "(to_device ? from_agent : to_agent).handle == kNearCpu.handle");
        self->expect(!self->in_shadow(to_device ? from : to, size), "the host's side is no shadow");
        self->check_in_staging(to_device ? from : to, size);
      }
      if (self->copies == self->refuse_copy) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
      if (self->copies == self->hang_copy) return HSA_STATUS_SUCCESS;
      self->pending_.push_back({to, from, size, signal.handle, self->copies == self->fail_copy});
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_memory_copy = [](void* to, const void* from, size_t size) {
      ++self->calls["memory_copy"];
      if (++self->sync_copies >= self->refuse_sync_from) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      std::memcpy(to, from, size);
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_status_string = [](hsa_status_t, const char** text) {
      *text = "fake text";
      return HSA_STATUS_SUCCESS;
    };
  }

  bool in_shadow(const void* at, size_t size) const {
    for (void* base : shadow) {
      const auto from = reinterpret_cast<uintptr_t>(base);
      const auto address = reinterpret_cast<uintptr_t>(at);
      if (address >= from && address + size <= from + staging.at(base)) return true;
    }
    return false;
  }

  void check_in_staging(const void* at, size_t size) {
    auto after = staging.upper_bound(const_cast<void*>(at));
    REQUIRE(after != staging.begin());
    --after;
    const auto offset = static_cast<const char*>(at) - static_cast<const char*>(after->first);
    expect(static_cast<uint64_t>(offset) + size <= after->second,
           "static_cast<uint64_t>(offset) + size <= after->second");
  }
};
