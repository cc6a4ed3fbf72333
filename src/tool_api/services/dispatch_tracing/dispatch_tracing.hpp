// Dispatch tracing (KERNEL_DISPATCH), both forms: ENQUEUE around the submission and COMPLETE with the times,
// or one record per run in a buffer.
#pragma once

#include <memory>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/external_correlation.hpp"
#include "tool_api/services/buffers.hpp"
#include "tool_api/services/kernel_services.hpp"

namespace kreplay::tool_api {

/// Where the callback form goes.
struct DispatchCallback {
  bool enqueue = false;  ///< the operations the tool asked for
  bool complete = false;
  rocprofiler_callback_tracing_cb_t function = nullptr;
  void* args = nullptr;
};

std::unique_ptr<KernelRoom> make_dispatch_callbacks(const Context& context, ExternalCorrelation& external,
                                                    const DispatchCallback& to);
std::unique_ptr<KernelRoom> make_dispatch_records(const Context& context, ExternalCorrelation& external,
                                                  std::shared_ptr<Buffer> buffer);

}  // namespace kreplay::tool_api
