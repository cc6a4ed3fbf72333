#include "cli/doctor.hpp"

#include "cli/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/load_probe.hpp"
#include "cli/output.hpp"
#include "cli/preload.hpp"
#include "cli/probe.hpp"

namespace kreplay::cli {
namespace {

struct DoctorArguments {
  std::string device = "gpu", library;
  bool probe = false;
  LoadProbe loading;
};

int doctor_command(const DoctorArguments& args) {
  if (args.probe) return probe();
  if (!args.loading.preloads.empty()) load_and_tell(args.loading);
  DoctorRequest request;
  request.soft = args.device == "soft";
  request.version = KREPLAY_VERSION;
  const auto libraries = libraries_to_preload(args.library, request.soft);
  if (!libraries) {
    Findings findings = {{Finding::Kind::problem, "library", libraries.status().message(),
                          "install libkreplay completely, or name the library with --library"}};
    (void)print(format_findings(findings));
    return 1;
  }
  request.libraries = *libraries;
  const Findings findings = examine(request);
  if (!print(format_findings(findings))) return kUsage;
  return any_problem(findings) ? 1 : 0;
}

}  // namespace

void add_doctor(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command =
      app.add_subcommand("doctor", "Look at what a run needs, and say what to do about problems");
  command->add_option("--device", arguments->device, "gpu, or soft for the software GPU")
      ->check(CLI::IsMember({"gpu", "soft"}))
      ->type_name("KIND");
  command
      ->add_option("--library", arguments->library,
                   "Path of libkreplay.so, if not the one beside this program")
      ->type_name("PATH");
  // Asks the runtime in a process of its own; the command starts itself with it.
  command->add_flag("--probe", arguments->probe)->group("");
  // The same for probe_loading().
  command->add_option("--load-library", arguments->loading.preloads)->group("");
  command->add_option("--load-tool", arguments->loading.tools)->group("");
  command->add_flag("--load-exports", arguments->loading.exports)->group("");
  command->footer(
      "Exit status: 0 when nothing stands in the way of a run, 1 when there is a problem, 2 for wrong "
      "usage.\n\n"
      "Example: kreplay doctor --device soft");
  command->final_callback([arguments, status] { *status = doctor_command(*arguments); });
}

}  // namespace kreplay::cli
