// The subcommands of the kreplay program: options, help, and the call of what does the work. One file each.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/results.hpp"

namespace kreplay::cli {

constexpr int kUsage = 2;  ///< exit status of every subcommand but `run`: wrong usage, unreadable input
constexpr int kNothingMeasured = 4;  ///< of subcommands that judge results
constexpr int kNotComparable = 5;

/// Each adds one subcommand. If the command line names it, it runs as the last step of CLI::App::parse and
/// leaves its exit status in `*status`, which must live until then. Exceptions of the work come out of parse.
void add_run(CLI::App& app, int* status);
void add_report(CLI::App& app, int* status);
void add_compare(CLI::App& app, int* status);
void add_limits(CLI::App& app, int* status);
void add_baseline(CLI::App& app, int* status);
void add_history(CLI::App& app, int* status);
void add_ab(CLI::App& app, int* status);
void add_merge(CLI::App& app, int* status);
void add_doctor(CLI::App& app, int* status);
/// Not shown: the build calls it.
void add_pages(CLI::App& app, int* status);

/// Reads result files and says what is odd about them.
/// @return false after saying why one of them cannot be read
bool read_all(const std::vector<std::string>& paths, Results* results);
/// Result files (*.jsonl, *.jsonl.gz) of a folder, by name.
std::vector<std::string> result_files(const std::string& folder);
/// As read_all: one file, or the files of a folder, each of which is a run.
bool read_side(const std::string& path, Results* results);

}  // namespace kreplay::cli
