#include "cli/history.hpp"

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"
#include "cli/text_table.hpp"

namespace kreplay::cli {
namespace {

struct HistoryArguments {
  std::string store, output, format = "table";
  size_t columns = 0;
  bool full_names = false;
};

int history_command(const HistoryArguments& args) {
  const auto machines = read_history(BaselineStore(args.store));
  if (!machines) {
    say(machines.status().message());
    return kUsage;
  }
  const std::string text =
      args.format == "html"
          ? history_html(*machines)
          : history_table(*machines, args.columns != 0 ? args.columns : output_columns(), args.full_names);
  return (args.output.empty() ? print(text) : write_file(args.output, text)) ? 0 : kUsage;
}

}  // namespace

void add_history(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<HistoryArguments>();
  CLI::App* command =
      app.add_subcommand("history", "Show how kernels' times went over the runs of a store of baselines");
  command->add_option("store", arguments->store, "Folder of the store (kreplay baseline)")->required();
  command
      ->add_option("--format", arguments->format,
                   "table (default; trends that step) or html (one self-contained page)")
      ->check(CLI::IsMember({"table", "html"}));
  command->add_option("-o,--output", arguments->output, "Write to this file");
  command->add_flag("--full-names", arguments->full_names, "Do not shorten the names of kernels");
  command
      ->add_option("--columns", arguments->columns,
                   "Width of the table (default: of the terminal, COLUMNS, or 200)")
      ->check(CLI::Range(size_t{40}, size_t{10'000}));
  command->footer(
      "Exit status: 0, or 2 when the store or a run in it cannot be read.\n\n"
      "Example: kreplay history --format html -o history.html kreplay-baselines");
  command->final_callback([arguments, status] { *status = history_command(*arguments); });
}

}  // namespace kreplay::cli
