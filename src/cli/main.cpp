// The kreplay program: options and their help. What the subcommands do is in run, compare and result_reader.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <climits>
#include <cstdio>

#include "base/options.hpp"
#include "cli/compare.hpp"
#include "cli/preload.hpp"
#include "cli/quantity.hpp"
#include "cli/result_reader.hpp"
#include "cli/run.hpp"

namespace {

using namespace kreplay;
using namespace kreplay::cli;

constexpr int kUsage = 2;

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "kreplay";
}

void say(const std::string& sentence) { std::fprintf(stderr, "kreplay: %s\n", sentence.c_str()); }

/// Prints everything or fails. @return false when the output could not be written
bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

struct RunArguments {
  std::string passes, kernels, exclude, launches, output, device = "gpu", batch, host_write, library;
  std::vector<std::string> tools, command;
  bool quiet = false, internal = false, allow_nothing = false;
};

int run_command(const RunArguments& args) {
  RunRequest request;
  request.command = args.command;
  request.allow_nothing = args.allow_nothing;
  const auto set = [&request](const char* name, const std::string& value) {
    if (!value.empty()) request.variables.emplace_back(name, value);
  };
  set("KREPLAY_PASSES", args.passes);
  set("KREPLAY_KERNELS", args.kernels);
  set("KREPLAY_EXCLUDE", args.exclude);
  set("KREPLAY_LAUNCHES", args.launches);
  set("KREPLAY_OUTPUT", args.output);
  set("KREPLAY_BATCH", args.batch);
  set("KREPLAY_HOST_WRITE", args.host_write);
  if (args.quiet) set("KREPLAY_QUIET", "1");
  if (args.internal) set("KREPLAY_INTERNAL_KERNELS", "1");
  std::string tools;
  for (const std::string& tool : args.tools) tools += (tools.empty() ? "" : ":") + tool;
  set("ROCP_TOOL_LIBRARIES", tools);

  std::vector<std::string> names = {"libkreplay.so"};
  if (args.device == "soft") names.emplace_back("libkreplay-softgpu.so");
  for (const std::string& name : names) {
    if (name == "libkreplay.so" && !args.library.empty()) {
      request.libraries.push_back(args.library);
      continue;
    }
    const auto found = find_library(name, own_path());
    if (!found) {
      say(found.status().message());
      return kRunFailed;
    }
    request.libraries.push_back(*found);
  }
  return run(request);
}

/// @return false after saying why
bool read_all(const std::vector<std::string>& paths, Results* results) {
  for (const std::string& path : paths) {
    if (const Status status = read_results(path, results); !status) {
      say(status.message());
      return false;
    }
  }
  for (const std::string& note : results->notes) say(note);
  return true;
}

int report_command(const std::vector<std::string>& files) {
  Results results;
  if (!read_all(files, &results)) return kUsage;
  const std::string table = report::format_summary(results.totals);
  const std::string text = results.program + " on " + results.host + ", " + results.start + "\n" +
                           (table.empty() ? "kreplay: no dispatch was seen\n" : table);
  return print(text) ? 0 : kUsage;
}

struct CompareArguments {
  std::string base, fresh, fail_over = "5%", min_effect = "1us", format = "table";
  Limits limits;
  bool fail_on_improvement = false;
};

int status_of(Verdict verdict, bool fail_on_improvement) {
  switch (verdict) {
    case Verdict::ok:
      return 0;
    case Verdict::regression:
      return 1;
    case Verdict::inconclusive:
      return 3;
    case Verdict::nothing_measured:
      return 4;
    case Verdict::not_comparable:
      return 5;
    case Verdict::improvement:
      return fail_on_improvement ? 6 : 0;
  }
  return kUsage;
}

int compare_command(CompareArguments args) {
  const auto relative = parse_ratio(args.fail_over);
  const auto absolute = parse_time_ns(args.min_effect);
  for (const Status& status : {relative.status(), absolute.status()}) {
    if (!status) {
      say(status.message());
      return kUsage;
    }
  }
  args.limits.relative = *relative;
  args.limits.absolute_ns = *absolute;
  Results base, fresh;
  if (!read_all({args.base}, &base) || !read_all({args.fresh}, &fresh)) return kUsage;
  const Comparison comparison = compare(base, fresh, args.limits);
  const std::string text =
      args.format == "json" ? format_json(comparison, args.limits) : format_table(comparison, args.limits);
  return print(text) ? status_of(comparison.verdict, args.fail_on_improvement) : kUsage;
}

int command_line(int argc, char** argv) {
  CLI::App app{
      "Kernel replay for AMD GPUs: run each selected kernel several times inside one application run."};
  app.set_version_flag("--version", "kreplay " KREPLAY_VERSION);
  app.require_subcommand(1);
  app.footer("See kreplay SUBCOMMAND --help, and docs/cli.md for exit statuses.");

  RunArguments run_args;
  CLI::App* run_app =
      app.add_subcommand("run", "Run a program with replay: kreplay run [options] -- program [arguments...]");
  run_app->add_option("--passes", run_args.passes, "How often each selected dispatch runs (default: 5)");
  run_app->add_option("--kernels", run_args.kernels,
                      "Only kernels whose demangled name matches this regular expression");
  run_app->add_option("--exclude", run_args.exclude, "Not these kernels");
  run_app->add_option("--launches", run_args.launches,
                      "Which launches of each kernel: 1, 2-5, 10-, comma separated");
  run_app->add_flag("--internal-kernels", run_args.internal, "Also the runtime's own fill and copy kernels");
  run_app->add_option("-o,--output", run_args.output, "Result file; %p is the process id, %h the host name");
  run_app->add_flag("--quiet", run_args.quiet, "No summary table");
  run_app->add_option("--device", run_args.device, "gpu, or soft for the software GPU")
      ->check(CLI::IsMember({"gpu", "soft"}));
  run_app
      ->add_option("--tool", run_args.tools,
                   "Tool library in place of the built-in timing tool; may be repeated")
      ->take_all();
  run_app->add_option("--batch", run_args.batch, "Several packets at once, graphs: decline or split");
  run_app->add_option("--host-write", run_args.host_write,
                      "Host memory written by a kernel: stop, restore or ignore");
  run_app->add_option("--library", run_args.library,
                      "Path of libkreplay.so, if not the one beside this program");
  run_app->add_flag("--allow-nothing", run_args.allow_nothing, "Do not fail when no dispatch was replayed");
  run_app->add_option("program", run_args.command, "The program and its arguments")->required();
  run_app->positionals_at_end();
  run_app->footer(
      "Environment (what the options above set, and more):\n" + options_help() +
      "\nExit status: the program's own; a signal that ended it ends kreplay too. 125: kreplay failed or\n"
      "nothing was measured, 126: the program cannot be run, 127: there is no such program.\n\n"
      "Example: kreplay run --passes 20 --kernels axpy -o run-%p.jsonl -- ./app --size 1000");

  std::vector<std::string> files;
  CLI::App* report_app = app.add_subcommand("report", "Print the table of one or more result files");
  report_app->add_option("file", files, "Result files")->required();
  report_app->footer(
      "Exit status: 0, or 2 when a file cannot be read.\n\nExample: kreplay report run-*.jsonl");

  CompareArguments compare_args;
  CLI::App* compare_app = app.add_subcommand("compare", "Compare two result files, kernel by kernel");
  compare_app->add_option("base", compare_args.base, "Result file to compare with")->required();
  compare_app->add_option("new", compare_args.fresh, "Result file to judge")->required();
  compare_app->add_option("--fail-over", compare_args.fail_over, "Relative limit, e.g. 5% (default) or 0.05");
  compare_app->add_option("--min-effect", compare_args.min_effect,
                          "Absolute limit, e.g. 1us (default), 500ns, 2ms");
  compare_app->add_option("--alpha", compare_args.limits.alpha, "Share of false alarms allowed among alarms")
      ->check(CLI::Range(1e-9, 0.5))
      ->capture_default_str();
  compare_app->add_option("--format", compare_args.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  compare_app->add_flag("--ignore-machine", compare_args.limits.ignore_machine,
                        "Compare even if the machines differ");
  compare_app->add_flag("--allow-removed", compare_args.limits.allow_removed,
                        "Kernels missing in the new file are fine");
  compare_app->add_flag("--fail-on-improvement", compare_args.fail_on_improvement,
                        "Exit with 6 when kernels got faster");
  compare_app->footer(
      "Exit status: 0 no regression, 1 regression, 2 usage or unreadable input, 3 inconclusive,\n"
      "4 nothing measured, 5 not comparable, 6 improvement (with --fail-on-improvement only).\n\n"
      "Example: kreplay compare --fail-over 3% base.jsonl new.jsonl");

  try {
    app.parse(argc, argv);
    if (run_app->parsed()) return run_command(run_args);
    if (report_app->parsed()) return report_command(files);
    return compare_command(compare_args);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    if (status == 0) return 0;  // --help, --version
    return run_app->parsed() || (argc > 1 && std::string(argv[1]) == "run") ? kRunFailed : kUsage;
  } catch (const std::exception& error) {
    say(error.what());
    return argc > 1 && std::string(argv[1]) == "run" ? kRunFailed : kUsage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return command_line(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kreplay: %s\n", error.what());
    return kUsage;
  }
}
