#include "cli/ab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.hpp"
#include "cli/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/verdict_options.hpp"
#include "cli/output.hpp"
#include "cli/preflight.hpp"
#include "cli/supervise.hpp"

namespace kreplay::cli {
namespace {

struct AbArguments {
  std::string base, fresh, passes, kernels, exclude, launches, device, library, keep;
  unsigned pairs = 10;
  bool until_decided = false;
  double max_time_s = 600;
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

/// Whether more pairs could tell more: some row is in doubt because of its noise.
bool undecided(const Results (&sides)[2], const Policy& policy) {
  Results base = sides[0], fresh = sides[1];
  normalise_names(policy, &base);
  normalise_names(policy, &fresh);
  const Comparison comparison = compare(base, fresh, policy, Pairing::runs);
  return comparison.verdict == Verdict::inconclusive &&
         std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const Row& row) {
           return row.state == Row::State::inconclusive && row.effect.variance > 0;
         });
}

/// Runs the pairs; with --until-decided, more of them until the verdict is clear. Whoever looks several times
/// and stops at will errs more often, so each look has its share of --alpha: 1/2, 1/6, 1/12, ...
/// @param policy has the alpha of the last look afterwards
/// @return 0, or the status to end with
int run_all(const AbArguments& args, AbPlan& plan, Policy* policy, ResultFolder& folder,
            Results (&sides)[2]) {
  const double alpha = policy->alpha;
  const uint64_t begin = monotonic_ns();
  const auto spent = [begin] { return static_cast<double>(monotonic_ns() - begin) * 1e-9; };
  for (unsigned look = 1;; ++look) {
    int ended_by = 0;
    if (const Status ran = run_pairs(plan, sides, &ended_by); !ran) {
      say(ran.message());
      if (ended_by != 0) {
        folder.remove();
        end_as(ended_by);
      }
      return kUsage;
    }
    if (!args.until_decided) return 0;
    policy->alpha = alpha / (look * (look + 1));
    if (!undecided(sides, *policy)) return 0;
    plan.first += plan.pairs;
    plan.pairs = std::max(2u, plan.first / 2);
    // As long as the next ones would take: a verdict in time is worth more than a surer one too late.
    if (spent() * (1 + static_cast<double>(plan.pairs) / plan.first) > args.max_time_s) {
      say(fmt::format("not decided after {} pairs, and --max-time leaves no room for {} more", plan.first,
                      plan.pairs));
      return 0;
    }
    say(fmt::format("not decided after {} pairs: {} more", plan.first, plan.pairs));
  }
}

int ab_command(const AbArguments& args) {
  Policy policy;
  if (!gather_policy(args.verdict, &policy)) return kUsage;
  if (const std::string& full = args.verdict.show.full; !full.empty()) {
    if (const std::string why = why_not_writable(full); !why.empty()) {
      say(full + ": cannot be written: " + why);
      return kUsage;
    }
  }
  ResultFolder folder(args.keep);
  AbPlan plan{own_path(), {args.base, args.fresh}, {}, 0, args.pairs, folder.path()};
  const std::pair<const char*, const std::string&> handed_on[] = {
      {"--passes", args.passes},     {"--kernels", args.kernels}, {"--exclude", args.exclude},
      {"--launches", args.launches}, {"--device", args.device},   {"--library", args.library}};
  for (const auto& [name, value] : handed_on)
    if (!value.empty()) plan.run_arguments.insert(plan.run_arguments.end(), {name, value});
  Results sides[2];
  if (const int failed = run_all(args, plan, &policy, folder, sides); failed != 0) return failed;
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
  CLI::Option* until = command->add_flag("--until-decided", arguments->until_decided,
                                         "Run more pairs until the verdict is no more inconclusive");
  command->add_option("--max-time", arguments->max_time_s, "With --until-decided: seconds for all of it")
      ->check(CLI::Range(1.0, 1e6))
      ->needs(until)
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
