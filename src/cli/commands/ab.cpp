#include "cli/ab.hpp"

#include <filesystem>

#include "cli/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/verdict_options.hpp"
#include "cli/output.hpp"
#include "cli/supervise.hpp"

namespace kreplay::cli {
namespace {

struct AbArguments {
  std::string base, fresh, passes, kernels, exclude, launches, device, library, keep;
  unsigned pairs = 10;
  VerdictOptions verdict;
};

/// A folder for the result files: the one asked for, or a temporary one that goes with this object.
class ResultFolder {
 public:
  explicit ResultFolder(const std::string& wanted) : path_(wanted), temporary_(wanted.empty()) {
    if (!temporary_) {
      std::filesystem::create_directories(path_);
      if (!std::filesystem::is_empty(path_)) throw std::runtime_error(path_ + ": is not empty");
      return;
    }
    path_ = (std::filesystem::temp_directory_path() / "kreplay-ab-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": cannot be created");
  }
  ~ResultFolder() { remove(); }
  /// Before a process ends without destructors. A folder that was asked for stays.
  void remove() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove_all(path_, ignored);
    temporary_ = false;
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool temporary_;
};

int ab_command(const AbArguments& args) {
  Policy policy;
  if (!gather_policy(args.verdict, &policy)) return kUsage;
  ResultFolder folder(args.keep);
  AbPlan plan{own_path(), {args.base, args.fresh}, {}, args.pairs, folder.path()};
  const std::pair<const char*, const std::string&> handed_on[] = {
      {"--passes", args.passes},     {"--kernels", args.kernels}, {"--exclude", args.exclude},
      {"--launches", args.launches}, {"--device", args.device},   {"--library", args.library}};
  for (const auto& [name, value] : handed_on)
    if (!value.empty()) plan.run_arguments.insert(plan.run_arguments.end(), {name, value});
  Results sides[2];
  int ended_by = 0;
  if (const Status ran = run_pairs(plan, sides, &ended_by); !ran) {
    say(ran.message());
    if (ended_by != 0) {
      folder.remove();
      end_as(ended_by);
    }
    return kUsage;
  }
  for (const Results& side : sides)
    for (const std::string& note : side.notes) say(note);
  return print_verdict(sides[0], sides[1], Pairing::runs, policy, args.verdict);
}

}  // namespace

void add_ab(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<AbArguments>();
  CLI::App* command =
      app.add_subcommand("ab", "Run two builds by turns and compare them: kreplay ab [options] 'A' -- 'B'");
  command->add_option("a", arguments->base, "Command line of the build to compare with, in quotes")
      ->required();
  command->add_option("b", arguments->fresh, "Command line of the build to judge, in quotes")->required();
  command->add_option("--pairs", arguments->pairs, "How often each build runs")
      ->check(CLI::Range(2u, 10'000u))
      ->capture_default_str();
  command->add_option("--keep", arguments->keep,
                      "Keep the result files in this folder, which is empty or new");
  for (const auto& [name, value] : {std::pair{"--passes", &arguments->passes},
                                    {"--kernels", &arguments->kernels},
                                    {"--exclude", &arguments->exclude},
                                    {"--launches", &arguments->launches},
                                    {"--device", &arguments->device},
                                    {"--library", &arguments->library}})
    command->add_option(name, *value, "As for kreplay run");
  add_verdict_options(*command, &arguments->verdict);
  command->footer(std::string(kVerdictHelp) +
                  "A run that fails or measures nothing ends the comparison with 2.\n\n"
                  "Example: kreplay ab --pairs 20 './app-old --size 1000' -- './app-new --size 1000'");
  command->final_callback([arguments, status] { *status = ab_command(*arguments); });
}

}  // namespace kreplay::cli
