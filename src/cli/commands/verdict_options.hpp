// What subcommands that give a verdict have in common: limits, formats, exit statuses.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands/show_options.hpp"

namespace kreplay::cli {

struct VerdictOptions {
  std::string fail_over, min_effect, min_effect_per_run, run_over, launches_over, limits_file,
      format = "table";
  std::optional<double> alpha;
  ShowOptions show;
  bool ignore_machine = false, ignore_options = false, allow_removed = false, fail_on_improvement = false,
       allow_truncated = false;
};

inline constexpr const char* kVerdictHelp =
    "Exit status: 0 no regression, 1 regression, 2 usage or unreadable input, 3 inconclusive,\n"
    "4 nothing measured, 5 not comparable, 6 improvement (with --fail-on-improvement only).\n";

void add_verdict_options(CLI::App& command, VerdictOptions* options);

/// The limits file first, then what the command line says.
/// @return false after saying what is wrong
bool gather_policy(const VerdictOptions& options, Policy* policy);

/// Compares, prints in the format asked for. @return the exit status
int print_verdict(Results& base, Results& fresh, Pairing pairing, const Policy& policy,
                  const VerdictOptions& options);

}  // namespace kreplay::cli
