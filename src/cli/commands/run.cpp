#include "cli/run.hpp"

#include <unistd.h>

#include <climits>

#include "base/options.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output.hpp"
#include "cli/preload.hpp"

namespace kreplay::cli {
namespace {

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "kreplay";
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

}  // namespace

void add_run(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("run", "Run a program with replay: kreplay run [options] -- program [arguments...]");
  command->add_option("--passes", arguments->passes, "How often each selected dispatch runs (default: 5)");
  command->add_option("--kernels", arguments->kernels,
                      "Only kernels whose demangled name matches this regular expression");
  command->add_option("--exclude", arguments->exclude, "Not these kernels");
  command->add_option("--launches", arguments->launches,
                      "Which launches of each kernel: 1, 2-5, 10-, comma separated");
  command->add_flag("--internal-kernels", arguments->internal,
                    "Also the runtime's own fill and copy kernels");
  command->add_option("-o,--output", arguments->output,
                      "Result file; %p is the process id, %h the host name");
  command->add_flag("--quiet", arguments->quiet, "No summary table");
  command->add_option("--device", arguments->device, "gpu, or soft for the software GPU")
      ->check(CLI::IsMember({"gpu", "soft"}));
  command
      ->add_option("--tool", arguments->tools,
                   "Tool library in place of the built-in timing tool; may be repeated")
      ->take_all();
  command->add_option("--batch", arguments->batch, "Several packets at once, graphs: decline or split");
  command->add_option("--host-write", arguments->host_write,
                      "Host memory written by a kernel: stop, restore or ignore");
  command->add_option("--library", arguments->library,
                      "Path of libkreplay.so, if not the one beside this program");
  command->add_flag("--allow-nothing", arguments->allow_nothing, "Do not fail when no dispatch was replayed");
  command->add_option("program", arguments->command, "The program and its arguments")->required();
  command->positionals_at_end();
  command->footer(
      "Environment (what the options above set, and more):\n" + options_help() +
      "\nExit status: the program's own; a signal that ended it ends kreplay too. 125: kreplay failed or\n"
      "nothing was measured, 126: the program cannot be run, 127: there is no such program.\n\n"
      "Example: kreplay run --passes 20 --kernels axpy -o run-%p.jsonl -- ./app --size 1000");
  command->final_callback([arguments, status] { *status = run_command(*arguments); });
}

}  // namespace kreplay::cli
