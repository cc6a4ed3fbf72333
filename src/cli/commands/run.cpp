#include "cli/run.hpp"

#include <unistd.h>

#include "base/options.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output.hpp"
#include "cli/preload.hpp"

namespace kreplay::cli {
namespace {

struct RunArguments {
  /// Values of options that are handed on as variables, checked by the library's own reader.
  std::vector<std::pair<const char*, std::shared_ptr<std::string>>> variables;
  std::string device = "gpu", restore, library;
  std::vector<std::string> tools, command;
  bool quiet = false, internal = false, allow_nothing = false, no_progress = false;
};

int run_command(const RunArguments& args) {
  RunRequest request;
  request.command = args.command;
  request.allow_nothing = args.allow_nothing;
  request.progress = !args.no_progress && ::isatty(STDERR_FILENO) != 0;
  for (const auto& [name, value] : args.variables)
    if (!value->empty()) request.variables.emplace_back(name, *value);
  if (!args.restore.empty())
    request.variables.emplace_back("KREPLAY_HOST_WRITE", args.restore == "all" ? "restore" : "stop");
  if (args.quiet) request.variables.emplace_back("KREPLAY_QUIET", "1");
  if (args.internal) request.variables.emplace_back("KREPLAY_INTERNAL_KERNELS", "1");
  std::string tools;
  for (const std::string& tool : args.tools) tools += (tools.empty() ? "" : ":") + tool;
  if (!tools.empty()) request.variables.emplace_back("ROCP_TOOL_LIBRARIES", tools);

  const auto libraries = libraries_to_preload(args.library, args.device == "soft");
  if (!libraries) {
    say(libraries.status().message());
    return kRunFailed;
  }
  request.libraries = *libraries;
  request.soft = args.device == "soft";
  return run(request);
}

class RunOptions {
 public:
  RunOptions(CLI::App& command, RunArguments& arguments) : command_(command), arguments_(arguments) {}
  /// An option that sets a variable.
  CLI::Option* add(const char* option, const char* variable, const char* kind, const char* help) {
    auto value = std::make_shared<std::string>();
    arguments_.variables.emplace_back(variable, value);
    return command_.add_option(option, *value, help)->type_name(kind);
  }

 private:
  CLI::App& command_;
  RunArguments& arguments_;
};

void add_selection(RunOptions& options, CLI::App& command, RunArguments& arguments) {
  const char* const group = "Which launches";
  options.add("--kernels", "KREPLAY_KERNELS", "REGEX", "Only kernels whose demangled name matches")
      ->group(group);
  options.add("--exclude", "KREPLAY_EXCLUDE", "REGEX", "Not these kernels; wins over --kernels")
      ->group(group);
  options
      .add("--launches", "KREPLAY_LAUNCHES", "RANGES",
           "Which launches of each kernel and agent, counted from 1: 1, 2-5, 10-, comma separated")
      ->group(group);
  options
      .add("--from-marker", "KREPLAY_FROM_MARKER", "TEXT",
           "From this roctx mark, or the start of this roctx range, on")
      ->group(group);
  options
      .add("--to-marker", "KREPLAY_TO_MARKER", "TEXT",
           "Up to this roctx mark, or the end of this roctx range")
      ->group(group);
  options
      .add("--agents", "KREPLAY_AGENTS", "RANGES",
           "On these GPUs, counted from 0 as the runtime lists them (kreplay doctor)")
      ->group(group);
  options.add("--ranks", "KREPLAY_RANKS", "RANGES", "In these ranks of a parallel job, counted from 0")
      ->group(group);
  command.add_flag("--internal-kernels", arguments.internal, "Also the runtime's own fill and copy kernels")
      ->group(group);
}

void add_passes(RunOptions& options) {
  const char* const group = "How often";
  CLI::Option* passes =
      options.add("--passes", "KREPLAY_PASSES", "N", "How often each selected dispatch runs (default: 5)");
  CLI::Option* until =
      options.add("--until-rel-error", "KREPLAY_UNTIL_REL_ERROR", "RATIO",
                  "Until the median time is known so well, e.g. 1%: half its 95 % interval over the median");
  passes->group(group)->excludes(until);
  until->group(group);
  options
      .add("--min-passes", "KREPLAY_MIN_PASSES", "N",
           "With --until-rel-error: at least so many (default: 10)")
      ->group(group)
      ->needs(until);
  options
      .add("--max-passes", "KREPLAY_MAX_PASSES", "N",
           "With --until-rel-error: at most so many (default: 1000)")
      ->group(group)
      ->needs(until);
  options
      .add("--max-time", "KREPLAY_MAX_TIME", "SECONDS",
           "With --until-rel-error: no further pass of a dispatch after this time (default: 10)")
      ->group(group)
      ->needs(until);
  options.add("--warmup", "KREPLAY_WARMUP", "N", "Passes before those, which do not count (default: 0)")
      ->group(group);
  options
      .add("--cache", "KREPLAY_CACHE", "WHAT",
           "Caches before each pass: none leaves them as they are (default), flush empties them")
      ->group(group);
}

void add_handling(RunOptions& options, CLI::App& command, RunArguments& arguments) {
  const char* const group = "What else";
  options
      .add("-o,--output", "KREPLAY_OUTPUT", "FILE",
           "Result file; %p is the process id, %h the host name, %r the rank. Never overwritten")
      ->group(group);
  command.add_option("--device", arguments.device, "gpu (default), or soft for the software GPU")
      ->check(CLI::IsMember({"gpu", "soft"}))
      ->type_name("KIND")
      ->group(group);
  command
      .add_option("--tool", arguments.tools,
                  "Tool library in place of the built-in timing tool; may be repeated")
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("LIB")
      ->group(group);
  options
      .add("--batch", "KREPLAY_BATCH", "WHAT", "Several packets at once, graphs: decline (default) or split")
      ->group(group);
  CLI::Option* host_write = options
                                .add("--host-write", "KREPLAY_HOST_WRITE", "WHAT",
                                     "Host memory written by a kernel: stop (default), restore or ignore")
                                ->group(group);
  command
      .add_option(
          "--restore", arguments.restore,
          "What is put back between passes: device memory (default; a kernel that changes host memory "
          "stops after its first pass), or all, host memory that its arguments point at too")
      ->check(CLI::IsMember({"device", "all"}))
      ->type_name("WHAT")
      ->excludes(host_write)
      ->group(group);
  command
      .add_option("--library", arguments.library, "Path of libkreplay.so, if not the one beside this program")
      ->type_name("PATH")
      ->group(group);
  command.add_flag("--quiet", arguments.quiet, "No summary table on stderr")->group(group);
  command.add_flag("--no-progress", arguments.no_progress, "No progress line on a terminal")->group(group);
  command.add_flag("--allow-nothing", arguments.allow_nothing, "Do not fail when no dispatch was replayed")
      ->group(group);
}

}  // namespace

void add_run(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Run a program with replay");
  RunOptions options(*command, *arguments);
  add_passes(options);
  add_selection(options, *command, *arguments);
  add_handling(options, *command, *arguments);
  command->add_option("program", arguments->command, "The program and its arguments")
      ->required()
      ->type_name("");
  command->positionals_at_end();
  command->footer(
      "Environment (what the options above set, and more):\n" + options_help() +
      "\nExit status: the program's own; a signal that ended it ends kreplay too. 125: kreplay failed,\n"
      "nothing was measured or results were lost, 126: the program cannot be run, 127: there is no such "
      "program.\n\n"
      "Example: kreplay run --passes 20 --kernels axpy -o run-%p.jsonl -- ./app --size 1000");
  command->final_callback([arguments, status] { *status = run_command(*arguments); });
}

}  // namespace kreplay::cli
