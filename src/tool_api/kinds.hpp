// Kinds and operations of the tracing domains: which numbers exist, their names, and what this build serves.
#pragma once

#include <cstdint>
#include <span>

#include "rocprofiler-sdk/fwd.h"

namespace kreplay::tool_api {

/// Operation numbers from here on are refused whatever the kind, as upstream refuses them.
constexpr rocprofiler_tracing_operation_t kMaxOperations = 1024;

enum class KindSupport {
  unknown,  ///< no such kind
  known,    ///< exists, but nothing here produces its records
  served,
};

/// Numbers under which KERNEL_REPLAY is accepted. Upstream's is 25, or 26 where HIP_EVENT was merged first;
/// no header settles it. With `preferred` 26 the number 25 is HIP_EVENT, which is not served.
/// @param preferred KREPLAY_REPLAY_KIND
bool is_replay_kind(int kind, unsigned preferred);

KindSupport callback_kind_support(int kind, unsigned preferred);
KindSupport buffer_kind_support(int kind);

/// Name without prefix; null for a number that is no kind.
const char* callback_kind_name(int kind, unsigned preferred);
const char* buffer_kind_name(int kind);

/// One past the largest callback kind that iteration reports.
int callback_kind_end(unsigned preferred);

/// Names of a kind's operations from NONE on; empty for the API domains, of which this build traces none.
std::span<const char* const> callback_operation_names(int kind, unsigned preferred);
std::span<const char* const> buffer_operation_names(int kind);

const char* external_correlation_kind_name(int kind);
const char* status_name(int status);
const char* status_text(int status);

}  // namespace kreplay::tool_api
