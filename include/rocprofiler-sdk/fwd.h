/* Status codes, kinds, operations, handles and the structures every service shares.
 * Sizes and offsets are for x86-64 Linux and are pinned by tests/abi. All enumerations are 4 bytes.
 */
#ifndef KREPLAY_ROCPROFILER_SDK_FWD_H
#define KREPLAY_ROCPROFILER_SDK_FWD_H

#include <rocprofiler-sdk/defines.h>
#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/* ---- status ---- */

typedef enum rocprofiler_status_t {
  ROCPROFILER_STATUS_SUCCESS = 0,
  ROCPROFILER_STATUS_ERROR = 1,
  ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND = 2,
  ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND = 3,
  ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND = 4,
  ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND = 5,
  ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND = 6,
  ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND = 7,
  ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND = 8,
  ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR = 9,
  ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID = 10,
  ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED = 11,
  ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT = 12,
  ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO = 13,
  ROCPROFILER_STATUS_ERROR_BUFFER_BUSY = 14,
  ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED = 15,
  ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED = 16,
  ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED = 17,
  ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI = 18,
  ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT = 19,
  ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT = 20,
  ROCPROFILER_STATUS_ERROR_FINALIZED = 21,
  ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED = 22,
  ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND = 23,
  ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND = 24,
  ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED = 25,
  ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND = 26,
  ROCPROFILER_STATUS_ERROR_AQL_NO_EVENT_COORD = 27,
  ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL = 28,
  ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES = 29,
  ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND = 30,
  ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND = ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND,
  ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT = 31,
  ROCPROFILER_STATUS_INTERNAL_NO_AGENT_CONTEXT = 32,
  ROCPROFILER_STATUS_ERROR_SAMPLE_RATE_EXCEEDED = 33,
  ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE = 34,
  ROCPROFILER_STATUS_ERROR_NO_HARDWARE_COUNTERS = 35,
  ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH = 36,
  ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE = 37,
  ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT = 38,
  ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED = 39,
  ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED = 40,
  ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_REGISTER_VERSION = 41,
  ROCPROFILER_STATUS_LAST = 42
} rocprofiler_status_t;

/* ---- kinds ---- */

typedef enum rocprofiler_buffer_category_t {
  ROCPROFILER_BUFFER_CATEGORY_NONE = 0,
  ROCPROFILER_BUFFER_CATEGORY_TRACING = 1,
  ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING = 2,
  ROCPROFILER_BUFFER_CATEGORY_COUNTERS = 3,
  ROCPROFILER_BUFFER_CATEGORY_LAST = 4
} rocprofiler_buffer_category_t;

typedef enum rocprofiler_agent_type_t {
  ROCPROFILER_AGENT_TYPE_NONE = 0,
  ROCPROFILER_AGENT_TYPE_CPU = 1,
  ROCPROFILER_AGENT_TYPE_GPU = 2,
  ROCPROFILER_AGENT_TYPE_LAST = 3
} rocprofiler_agent_type_t;

/* LOAD and UNLOAD are the names of the phases where something stays around between them. */
typedef enum rocprofiler_callback_phase_t {
  ROCPROFILER_CALLBACK_PHASE_NONE = 0,
  ROCPROFILER_CALLBACK_PHASE_ENTER = 1,
  ROCPROFILER_CALLBACK_PHASE_LOAD = ROCPROFILER_CALLBACK_PHASE_ENTER,
  ROCPROFILER_CALLBACK_PHASE_EXIT = 2,
  ROCPROFILER_CALLBACK_PHASE_UNLOAD = ROCPROFILER_CALLBACK_PHASE_EXIT,
  ROCPROFILER_CALLBACK_PHASE_LAST = 3
} rocprofiler_callback_phase_t;

/* KERNEL_REPLAY is 25 in the headers that were public when this was written and may be 26 where the HIP event
 * domain came first; libkreplay accepts both numbers and echoes the one the tool registered with. */
typedef enum rocprofiler_callback_tracing_kind_t {
  ROCPROFILER_CALLBACK_TRACING_NONE = 0,
  ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API = 1,
  ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API = 2,
  ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API = 3,
  ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API = 4,
  ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API = 5,
  ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API = 6,
  ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API = 7,
  ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API = 8,
  ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API = 9,
  ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT = 10,
  ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY = 11,
  ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH = 12,
  ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY = 13,
  ROCPROFILER_CALLBACK_TRACING_RCCL_API = 14,
  ROCPROFILER_CALLBACK_TRACING_OMPT = 15,
  ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION = 16,
  ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION = 17,
  ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API = 18,
  ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API = 19,
  ROCPROFILER_CALLBACK_TRACING_HIP_STREAM = 20,
  ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API = 21,
  ROCPROFILER_CALLBACK_TRACING_HIP_GRAPH = 22,
  ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API = 23,
  ROCPROFILER_CALLBACK_TRACING_HIPFILE_API = 24,
  ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY = 25,
  ROCPROFILER_CALLBACK_TRACING_LAST = 26
} rocprofiler_callback_tracing_kind_t;

typedef enum rocprofiler_buffer_tracing_kind_t {
  ROCPROFILER_BUFFER_TRACING_NONE = 0,
  ROCPROFILER_BUFFER_TRACING_HSA_CORE_API = 1,
  ROCPROFILER_BUFFER_TRACING_HSA_AMD_EXT_API = 2,
  ROCPROFILER_BUFFER_TRACING_HSA_IMAGE_EXT_API = 3,
  ROCPROFILER_BUFFER_TRACING_HSA_FINALIZE_EXT_API = 4,
  ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API = 5,
  ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API = 6,
  ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API = 7,
  ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API = 8,
  ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API = 9,
  ROCPROFILER_BUFFER_TRACING_MEMORY_COPY = 10,
  ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH = 11,
  ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY = 12,
  ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT = 13,
  ROCPROFILER_BUFFER_TRACING_RCCL_API = 14,
  ROCPROFILER_BUFFER_TRACING_OMPT = 15,
  ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION = 16,
  ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION = 17,
  ROCPROFILER_BUFFER_TRACING_ROCDECODE_API = 18,
  ROCPROFILER_BUFFER_TRACING_ROCJPEG_API = 19,
  ROCPROFILER_BUFFER_TRACING_HIP_STREAM = 20,
  ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT = 21,
  ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT = 22,
  ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT = 23,
  ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE = 24,
  ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_FAULT = 25,
  ROCPROFILER_BUFFER_TRACING_KFD_EVENT_QUEUE = 26,
  ROCPROFILER_BUFFER_TRACING_KFD_EVENT_UNMAP_FROM_GPU = 27,
  ROCPROFILER_BUFFER_TRACING_KFD_EVENT_DROPPED_EVENTS = 28,
  ROCPROFILER_BUFFER_TRACING_KFD_PAGE_MIGRATE = 29,
  ROCPROFILER_BUFFER_TRACING_KFD_PAGE_FAULT = 30,
  ROCPROFILER_BUFFER_TRACING_KFD_QUEUE = 31,
  ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API = 32,
  ROCPROFILER_BUFFER_TRACING_HIP_GRAPH = 33,
  ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API = 34,
  ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT = 35,
  ROCPROFILER_BUFFER_TRACING_HIPFILE_API = 36,
  ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT = 37,
  ROCPROFILER_BUFFER_TRACING_HIP_EVENT = 38,
  ROCPROFILER_BUFFER_TRACING_LAST = 39
} rocprofiler_buffer_tracing_kind_t;

/* ---- operations ---- */

typedef enum rocprofiler_code_object_operation_t {
  ROCPROFILER_CODE_OBJECT_NONE = 0,
  ROCPROFILER_CODE_OBJECT_LOAD = 1,
  ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER = 2,
  ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER = 3,
  ROCPROFILER_CODE_OBJECT_LAST = 4
} rocprofiler_code_object_operation_t;

typedef enum rocprofiler_code_object_storage_type_t {
  ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_NONE = 0,
  ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE = 1,
  ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY = 2,
  ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_LAST = 3
} rocprofiler_code_object_storage_type_t;

typedef enum rocprofiler_kernel_dispatch_operation_t {
  ROCPROFILER_KERNEL_DISPATCH_NONE = 0,
  ROCPROFILER_KERNEL_DISPATCH_ENQUEUE = 1,
  ROCPROFILER_KERNEL_DISPATCH_COMPLETE = 2,
  ROCPROFILER_KERNEL_DISPATCH_LAST = 3
} rocprofiler_kernel_dispatch_operation_t;

/* CONFIG brackets one candidate dispatch, PASS each of its executions. */
typedef enum rocprofiler_kernel_replay_operation_t {
  ROCPROFILER_KERNEL_REPLAY_NONE = 0,
  ROCPROFILER_KERNEL_REPLAY_CONFIG = 1,
  ROCPROFILER_KERNEL_REPLAY_PASS = 2,
  ROCPROFILER_KERNEL_REPLAY_LAST = 3
} rocprofiler_kernel_replay_operation_t;

typedef enum rocprofiler_memory_copy_operation_t {
  ROCPROFILER_MEMORY_COPY_NONE = 0,
  ROCPROFILER_MEMORY_COPY_HOST_TO_HOST = 1,
  ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE = 2,
  ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST = 3,
  ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE = 4,
  ROCPROFILER_MEMORY_COPY_LAST = 5
} rocprofiler_memory_copy_operation_t;

typedef enum rocprofiler_memory_allocation_operation_t {
  ROCPROFILER_MEMORY_ALLOCATION_NONE = 0,
  ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE = 1,
  ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE = 2,
  ROCPROFILER_MEMORY_ALLOCATION_FREE = 3,
  ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE = 4,
  ROCPROFILER_MEMORY_ALLOCATION_LAST = 5
} rocprofiler_memory_allocation_operation_t;

typedef enum rocprofiler_scratch_memory_operation_t {
  ROCPROFILER_SCRATCH_MEMORY_NONE = 0,
  ROCPROFILER_SCRATCH_MEMORY_ALLOC = 1,
  ROCPROFILER_SCRATCH_MEMORY_FREE = 2,
  ROCPROFILER_SCRATCH_MEMORY_ASYNC_RECLAIM = 3,
  ROCPROFILER_SCRATCH_MEMORY_LAST = 4
} rocprofiler_scratch_memory_operation_t;

typedef enum rocprofiler_hip_stream_operation_t {
  ROCPROFILER_HIP_STREAM_NONE = 0,
  ROCPROFILER_HIP_STREAM_CREATE = 1,
  ROCPROFILER_HIP_STREAM_DESTROY = 2,
  ROCPROFILER_HIP_STREAM_SET = 3,
  ROCPROFILER_HIP_STREAM_LAST = 4
} rocprofiler_hip_stream_operation_t;

typedef enum rocprofiler_hip_graph_operation_t {
  ROCPROFILER_HIP_GRAPH_OPERATION_NONE = 0,
  ROCPROFILER_HIP_GRAPH_EXEC_CREATE = 1,
  ROCPROFILER_HIP_GRAPH_EXEC_DESTROY = 2,
  ROCPROFILER_HIP_GRAPH_EXEC_LAUNCH = 3,
  ROCPROFILER_HIP_GRAPH_LAST = 4
} rocprofiler_hip_graph_operation_t;

typedef enum rocprofiler_runtime_initialization_operation_t {
  ROCPROFILER_RUNTIME_INITIALIZATION_NONE = 0,
  ROCPROFILER_RUNTIME_INITIALIZATION_HSA = 1,
  ROCPROFILER_RUNTIME_INITIALIZATION_HIP = 2,
  ROCPROFILER_RUNTIME_INITIALIZATION_MARKER = 3,
  ROCPROFILER_RUNTIME_INITIALIZATION_RCCL = 4,
  ROCPROFILER_RUNTIME_INITIALIZATION_ROCDECODE = 5,
  ROCPROFILER_RUNTIME_INITIALIZATION_ROCJPEG = 6,
  ROCPROFILER_RUNTIME_INITIALIZATION_OMPT = 7,
  ROCPROFILER_RUNTIME_INITIALIZATION_ROCSHMEM = 8,
  ROCPROFILER_RUNTIME_INITIALIZATION_HIPFILE = 9,
  ROCPROFILER_RUNTIME_INITIALIZATION_LAST = 10
} rocprofiler_runtime_initialization_operation_t;

/* ---- PC sampling, buffers, runtimes, counters ---- */

typedef enum rocprofiler_pc_sampling_method_t {
  ROCPROFILER_PC_SAMPLING_METHOD_NONE = 0,
  ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC = 1,
  ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP = 2,
  ROCPROFILER_PC_SAMPLING_METHOD_LAST = 3
} rocprofiler_pc_sampling_method_t;

typedef enum rocprofiler_pc_sampling_unit_t {
  ROCPROFILER_PC_SAMPLING_UNIT_NONE = 0,
  ROCPROFILER_PC_SAMPLING_UNIT_INSTRUCTIONS = 1,
  ROCPROFILER_PC_SAMPLING_UNIT_CYCLES = 2,
  ROCPROFILER_PC_SAMPLING_UNIT_TIME = 3,
  ROCPROFILER_PC_SAMPLING_UNIT_LAST = 4
} rocprofiler_pc_sampling_unit_t;

typedef enum rocprofiler_buffer_policy_t {
  ROCPROFILER_BUFFER_POLICY_NONE = 0,
  ROCPROFILER_BUFFER_POLICY_DISCARD = 1,  /* drop records while full */
  ROCPROFILER_BUFFER_POLICY_LOSSLESS = 2, /* block until there is room */
  ROCPROFILER_BUFFER_POLICY_LAST = 3
} rocprofiler_buffer_policy_t;

/* Bits. */
typedef enum rocprofiler_runtime_library_t {
  ROCPROFILER_LIBRARY = 1,
  ROCPROFILER_HSA_LIBRARY = 2,
  ROCPROFILER_HIP_LIBRARY = 4,
  ROCPROFILER_MARKER_LIBRARY = 8,
  ROCPROFILER_RCCL_LIBRARY = 16,
  ROCPROFILER_ROCDECODE_LIBRARY = 32,
  ROCPROFILER_ROCJPEG_LIBRARY = 64,
  ROCPROFILER_OMPT_LIBRARY = 128,
  ROCPROFILER_ROCSHMEM_LIBRARY = 256,
  ROCPROFILER_HIPFILE_LIBRARY = 512,
  ROCPROFILER_LIBRARY_LAST = ROCPROFILER_HIPFILE_LIBRARY
} rocprofiler_runtime_library_t;

/* Bits. */
typedef enum rocprofiler_intercept_table_t {
  ROCPROFILER_HSA_TABLE = 1,
  ROCPROFILER_HIP_RUNTIME_TABLE = 2,
  ROCPROFILER_HIP_COMPILER_TABLE = 4,
  ROCPROFILER_MARKER_CORE_TABLE = 8,
  ROCPROFILER_MARKER_CONTROL_TABLE = 16,
  ROCPROFILER_MARKER_NAME_TABLE = 32,
  ROCPROFILER_RCCL_TABLE = 64,
  ROCPROFILER_ROCDECODE_TABLE = 128,
  ROCPROFILER_ROCJPEG_TABLE = 256,
  ROCPROFILER_ROCSHMEM_TABLE = 512,
  ROCPROFILER_HIPFILE_TABLE = 1024,
  ROCPROFILER_TABLE_LAST = ROCPROFILER_HIPFILE_TABLE
} rocprofiler_intercept_table_t;

typedef enum rocprofiler_counter_info_version_id_t {
  ROCPROFILER_COUNTER_INFO_VERSION_NONE = 0,
  ROCPROFILER_COUNTER_INFO_VERSION_0 = 1,
  ROCPROFILER_COUNTER_INFO_VERSION_1 = 2,
  ROCPROFILER_COUNTER_INFO_VERSION_LAST = 3
} rocprofiler_counter_info_version_id_t;

typedef enum rocprofiler_counter_record_kind_t {
  ROCPROFILER_COUNTER_RECORD_NONE = 0,
  ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER = 1,
  ROCPROFILER_COUNTER_RECORD_VALUE = 2,
  ROCPROFILER_COUNTER_RECORD_LAST = 3
} rocprofiler_counter_record_kind_t;

typedef enum rocprofiler_counter_flag_t {
  ROCPROFILER_COUNTER_FLAG_NONE = 0,
  ROCPROFILER_COUNTER_FLAG_ASYNC = 1,
  ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION = 2,
  ROCPROFILER_COUNTER_FLAG_LAST = 3
} rocprofiler_counter_flag_t;

/* ---- plain types and handles ---- */

typedef uint64_t rocprofiler_timestamp_t; /* ns */
typedef uint64_t rocprofiler_thread_id_t; /* as gettid() */
typedef int32_t rocprofiler_tracing_operation_t;
typedef uint64_t rocprofiler_kernel_id_t;   /* from 1 */
typedef uint64_t rocprofiler_dispatch_id_t; /* from 1 per process */
typedef uint64_t rocprofiler_counter_instance_id_t;
typedef uint64_t rocprofiler_counter_dimension_id_t;

typedef union rocprofiler_user_data_t {
  uint64_t value;
  void* ptr;
} rocprofiler_user_data_t;

typedef union rocprofiler_address_t {
  uint64_t value;
  void* ptr;
} rocprofiler_address_t;

typedef struct rocprofiler_version_triplet_t {
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
} rocprofiler_version_triplet_t;

typedef union rocprofiler_uuid_t {
  uint8_t bytes[16];
  uint64_t value[2];
} rocprofiler_uuid_t;

typedef struct rocprofiler_context_id_t {
  uint64_t handle;
} rocprofiler_context_id_t;
typedef struct rocprofiler_queue_id_t {
  uint64_t handle;
} rocprofiler_queue_id_t;
typedef struct rocprofiler_stream_id_t {
  uint64_t handle;
} rocprofiler_stream_id_t;
typedef struct rocprofiler_buffer_id_t {
  uint64_t handle;
} rocprofiler_buffer_id_t;
typedef struct rocprofiler_agent_id_t {
  uint64_t handle;
} rocprofiler_agent_id_t;
typedef struct rocprofiler_counter_id_t {
  uint64_t handle;
} rocprofiler_counter_id_t;
typedef struct rocprofiler_counter_config_id_t {
  uint64_t handle;
} rocprofiler_counter_config_id_t;
typedef struct rocprofiler_callback_thread_t {
  uint64_t handle;
} rocprofiler_callback_thread_t;
typedef struct rocprofiler_graph_exec_id_t {
  uint64_t handle;
} rocprofiler_graph_exec_id_t;
typedef struct rocprofiler_graph_node_id_t {
  uint64_t handle;
} rocprofiler_graph_node_id_t;

#define ROCPROFILER_CONTEXT_NONE ROCPROFILER_HANDLE_LITERAL(rocprofiler_context_id_t, ROCPROFILER_UINT64_C(0))
#define ROCPROFILER_COUNTER_CONFIG_NONE \
  ROCPROFILER_HANDLE_LITERAL(rocprofiler_counter_config_id_t, ROCPROFILER_UINT64_C(0))

/* Names of earlier releases. */
typedef rocprofiler_counter_config_id_t rocprofiler_profile_config_id_t;

/* ---- shared structures ---- */

typedef struct rocprofiler_dim3_t {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} rocprofiler_dim3_t;

typedef struct rocprofiler_correlation_id_t {
  uint64_t internal;
  rocprofiler_user_data_t external;
  uint64_t ancestor;
} rocprofiler_correlation_id_t;

typedef struct rocprofiler_async_correlation_id_t {
  uint64_t internal;
  rocprofiler_user_data_t external;
} rocprofiler_async_correlation_id_t;

/* The union gives one 64-bit value for a (category, kind) pair: category + kind * 2^32. */
typedef struct rocprofiler_record_header_t {
  union {
    struct {
      uint32_t category; /* rocprofiler_buffer_category_t */
      uint32_t kind;     /* depends on the category */
    };
    uint64_t hash;
  };
  void* payload;
} rocprofiler_record_header_t;

static inline uint64_t rocprofiler_record_header_compute_hash(uint32_t category, uint32_t kind) {
  return (uint64_t)category | ((uint64_t)kind << 32);
}

/* One dispatch. `size` is the offset of reserved_padding, 72. */
typedef struct rocprofiler_kernel_dispatch_info_t {
  uint64_t size;
  rocprofiler_agent_id_t agent_id;
  rocprofiler_queue_id_t queue_id;
  rocprofiler_kernel_id_t kernel_id;
  rocprofiler_dispatch_id_t dispatch_id;
  uint32_t private_segment_size;     /* bytes per work-item */
  uint32_t group_segment_size;       /* bytes per workgroup */
  rocprofiler_dim3_t workgroup_size; /* work-items */
  rocprofiler_dim3_t grid_size;      /* work-items */
  uint8_t reserved_padding[56];
} rocprofiler_kernel_dispatch_info_t;

/* One counter instance's value. No size member. */
typedef struct rocprofiler_counter_record_t {
  rocprofiler_counter_instance_id_t id;
  double counter_value;
  rocprofiler_dispatch_id_t dispatch_id;
  rocprofiler_user_data_t user_data;
  rocprofiler_agent_id_t agent_id;
} rocprofiler_counter_record_t;

/* Name of earlier releases. */
typedef rocprofiler_counter_record_t rocprofiler_record_counter_t;

typedef struct rocprofiler_counter_record_dimension_info_t {
  const char* name;
  size_t instance_size;
  rocprofiler_counter_dimension_id_t id;
} rocprofiler_counter_record_dimension_info_t;

ROCPROFILER_EXTERN_C_FINI

#endif
