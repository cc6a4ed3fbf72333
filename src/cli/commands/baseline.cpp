#include "cli/baseline_store.hpp"

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"
#include "cli/report_formats.hpp"

namespace kreplay::cli {
namespace {

struct BaselineArguments {
  std::string store = "kreplay-baselines";
  std::vector<std::string> files;
  size_t keep = 10;
  bool replace = false;
};

/// @return whether all files are in the store
bool update(const BaselineArguments& args) {
  BaselineStore store(args.store);
  std::set<std::string> cleared;
  for (const std::string& file : args.files) {
    if (args.replace) {
      Results results;
      if (!read_all({file}, &results)) return false;
      const std::string& key = results.processes.front().header.machine_key;
      if (cleared.insert(key).second) {
        if (const Status gone = store.clear(key); !gone) {
          say(gone.message());
          return false;
        }
      }
    }
    const auto added = store.add(file, args.keep);
    if (!added) {
      say(added.status().message());
      return false;
    }
    say(fmt::format("{}: baseline of machine {}, {} run{}", added->path, added->machine_key, added->runs,
                    added->runs == 1 ? "" : "s"));
  }
  return true;
}

int show(const std::string& folder) {
  const auto machines = BaselineStore(folder).machines();
  if (!machines) {
    say(machines.status().message());
    return kUsage;
  }
  std::string text;
  for (const auto& machine : *machines) {
    text += fmt::format("machine {}: {} run{}\n", machine.key, machine.runs.size(),
                        machine.runs.size() == 1 ? "" : "s");
    Results results;
    if (!read_all(machine.runs, &results)) return kUsage;
    if (!results.processes.empty())
      for (const auto& [name, value] : results.processes.back().header.machine)
        text += fmt::format("  {}: {}\n", name, value);
    for (const Process& process : results.processes) text += "  " + process_line(process) + "\n";
  }
  return print(text) ? 0 : kUsage;
}

void add_store_option(CLI::App& command, BaselineArguments* arguments) {
  command.add_option("--store", arguments->store, "Folder of the store")->capture_default_str();
}

}  // namespace

void add_baseline(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<BaselineArguments>();
  CLI::App* command = app.add_subcommand("baseline", "Keep runs to compare with, by machine");
  command->require_subcommand(1);
  CLI::App* update_app = command->add_subcommand("update", "Add runs to the store");
  update_app->add_option("file", arguments->files, "Result files; each is a run")->required();
  add_store_option(*update_app, arguments.get());
  update_app->add_option("--keep", arguments->keep, "Runs to keep per machine, the newest")
      ->check(CLI::Range(size_t{1}, size_t{1000}))
      ->capture_default_str();
  update_app->add_flag("--replace", arguments->replace,
                       "Drop the machine's earlier runs: a change is accepted");
  update_app->final_callback([arguments, status] { *status = update(*arguments) ? 0 : kUsage; });
  CLI::App* show_app = command->add_subcommand("show", "List machines and runs");
  add_store_option(*show_app, arguments.get());
  show_app->final_callback([arguments, status] { *status = show(arguments->store); });
  const std::string compare =
      "Compare with the runs of the same machine: kreplay compare STORE new.jsonl\n\n";
  const std::string updated =
      "Exit status: 0, or 2 when a file cannot be read, is unfit, or the store cannot be written.\n\n"
      "Example: kreplay baseline update --store baselines run-1.jsonl run-2.jsonl";
  command->footer(compare + updated);
  update_app->footer(compare + updated);
  show_app->footer(
      "Exit status: 0, or 2 when the store or a run in it cannot be read.\n\n"
      "Example: kreplay baseline show --store baselines");
}

}  // namespace kreplay::cli
