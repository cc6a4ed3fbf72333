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

/// Why there is nothing to compare with, as before the first run of a job or after a cache was emptied; empty
/// when there is something.
/// @param from where the runs would be
std::string no_baseline(const std::string& base, const std::string& from, const std::string& key) {
  std::error_code ignored;
  if (base == "-") return {};
  if (base != from && (!std::filesystem::is_directory(from, ignored) || result_files(from).empty()))
    return base + ": has no baseline for this machine (key " + key + ")";
  if (!std::filesystem::exists(base, ignored)) return base + ": there is no baseline";
  if (std::filesystem::is_directory(base, ignored) && base == from && result_files(base).empty())
    return base + ": holds no baseline";
  return {};
}

std::string how_to_make(const CompareArguments& args) {
  if (const auto extension = std::filesystem::path(args.base).extension();
      extension == ".jsonl" || extension == ".gz")
    return "kreplay run -o " + args.base + " -- program makes one";
  return "kreplay baseline update --store " + args.base + " " + args.fresh + " makes one";
}

int compare_command(const CompareArguments& args) {
  Policy policy;
  if (!gather_policy(args.verdict, &policy)) return kUsage;
  Results base, fresh;
  if (!read_side(args.fresh, &fresh)) return kUsage;
  const std::string& key = fresh.processes.front().header.machine_key;
  std::string from = args.base;
  if (BaselineStore::is_store(from)) from = BaselineStore(from).folder_of(key);
  if (const std::string why = no_baseline(args.base, from, key); !why.empty()) {
    say(why + "; " + how_to_make(args));
    return kNotComparable;
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
