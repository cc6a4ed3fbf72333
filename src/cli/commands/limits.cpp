#include "cli/commands/commands.hpp"
#include "cli/conditions.hpp"
#include "cli/output.hpp"
#include "cli/suggest_limits.hpp"

namespace kreplay::cli {
namespace {

struct LimitsArguments {
  std::vector<std::string> paths;
  std::string output;
};

int limits_command(const LimitsArguments& args) {
  Results results;
  for (const std::string& path : args.paths)
    if (!read_side(path, &results)) return kUsage;
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
  command->add_option("-o,--output", arguments->output, "Write the limits file here");
  command->footer(
      "Exit status: 0, 2 usage or unreadable input, 4 too few runs, 5 runs that are not comparable.\n\n"
      "Example: kreplay limits -o limits.toml same-build-*.jsonl");
  command->final_callback([arguments, status] { *status = limits_command(*arguments); });
}

}  // namespace kreplay::cli
