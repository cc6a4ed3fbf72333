#include "cli/merge.hpp"

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"

namespace kreplay::cli {
namespace {

int merge_command(const std::vector<std::string>& files, const std::string& output) {
  const Result<Merged> merged = merge_results(files, output);
  if (!merged) {
    say(merged.status().message());
    return kUsage;
  }
  for (const std::string& note : merged->notes) say(note);
  say(fmt::format("{} file{} merged into {}", merged->files, merged->files == 1 ? "" : "s", output));
  return 0;
}

}  // namespace

void add_merge(CLI::App& app, int* status) {
  const auto files = std::make_shared<std::vector<std::string>>();
  const auto output = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("merge", "Put the result files of one job, one per rank or process, into one file");
  command->add_option("-o,--output", *output, "The file to make; it must not exist yet")
      ->required()
      ->type_name("FILE");
  command->add_option("file", *files, "Result files, also compressed with gzip; - is standard input")
      ->required()
      ->type_name("FILE");
  command->footer(
      "The files follow each other by rank, every line as it was; report and compare read the whole as one "
      "run.\n\n"
      "Exit status: 0, or 2 when a file cannot be read or the output cannot be made.\n\n"
      "Example: kreplay merge -o job.jsonl run-r*.jsonl");
  command->final_callback([files, output, status] { *status = merge_command(*files, *output); });
}

}  // namespace kreplay::cli
