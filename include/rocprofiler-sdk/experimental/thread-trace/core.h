/* Thread trace: parameters and the shader data callback. */
#ifndef KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_CORE_H
#define KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_CORE_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef enum rocprofiler_thread_trace_parameter_type_t {
  ROCPROFILER_THREAD_TRACE_PARAMETER_TARGET_CU = 0,
  ROCPROFILER_THREAD_TRACE_PARAMETER_SHADER_ENGINE_MASK = 1,
  ROCPROFILER_THREAD_TRACE_PARAMETER_BUFFER_SIZE = 2,
  ROCPROFILER_THREAD_TRACE_PARAMETER_SIMD_SELECT = 3,
  ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTERS_CTRL = 4,
  ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER = 5,
  ROCPROFILER_THREAD_TRACE_PARAMETER_SERIALIZE_ALL = 6,
  ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER_EXCLUDE_MASK = 7,
  ROCPROFILER_THREAD_TRACE_PARAMETER_NO_DETAIL = 8,
  ROCPROFILER_THREAD_TRACE_PARAMETER_NUM_BUFFERS = 9,
  ROCPROFILER_THREAD_TRACE_PARAMETER_LAST = 10
} rocprofiler_thread_trace_parameter_type_t;

typedef struct rocprofiler_thread_trace_parameter_t {
  rocprofiler_thread_trace_parameter_type_t type;
  union {
    uint64_t value;
    struct {
      rocprofiler_counter_id_t counter_id;
      uint64_t simd_mask : 4;
    };
  };
} rocprofiler_thread_trace_parameter_t;

/* A moment as the device and as the host count it. */
typedef struct rocprofiler_thread_trace_timestamp_t {
  uint64_t value;
  uint64_t realtime;
} rocprofiler_thread_trace_timestamp_t;

/* Passed by value. */
typedef struct rocprofiler_thread_trace_shader_data_t {
  uint64_t size;
  void* data;
  uint64_t data_size;
  int64_t shader_engine_id;
  uint64_t chunk_index;
  uint64_t read_offset;
  rocprofiler_agent_id_t agent;
  uint32_t flags;
  rocprofiler_thread_trace_timestamp_t start_timestamp;
  rocprofiler_thread_trace_timestamp_t end_timestamp;
} rocprofiler_thread_trace_shader_data_t;

typedef void (*rocprofiler_thread_trace_shader_data_callback_t)(
    rocprofiler_thread_trace_shader_data_t shader_data, rocprofiler_user_data_t user_data);

ROCPROFILER_EXTERN_C_FINI

#endif
