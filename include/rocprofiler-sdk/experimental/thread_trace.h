/* Thread trace, all of it. */
#ifndef KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_H
#define KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_H

#include <rocprofiler-sdk/experimental/thread-trace/core.h>
#include <rocprofiler-sdk/experimental/thread-trace/dispatch.h>

#endif
