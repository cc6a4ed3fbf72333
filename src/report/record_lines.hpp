// The text of each kind of line in a result file (docs/results.md). Every function appends one line, newline
// included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/json_text.hpp"
#include "report/machine_key.hpp"
#include "report/sink.hpp"

namespace kreplay::report {

/// Facts about this process that a header carries besides RunInfo.
struct ProcessInfo {
  std::string host;
  int64_t pid = 0;
  std::optional<uint64_t> rank;  ///< in a parallel job
  std::string program;           ///< path of the executable
  uint64_t start_unix_ns = 0;    ///< wall clock
  Facts machine;
};

void append_header(LineBuffer& out, const RunInfo& info, const ProcessInfo& process);
void append_kernel(LineBuffer& out, const KernelInfo& kernel);
/// Allocates nothing once the buffer has its size.
void append_dispatch(LineBuffer& out, const DispatchRecord& record);
void append_trailer(LineBuffer& out, const Totals& totals, uint64_t end_unix_ns);

}  // namespace kreplay::report
