#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/conditions.hpp"
#include "cli/output.hpp"
#include "cli/suggest_limits.hpp"

namespace kreplay::cli {
namespace {

struct LimitsArguments {
  std::vector<std::string> paths;
  std::string output;
  bool ignore_code = false;
};

/// Files, and those in folders. A folder without any stays, for the reader to say so.
std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    const std::vector<std::string> inside = folder ? result_files(path) : std::vector<std::string>{};
    files.insert(files.end(), inside.begin(), inside.end());
    if (inside.empty()) files.push_back(path);
  }
  return files;
}

/// Reads the runs, each once: one may be standard input.
/// @param other_build what tells that they are not of one build: a kernel whose code is another one; else
/// empty
/// @return false after saying what could not be read
bool read_runs(const std::vector<std::string>& paths, Results* results, std::string* other_build) {
  std::map<std::string, std::pair<std::string, std::set<std::string>>> seen;  // by kernel: file and hashes
  for (const std::string& file : files_of(paths)) {
    results->facts.clear();
    results->notes.clear();
    if (!read_side(file, results)) return false;
    for (const auto& [kernel, facts] : results->facts) {
      const auto hashes = facts.find("code_hash");
      if (hashes == facts.end()) continue;
      const auto [place, first] = seen.try_emplace(kernel, file, hashes->second);
      if (!first && place->second.second != hashes->second && other_build->empty())
        *other_build = "the code of " + kernel + " in " + file + " is not that in " + place->second.first;
    }
  }
  return true;
}

int limits_command(const LimitsArguments& args) {
  Results results;
  std::string other_build;
  if (!read_runs(args.paths, &results, &other_build)) return kUsage;
  if (!args.ignore_code && !other_build.empty()) {
    say("no limits from these runs: " + other_build +
        "; record one build several times, or give --ignore-code");
    return kNotComparable;
  }
  if (const std::string why = mismatch(results, results, {}); !why.empty()) {
    say("no limits from these runs: " + why);
    return kNotComparable;
  }
  const std::vector<SuggestedLimit> limits = suggest_limits(results);
  if (limits.empty()) {
    say("no kernel was measured in " + std::to_string(kLeastRunsForLimits) +
        " runs or more (given: " + std::to_string(results.runs) + "); record the same build several times");
    return kNothingMeasured;
  }
  const std::string text = limits_toml(limits, results.runs);
  const bool written = args.output.empty() ? print(text) : write_file(args.output, text);
  return written ? 0 : kUsage;
}

}  // namespace

void add_limits(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<LimitsArguments>();
  CLI::App* command =
      app.add_subcommand("limits", "Suggest limits for compare from repeated runs of one build");
  command->add_option("runs", arguments->paths, "Result files, or folders of them; each file is a run")
      ->required();
  command->add_flag("--ignore-code", arguments->ignore_code,
                    "Take runs whose kernels have other code than one another");
  command->add_option("-o,--output", arguments->output, "Write the limits file here");
  command->footer(
      "Exit status: 0, 2 usage or unreadable input, 4 too few runs, 5 runs that are not comparable.\n\n"
      "Example: kreplay limits -o limits.toml same-build-*.jsonl");
  command->final_callback([arguments, status] { *status = limits_command(*arguments); });
}

}  // namespace kreplay::cli
