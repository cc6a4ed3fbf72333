/* Agents, as the kernel driver's topology lists them; usable before the HSA runtime is up. */
#ifndef KREPLAY_ROCPROFILER_SDK_AGENT_H
#define KREPLAY_ROCPROFILER_SDK_AGENT_H

#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef enum rocprofiler_agent_version_t {
  ROCPROFILER_AGENT_INFO_VERSION_NONE = 0,
  ROCPROFILER_AGENT_INFO_VERSION_0 = 1,
  ROCPROFILER_AGENT_INFO_VERSION_LAST = 2
} rocprofiler_agent_version_t;

typedef struct rocprofiler_agent_cache_t {
  uint64_t processor_id_low;
  uint64_t size; /* KiB */
  uint32_t level;
  uint32_t cache_line_size; /* bytes */
  uint32_t cache_lines_per_tag;
  uint32_t association;
  uint32_t latency; /* ns */
  uint32_t type;    /* bits: 1 data, 2 instruction, 4 CPU, 8 SIMD */
} rocprofiler_agent_cache_t;

typedef struct rocprofiler_agent_io_link_t {
  uint32_t type;
  uint32_t version_major;
  uint32_t version_minor;
  uint32_t node_from;
  uint32_t node_to;
  uint32_t weight;
  uint32_t min_latency; /* ns */
  uint32_t max_latency;
  uint32_t min_bandwidth; /* MB/s */
  uint32_t max_bandwidth;
  uint32_t recommended_transfer_size;
  uint32_t flags;
} rocprofiler_agent_io_link_t;

typedef struct rocprofiler_agent_mem_bank_t {
  uint32_t heap_type;
  uint32_t flags;
  uint32_t width;       /* bits */
  uint32_t mem_clk_max; /* MHz */
  uint64_t size_in_bytes;
} rocprofiler_agent_mem_bank_t;

typedef struct rocprofiler_agent_runtime_visibility_t {
  uint32_t hsa : 1;
  uint32_t hip : 1;
  uint32_t rccl : 1;
  uint32_t rocdecode : 1;
  uint32_t reserved : 28;
} rocprofiler_agent_runtime_visibility_t;

/* The driver's 32-bit words, whole; `Value` is the member name of the vendor's thunk header. */
typedef union rocprofiler_agent_firmware_word_t {
  uint32_t Value;
} rocprofiler_agent_firmware_word_t;

typedef struct rocprofiler_agent_v0_t {
  uint64_t size;
  rocprofiler_agent_id_t id;
  rocprofiler_agent_type_t type;
  uint32_t cpu_cores_count;
  uint32_t simd_count;
  uint32_t mem_banks_count;
  uint32_t caches_count;
  uint32_t io_links_count;
  uint32_t cpu_core_id_base;
  uint32_t simd_id_base;
  uint32_t max_waves_per_simd;
  uint32_t lds_size_in_kb;
  uint32_t gds_size_in_kb;
  uint32_t num_gws;
  uint32_t wave_front_size;
  uint32_t num_xcc;
  uint32_t cu_count;
  uint32_t array_count;
  uint32_t num_shader_banks;
  uint32_t simd_arrays_per_engine;
  uint32_t cu_per_simd_array;
  uint32_t simd_per_cu;
  uint32_t max_slots_scratch_cu;
  uint32_t gfx_target_version; /* major * 10000 + minor * 100 + step */
  uint16_t vendor_id;
  uint16_t device_id;
  uint32_t location_id;
  uint32_t domain;
  uint32_t drm_render_minor;
  uint32_t num_sdma_engines;
  uint32_t num_sdma_xgmi_engines;
  uint32_t num_sdma_queues_per_engine;
  uint32_t num_cp_queues;
  uint32_t max_engine_clk_ccompute; /* MHz */
  uint32_t max_engine_clk_fcompute; /* MHz */
  rocprofiler_agent_firmware_word_t sdma_fw_version;
  rocprofiler_agent_firmware_word_t fw_version;
  rocprofiler_agent_firmware_word_t capability;
  uint32_t cu_per_engine;
  uint32_t max_waves_per_cu;
  uint32_t family_id;
  uint32_t workgroup_max_size;
  uint32_t grid_max_size;
  uint64_t local_mem_size; /* bytes */
  uint64_t hive_id;
  uint64_t gpu_id;
  rocprofiler_dim3_t workgroup_max_dim;
  rocprofiler_dim3_t grid_max_dim;
  const rocprofiler_agent_mem_bank_t* mem_banks;
  const rocprofiler_agent_cache_t* caches;
  const rocprofiler_agent_io_link_t* io_links;
  const char* name; /* "gfx906"; product name for a CPU */
  const char* vendor_name;
  const char* product_name;
  const char* model_name;
  uint32_t node_id;
  int32_t logical_node_id;
  int32_t logical_node_type_id;
  rocprofiler_agent_runtime_visibility_t runtime_visibility;
  rocprofiler_uuid_t uuid;
} rocprofiler_agent_v0_t;

typedef rocprofiler_agent_v0_t rocprofiler_agent_t;

/* `agents` are pointers to the structure of `version`; they stay valid until the process ends. */
typedef rocprofiler_status_t (*rocprofiler_query_available_agents_cb_t)(rocprofiler_agent_version_t version,
                                                                        const void** agents,
                                                                        size_t num_agents, void* user_data);

/* INVALID_ARGUMENT for another version; otherwise what the callback returns. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_query_available_agents(
    rocprofiler_agent_version_t version, rocprofiler_query_available_agents_cb_t callback, size_t agent_size,
    void* user_data);

ROCPROFILER_EXTERN_C_FINI

#endif
