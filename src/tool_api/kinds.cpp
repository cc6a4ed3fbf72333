#include "tool_api/kinds.hpp"

#include "rocprofiler-sdk/external_correlation.h"

namespace kreplay::tool_api {
namespace {

constexpr const char* kCallbackKinds[] = {"NONE",
                                          "HSA_CORE_API",
                                          "HSA_AMD_EXT_API",
                                          "HSA_IMAGE_EXT_API",
                                          "HSA_FINALIZE_EXT_API",
                                          "HIP_RUNTIME_API",
                                          "HIP_COMPILER_API",
                                          "MARKER_CORE_API",
                                          "MARKER_CONTROL_API",
                                          "MARKER_NAME_API",
                                          "CODE_OBJECT",
                                          "SCRATCH_MEMORY",
                                          "KERNEL_DISPATCH",
                                          "MEMORY_COPY",
                                          "RCCL_API",
                                          "OMPT",
                                          "MEMORY_ALLOCATION",
                                          "RUNTIME_INITIALIZATION",
                                          "ROCDECODE_API",
                                          "ROCJPEG_API",
                                          "HIP_STREAM",
                                          "MARKER_CORE_RANGE_API",
                                          "HIP_GRAPH",
                                          "ROCSHMEM_API",
                                          "HIPFILE_API",
                                          "KERNEL_REPLAY"};
static_assert(std::size(kCallbackKinds) == ROCPROFILER_CALLBACK_TRACING_LAST);

constexpr const char* kBufferKinds[] = {"NONE",
                                        "HSA_CORE_API",
                                        "HSA_AMD_EXT_API",
                                        "HSA_IMAGE_EXT_API",
                                        "HSA_FINALIZE_EXT_API",
                                        "HIP_RUNTIME_API",
                                        "HIP_COMPILER_API",
                                        "MARKER_CORE_API",
                                        "MARKER_CONTROL_API",
                                        "MARKER_NAME_API",
                                        "MEMORY_COPY",
                                        "KERNEL_DISPATCH",
                                        "SCRATCH_MEMORY",
                                        "CORRELATION_ID_RETIREMENT",
                                        "RCCL_API",
                                        "OMPT",
                                        "MEMORY_ALLOCATION",
                                        "RUNTIME_INITIALIZATION",
                                        "ROCDECODE_API",
                                        "ROCJPEG_API",
                                        "HIP_STREAM",
                                        "HIP_RUNTIME_API_EXT",
                                        "HIP_COMPILER_API_EXT",
                                        "ROCDECODE_API_EXT",
                                        "KFD_EVENT_PAGE_MIGRATE",
                                        "KFD_EVENT_PAGE_FAULT",
                                        "KFD_EVENT_QUEUE",
                                        "KFD_EVENT_UNMAP_FROM_GPU",
                                        "KFD_EVENT_DROPPED_EVENTS",
                                        "KFD_PAGE_MIGRATE",
                                        "KFD_PAGE_FAULT",
                                        "KFD_QUEUE",
                                        "MARKER_CORE_RANGE_API",
                                        "HIP_GRAPH",
                                        "ROCSHMEM_API",
                                        "ROCSHMEM_API_EXT",
                                        "HIPFILE_API",
                                        "HIPFILE_API_EXT",
                                        "HIP_EVENT"};
static_assert(std::size(kBufferKinds) == ROCPROFILER_BUFFER_TRACING_LAST);

constexpr const char* kRequestKinds[] = {"NONE",
                                         "HSA_CORE_API",
                                         "HSA_AMD_EXT_API",
                                         "HSA_IMAGE_EXT_API",
                                         "HSA_FINALIZE_EXT_API",
                                         "HIP_RUNTIME_API",
                                         "HIP_COMPILER_API",
                                         "MARKER_CORE_API",
                                         "MARKER_CONTROL_API",
                                         "MARKER_NAME_API",
                                         "MEMORY_COPY",
                                         "KERNEL_DISPATCH",
                                         "SCRATCH_MEMORY",
                                         "RCCL_API",
                                         "OMPT",
                                         "MEMORY_ALLOCATION",
                                         "ROCDECODE_API",
                                         "ROCJPEG_API",
                                         "MARKER_CORE_RANGE_API"};
static_assert(std::size(kRequestKinds) == ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST);

constexpr const char* kCodeObject[] = {"CODE_OBJECT_NONE", "CODE_OBJECT_LOAD",
                                       "CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER",
                                       "CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER"};
constexpr const char* kScratch[] = {"SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE",
                                    "SCRATCH_MEMORY_ASYNC_RECLAIM"};
constexpr const char* kDispatch[] = {"KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE",
                                     "KERNEL_DISPATCH_COMPLETE"};
constexpr const char* kReplay[] = {"KERNEL_REPLAY_NONE", "KERNEL_REPLAY_CONFIG", "KERNEL_REPLAY_PASS"};
constexpr const char* kCopy[] = {"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                                 "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"};
constexpr const char* kAllocation[] = {"MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE",
                                       "MEMORY_ALLOCATION_VMEM_ALLOCATE", "MEMORY_ALLOCATION_FREE",
                                       "MEMORY_ALLOCATION_VMEM_FREE"};
constexpr const char* kStream[] = {"HIP_STREAM_NONE", "HIP_STREAM_CREATE", "HIP_STREAM_DESTROY",
                                   "HIP_STREAM_SET"};
constexpr const char* kGraph[] = {"HIP_GRAPH_OPERATION_NONE", "HIP_GRAPH_EXEC_CREATE",
                                  "HIP_GRAPH_EXEC_DESTROY", "HIP_GRAPH_EXEC_LAUNCH"};
constexpr const char* kRuntime[] = {"RUNTIME_INITIALIZATION_NONE",     "RUNTIME_INITIALIZATION_HSA",
                                    "RUNTIME_INITIALIZATION_HIP",      "RUNTIME_INITIALIZATION_MARKER",
                                    "RUNTIME_INITIALIZATION_RCCL",     "RUNTIME_INITIALIZATION_ROCDECODE",
                                    "RUNTIME_INITIALIZATION_ROCJPEG",  "RUNTIME_INITIALIZATION_OMPT",
                                    "RUNTIME_INITIALIZATION_ROCSHMEM", "RUNTIME_INITIALIZATION_HIPFILE"};

struct StatusRow {
  const char* name;
  const char* text;
};
#define KR_STATUS(name, text) \
  { "ROCPROFILER_STATUS_" #name, text }
constexpr StatusRow kStatus[] = {
    KR_STATUS(SUCCESS, "no error"),
    KR_STATUS(ERROR, "an error without a more exact code"),
    KR_STATUS(ERROR_CONTEXT_NOT_FOUND, "no context has this id, or it is not active"),
    KR_STATUS(ERROR_BUFFER_NOT_FOUND, "no buffer has this id"),
    KR_STATUS(ERROR_KIND_NOT_FOUND, "no domain has this kind"),
    KR_STATUS(ERROR_OPERATION_NOT_FOUND, "the domain has no such operation"),
    KR_STATUS(ERROR_THREAD_NOT_FOUND, "no callback thread has this id"),
    KR_STATUS(ERROR_AGENT_NOT_FOUND, "no agent has this id"),
    KR_STATUS(ERROR_COUNTER_NOT_FOUND, "no counter has this id"),
    KR_STATUS(ERROR_CONTEXT_ERROR, "the operation on the context failed or is not allowed here"),
    KR_STATUS(ERROR_CONTEXT_INVALID, "the context is not valid for this service"),
    KR_STATUS(ERROR_CONTEXT_NOT_STARTED, "the context is not started"),
    KR_STATUS(ERROR_CONTEXT_CONFLICT, "another service or an active context stands in the way"),
    KR_STATUS(ERROR_CONTEXT_ID_NOT_ZERO, "the context id was not zero on entry"),
    KR_STATUS(ERROR_BUFFER_BUSY, "the buffer is in use"),
    KR_STATUS(ERROR_SERVICE_ALREADY_CONFIGURED, "the service is configured already"),
    KR_STATUS(ERROR_CONFIGURATION_LOCKED, "configuration is possible only while the tool is initialised"),
    KR_STATUS(ERROR_NOT_IMPLEMENTED, "the service does not exist in this library"),
    KR_STATUS(ERROR_INCOMPATIBLE_ABI, "the tool was built against structures this library does not have"),
    KR_STATUS(ERROR_INVALID_ARGUMENT, "an argument is not valid"),
    KR_STATUS(ERROR_METRIC_NOT_VALID_FOR_AGENT, "the agent does not have this counter"),
    KR_STATUS(ERROR_FINALIZED, "the library is finalised"),
    KR_STATUS(ERROR_HSA_NOT_LOADED, "the HSA runtime is not loaded"),
    KR_STATUS(ERROR_DIM_NOT_FOUND, "the counter has no such dimension"),
    KR_STATUS(ERROR_PROFILE_COUNTER_NOT_FOUND, "the agent's counter set does not hold this counter"),
    KR_STATUS(ERROR_AST_GENERATION_FAILED, "the counter expression could not be read"),
    KR_STATUS(ERROR_AST_NOT_FOUND, "the counter has no expression"),
    KR_STATUS(ERROR_AQL_NO_EVENT_COORD, "the counter event has no coordinate"),
    KR_STATUS(ERROR_INCOMPATIBLE_KERNEL, "the kernel cannot be used with this service"),
    KR_STATUS(ERROR_OUT_OF_RESOURCES, "memory or another resource ran out"),
    KR_STATUS(ERROR_CONFIG_NOT_FOUND, "no counter set has this id"),
    KR_STATUS(ERROR_AGENT_DISPATCH_CONFLICT, "agent and dispatch counting exclude each other in one context"),
    KR_STATUS(INTERNAL_NO_AGENT_CONTEXT, "the context counts on no agent"),
    KR_STATUS(ERROR_SAMPLE_RATE_EXCEEDED, "samples are asked for faster than they can be taken"),
    KR_STATUS(ERROR_NO_PROFILE_QUEUE, "the agent has no queue to count on"),
    KR_STATUS(ERROR_NO_HARDWARE_COUNTERS, "the counter set holds no hardware counter"),
    KR_STATUS(ERROR_AGENT_MISMATCH, "the counter set belongs to another agent"),
    KR_STATUS(ERROR_NOT_AVAILABLE, "the service is not available on this system"),
    KR_STATUS(ERROR_EXCEEDS_HW_LIMIT, "the counter set does not fit the hardware in one pass"),
    KR_STATUS(ERROR_AGENT_ARCH_NOT_SUPPORTED, "the service does not exist for the agent's architecture"),
    KR_STATUS(ERROR_PERMISSION_DENIED, "the process lacks a permission"),
    KR_STATUS(ERROR_INCOMPATIBLE_REGISTER_VERSION,
              "no rocprofiler-register that can answer is in the process"),
};
#undef KR_STATUS
static_assert(std::size(kStatus) == ROCPROFILER_STATUS_LAST);

template <size_t N>
constexpr const char* at(const char* const (&names)[N], int index) {
  return index >= 0 && static_cast<size_t>(index) < N ? names[index] : nullptr;
}

}  // namespace

bool is_replay_kind(int kind, unsigned preferred) {
  if (preferred == 26) return kind == 26;
  return kind == 25 || kind == 26;
}

KindSupport callback_kind_support(int kind, unsigned preferred) {
  if (is_replay_kind(kind, preferred)) return KindSupport::served;
  if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH ||
      kind == ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT)
    return KindSupport::served;
  return kind > 0 && callback_kind_name(kind, preferred) != nullptr ? KindSupport::known
                                                                    : KindSupport::unknown;
}

KindSupport buffer_kind_support(int kind) {
  if (kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH) return KindSupport::served;
  return kind > 0 && buffer_kind_name(kind) != nullptr ? KindSupport::known : KindSupport::unknown;
}

const char* callback_kind_name(int kind, unsigned preferred) {
  if (is_replay_kind(kind, preferred)) return "KERNEL_REPLAY";
  if (kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY)
    return "HIP_EVENT";  // with the other numbering only
  return at(kCallbackKinds, kind);
}

const char* buffer_kind_name(int kind) { return at(kBufferKinds, kind); }

int callback_kind_end(unsigned preferred) {
  return preferred == 26 ? 27 : static_cast<int>(ROCPROFILER_CALLBACK_TRACING_LAST);
}

std::span<const char* const> callback_operation_names(int kind, unsigned preferred) {
  if (is_replay_kind(kind, preferred)) return kReplay;
  switch (kind) {
    case ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT:
      return kCodeObject;
    case ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY:
      return kScratch;
    case ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH:
      return kDispatch;
    case ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY:
      return kCopy;
    case ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION:
      return kAllocation;
    case ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION:
      return kRuntime;
    case ROCPROFILER_CALLBACK_TRACING_HIP_STREAM:
      return kStream;
    case ROCPROFILER_CALLBACK_TRACING_HIP_GRAPH:
      return kGraph;
    default:
      return {};
  }
}

std::span<const char* const> buffer_operation_names(int kind) {
  switch (kind) {
    case ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY:
      return kScratch;
    case ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH:
      return kDispatch;
    case ROCPROFILER_BUFFER_TRACING_MEMORY_COPY:
      return kCopy;
    case ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION:
      return kAllocation;
    case ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION:
      return kRuntime;
    case ROCPROFILER_BUFFER_TRACING_HIP_STREAM:
      return kStream;
    case ROCPROFILER_BUFFER_TRACING_HIP_GRAPH:
      return kGraph;
    default:
      return {};
  }
}

const char* external_correlation_kind_name(int kind) { return at(kRequestKinds, kind); }

const char* status_name(int status) {
  return status >= 0 && status < ROCPROFILER_STATUS_LAST ? kStatus[status].name : nullptr;
}
const char* status_text(int status) {
  return status >= 0 && status < ROCPROFILER_STATUS_LAST ? kStatus[status].text : nullptr;
}

}  // namespace kreplay::tool_api
