// Reads result files (docs/results.md) back, line by line, keeping what reports and comparisons need.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {

/// Kernels are compared per launch shape.
struct ShapeKey {
  std::string kernel;  ///< demangled
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> workgroup{};
  auto operator<=>(const ShapeKey&) const = default;
};

/// Pass times of one kernel and shape, ns. Beyond kMost an even sample of all (chosen the same way every
/// time).
struct Samples {
  static constexpr size_t kMost = 4096;
  std::vector<double> ns;
  uint64_t seen = 0;
  void add(double value);
};

struct Results {
  // Of the first file's header.
  std::string program, host, start, machine_key, producer;
  std::map<std::string, std::string> machine;  ///< facts behind the key
  std::vector<std::string> cache_modes;        ///< distinct, sorted

  report::Totals totals;
  std::map<ShapeKey, Samples> samples;
  std::vector<std::string> notes;  ///< one sentence per oddity: truncated file, unreadable lines
};

/// Adds one file to `results`.
/// @return Error::io when it cannot be read; invalid_argument when it is empty, not a result file, or of a
///         schema this program does not know
Status read_results(const std::string& path, Results* results);

}  // namespace kreplay::cli
