// Options on what is shown; none of them changes a verdict.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/show.hpp"

namespace kreplay::cli {

struct ShowOptions {
  View view;
  size_t columns = 0;  ///< 0: those of the terminal
  bool changed = false;
  std::vector<std::string> states;
  std::string full;
};

/// --top, --full-names, --columns.
void add_view_options(CLI::App& command, ShowOptions* options);
/// Those, and --changed, --status, --full: of subcommands that compare.
void add_show_options(CLI::App& command, ShowOptions* options);

View view_of(const ShowOptions& options);
Show show_of(const ShowOptions& options);

/// Prints a comparison, and writes all of it to the file of --full. @return false after saying what failed
/// @param base, fresh what was compared
bool print_comparison(const Comparison& comparison, const Policy& policy, const std::string& format,
                      const ShowOptions& options, const Results& base, const Results& fresh);
/// Names of the formats of print_comparison().
std::vector<std::string> comparison_formats();

}  // namespace kreplay::cli
