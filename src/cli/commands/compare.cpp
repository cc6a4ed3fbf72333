#include "cli/compare.hpp"

#include <filesystem>

#include "cli/baseline_store.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/verdict_options.hpp"
#include "cli/output.hpp"

namespace kreplay::cli {
namespace {

struct CompareArguments {
  std::string base, fresh;
  VerdictOptions verdict;
};

int compare_command(const CompareArguments& args) {
  Policy policy;
  if (!gather_policy(args.verdict, &policy)) return kUsage;
  Results base, fresh;
  if (!read_side(args.fresh, &fresh)) return kUsage;
  std::string from = args.base;
  if (BaselineStore::is_store(from)) {
    const std::string& key = fresh.processes.front().header.machine_key;
    from = BaselineStore(from).folder_of(key);
    if (!std::filesystem::is_directory(from)) {
      say(args.base + ": has no baseline for this machine (key " + key +
          "); kreplay baseline update adds one");
      return kNotComparable;
    }
  }
  if (!read_side(from, &base)) return kUsage;
  return print_verdict(base, fresh, Pairing::none, policy, args.verdict);
}

}  // namespace

void add_compare(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "Compare two results, kernel by kernel and shape by shape");
  command
      ->add_option("base", arguments->base,
                   "Result file to compare with, folder of one per run, or store of baselines")
      ->required();
  command->add_option("new", arguments->fresh, "Result file, or folder of one per run, to judge")->required();
  add_verdict_options(*command, &arguments->verdict);
  command->footer(std::string(kVerdictHelp) +
                  "\nExample: kreplay compare --fail-over 3% base.jsonl new.jsonl");
  command->final_callback([arguments, status] { *status = compare_command(*arguments); });
}

}  // namespace kreplay::cli
