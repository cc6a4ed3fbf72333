// What a comparison tolerates: limits for all kernels and for some, names that mean the same kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "cli/pattern.hpp"
#include "cli/results.hpp"

namespace kreplay::cli {

/// A change counts only if it exceeds both.
struct Limit {
  double relative = 0.05;     ///< 0.05 is 5 %
  double absolute_ns = 1000;  ///< smaller changes of the median are below what can be told on hardware
  bool operator==(const Limit&) const = default;
};

/// Exceptions for some kernels.
struct KernelRule {
  Pattern name;      ///< matched anywhere in the normalised name
  std::string grid;  ///< "1024x1x1"; empty: any
  std::optional<double> relative, absolute_ns;
  bool ignore = false;  ///< shown, never part of the verdict
};

/// Turns names of two builds that mean the same kernel into one.
struct Rename {
  Pattern match;
  std::string replace;  ///< as of Pattern::replaced_in
};

struct Policy {
  Limit limit;
  double alpha = 0.05;            ///< share of false alarms allowed among alarms, over all kernels
  double confidence = 0.95;       ///< of the interval
  bool ignore_machine = false;    ///< compare although the machines differ
  bool ignore_options = false;    ///< compare although the options of the runs differ
  bool allow_removed = false;     ///< a kernel that only the base has is no reason to doubt
  std::vector<KernelRule> rules;  ///< the last that matches decides, each setting by itself
  std::vector<Rename> renames;    ///< applied in order
};

/// What holds for one kernel.
struct KernelLimit {
  Limit limit;
  bool ignore = false;
};
KernelLimit limit_for(const Policy& policy, const ShapeKey& key);

/// The name after all renames; an empty result keeps the name.
std::string normalised(const Policy& policy, const std::string& name);
/// Samples and facts under their normalised names; what falls together is added up.
void normalise_names(const Policy& policy, Results* results);

/// Reads a limits file (docs/cli.md) into `policy`. Options of the command line come after and win.
/// @return Error::io when it cannot be read; invalid_argument with line and column when something in it is
///         unknown or has the wrong form
Status read_policy(const std::string& path, Policy* policy);

}  // namespace kreplay::cli
