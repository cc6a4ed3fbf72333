// What a comparison tolerates: limits for all kernels and for some, names that mean the same kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "cli/pattern.hpp"
#include "cli/results.hpp"

namespace kreplay::cli {

/// A change counts only if it exceeds the relative limit and one of the absolute ones.
struct Limit {
  double relative = 0.05;            ///< 0.05 is 5 %
  double absolute_ns = 1000;         ///< of a launch: smaller changes are below what can be told on hardware
  std::optional<double> per_run_ns;  ///< of all launches of a run together; if not set, ten times absolute_ns
  double run_ns() const { return per_run_ns.value_or(10 * absolute_ns); }
  bool operator==(const Limit&) const = default;
};

/// Exceptions for some kernels.
struct KernelRule {
  Pattern name;      ///< matched anywhere in the normalised name
  std::string grid;  ///< "1024x1x1"; empty: any
  std::optional<double> relative, absolute_ns;
  bool ignore = false;  ///< shown, never part of the verdict
  std::optional<double> per_run_ns;
  std::string where = {};  ///< file, line and pattern, for messages
};

/// Turns names of two builds that mean the same kernel into one.
struct Rename {
  Pattern match;
  std::string replace;     ///< as of Pattern::replaced_in
  std::string where = {};  ///< as of KernelRule
};

/// What a fact of kernels' code may be (registers, spills, LDS, scratch, code size, ...).
struct FactRule {
  std::string name;               ///< as in the kernel line of a result
  std::optional<Pattern> kernel;  ///< matched anywhere in the name; without: all
  std::optional<double> most;     ///< more is a regression
  std::optional<double> growth;   ///< over the base, 0.1 is 10 %; more is a regression
  bool ratchet = false;           ///< less than `most` is told too: the limit then has to be lowered
  std::string where = {};         ///< as of KernelRule
};

/// What the whole run may lose; without a limit of their own, what a kernel may (Limit::relative).
struct RunLimits {
  std::optional<double> time;  ///< of all kernels together
  std::optional<double> mean;  ///< geometric mean of the kernels' ratios
  double kernel_time = 0.1;    ///< of all launches of one kernel
  double launches = 0.1;       ///< of one kernel
};

struct Policy {
  Limit limit;
  RunLimits run;
  double alpha = 0.05;            ///< share of false alarms allowed among alarms, over all kernels
  double confidence = 0.95;       ///< of the interval
  bool ignore_machine = false;    ///< compare although the machines differ
  bool ignore_options = false;    ///< compare although the options of the runs differ
  bool allow_truncated = false;   ///< results that were cut off are judged like whole ones
  bool allow_removed = false;     ///< a kernel that only the base has is no reason to doubt
  std::vector<KernelRule> rules;  ///< the last that matches decides, each setting by itself
  std::vector<FactRule> facts;    ///< the last that matches decides
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
