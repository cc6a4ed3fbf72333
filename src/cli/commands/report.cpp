#include <cerrno>
#include <cstring>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/show_options.hpp"
#include "cli/export_csv.hpp"
#include "cli/export_sqlite.hpp"
#include "cli/export_trace.hpp"
#include "cli/output.hpp"
#include "cli/report_formats.hpp"

namespace kreplay::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> files;
  std::string format = "table", output;
  ShowOptions show;
};

using ReportFormat = std::string (*)(const Results&, const View&);
const std::map<std::string, ReportFormat> kTextFormats = {
    {"table", report_table}, {"md", report_markdown}, {"json", report_json}, {"html", report_html}};

/// Says what is odd. @return the exit status
int ended(const Status& status, const Notes& notes) {
  for (const std::string& note : notes) say(note);
  if (!status) say(status.message());
  return status ? 0 : kUsage;
}

using StreamFormat = Status (*)(const std::vector<std::string>&, std::FILE*, Notes*);
const std::map<std::string, StreamFormat> kStreamFormats = {{"csv", export_csv}, {"trace", export_trace}};

int stream_command(const ReportArguments& args, StreamFormat format) {
  Notes notes;
  if (args.output.empty()) return ended(format(args.files, stdout, &notes), notes);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(args.output.c_str(), "w"),
                                                             std::fclose);
  if (file == nullptr) return ended({Error::io, args.output + ": " + std::strerror(errno)}, notes);
  return ended(format(args.files, file.get(), &notes), notes);
}

int report_command(const ReportArguments& args) {
  if (const auto stream = kStreamFormats.find(args.format); stream != kStreamFormats.end())
    return stream_command(args, stream->second);
  if (args.format == "sqlite") {
    Notes notes;
    if (args.output.empty()) return ended({Error::invalid_argument, "--format sqlite needs -o FILE"}, notes);
    return ended(export_sqlite(args.files, args.output, &notes), notes);
  }
  Results results;
  if (!read_all(args.files, &results)) return kUsage;
  const std::string text = kTextFormats.at(args.format)(results, view_of(args.show));
  if (args.output.empty()) return print(text) ? 0 : kUsage;
  return write_file(args.output, text) ? 0 : kUsage;
}

}  // namespace

void add_report(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "Show one or more result files");
  command
      ->add_option("file", arguments->files, "Result files, also compressed with gzip; - is standard input")
      ->required();
  command
      ->add_option(
          "--format", arguments->format,
          "table (default), md, csv (a row per pass), json, sqlite, html (one self-contained page) or trace "
          "(for Perfetto and Chrome's viewer)")
      ->check(CLI::IsMember({"table", "md", "csv", "json", "sqlite", "html", "trace"}));
  command->add_option("-o,--output", arguments->output,
                      "Write to this file; needed for sqlite, which never overwrites one");
  add_view_options(*command, &arguments->show);
  command->footer(
      "Exit status: 0, or 2 when a file cannot be read or written.\n\n"
      "Example: kreplay report --format html -o run.html run-*.jsonl");
  command->final_callback([arguments, status] { *status = report_command(*arguments); });
}

}  // namespace kreplay::cli
