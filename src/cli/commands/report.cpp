#include "cli/commands/commands.hpp"
#include "cli/output.hpp"

namespace kreplay::cli {
namespace {

int report_command(const std::vector<std::string>& files) {
  Results results;
  if (!read_all(files, &results)) return kUsage;
  const std::string table = report::format_summary(results.totals);
  const std::string text = results.program + " on " + results.host + ", " + results.start + "\n" +
                           (table.empty() ? "kreplay: no dispatch was seen\n" : table);
  return print(text) ? 0 : kUsage;
}

}  // namespace

void add_report(CLI::App& app, int* status) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("report", "Print the table of one or more result files");
  command->add_option("file", *files, "Result files")->required();
  command->footer("Exit status: 0, or 2 when a file cannot be read.\n\nExample: kreplay report run-*.jsonl");
  command->final_callback([files, status] { *status = report_command(*files); });
}

}  // namespace kreplay::cli
