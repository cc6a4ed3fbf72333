/* Hardware counters: what an agent offers, and how values are addressed. */
#ifndef KREPLAY_ROCPROFILER_SDK_COUNTERS_H
#define KREPLAY_ROCPROFILER_SDK_COUNTERS_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* No size member. */
typedef struct rocprofiler_counter_info_v0_t {
  rocprofiler_counter_id_t id;
  const char* name;
  const char* description;
  const char* block;
  const char* expression;
  uint8_t is_constant : 1;
  uint8_t is_derived : 1;
} rocprofiler_counter_info_v0_t;

typedef struct rocprofiler_counter_dimension_info_t {
  uint64_t size;
  const char* dimension_name;
  uint64_t index;
} rocprofiler_counter_dimension_info_t;

typedef struct rocprofiler_counter_record_dimension_instance_info_t {
  uint64_t size;
  rocprofiler_counter_instance_id_t instance_id;
  rocprofiler_counter_id_t counter_id;
  uint64_t dimensions_count;
  const rocprofiler_counter_dimension_info_t** dimensions;
} rocprofiler_counter_record_dimension_instance_info_t;

typedef struct rocprofiler_counter_info_v1_t {
  uint64_t size;
  rocprofiler_counter_id_t id;
  const char* name;
  const char* description;
  const char* block;
  const char* expression;
  uint8_t is_constant : 1;
  uint8_t is_derived : 1;
  uint64_t dimensions_count;
  const rocprofiler_counter_record_dimension_info_t** dimensions;
  uint64_t dimensions_instances_count;
  const rocprofiler_counter_record_dimension_instance_info_t** dimensions_instances;
  uint8_t spm_support;
  uint8_t reserved_padding[7];
} rocprofiler_counter_info_v1_t;

typedef rocprofiler_status_t (*rocprofiler_available_counters_cb_t)(rocprofiler_agent_id_t agent_id,
                                                                    rocprofiler_counter_id_t* counters,
                                                                    size_t num_counters, void* user_data);
typedef rocprofiler_status_t (*rocprofiler_available_dimensions_cb_t)(
    rocprofiler_counter_id_t id, const rocprofiler_counter_record_dimension_info_t* dim_info, size_t num_dims,
    void* user_data);

ROCPROFILER_API rocprofiler_status_t rocprofiler_query_record_counter_id(
    rocprofiler_counter_instance_id_t id, rocprofiler_counter_id_t* counter_id);
ROCPROFILER_API rocprofiler_status_t rocprofiler_query_record_dimension_position(
    rocprofiler_counter_instance_id_t id, rocprofiler_counter_dimension_id_t dim, size_t* pos);
ROCPROFILER_API rocprofiler_status_t rocprofiler_iterate_counter_dimensions(
    rocprofiler_counter_id_t id, rocprofiler_available_dimensions_cb_t info_cb, void* user_data);
ROCPROFILER_API rocprofiler_status_t rocprofiler_query_counter_info(
    rocprofiler_counter_id_t counter_id, rocprofiler_counter_info_version_id_t version, void* info);
ROCPROFILER_API rocprofiler_status_t rocprofiler_query_counter_instance_count(
    rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t counter_id, size_t* instance_count);
ROCPROFILER_API rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(
    rocprofiler_agent_id_t agent_id, rocprofiler_available_counters_cb_t cb, void* user_data);
ROCPROFILER_API rocprofiler_status_t rocprofiler_create_counter(
    const char* name, size_t name_len, const char* expr, size_t expr_len, rocprofiler_agent_id_t agent,
    const char* description, size_t description_len, rocprofiler_counter_id_t* counter_id);
ROCPROFILER_API rocprofiler_status_t rocprofiler_load_counter_definition(const char* yaml, size_t size,
                                                                         rocprofiler_counter_flag_t flags);

ROCPROFILER_EXTERN_C_FINI

#endif
