#include "cli/compare.hpp"

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"

namespace kreplay::cli {
namespace {

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

}  // namespace

void add_compare(CLI::App& app, int* status) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "Compare two result files, kernel by kernel");
  command->add_option("base", arguments->base, "Result file to compare with")->required();
  command->add_option("new", arguments->fresh, "Result file to judge")->required();
  command->add_option("--fail-over", arguments->fail_over, "Relative limit, e.g. 5% (default) or 0.05");
  command->add_option("--min-effect", arguments->min_effect,
                      "Absolute limit, e.g. 1us (default), 500ns, 2ms");
  command->add_option("--alpha", arguments->limits.alpha, "Share of false alarms allowed among alarms")
      ->check(CLI::Range(1e-9, 0.5))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  command->add_flag("--ignore-machine", arguments->limits.ignore_machine,
                    "Compare even if the machines differ");
  command->add_flag("--allow-removed", arguments->limits.allow_removed,
                    "Kernels missing in the new file are fine");
  command->add_flag("--fail-on-improvement", arguments->fail_on_improvement,
                    "Exit with 6 when kernels got faster");
  command->footer(
      "Exit status: 0 no regression, 1 regression, 2 usage or unreadable input, 3 inconclusive,\n"
      "4 nothing measured, 5 not comparable, 6 improvement (with --fail-on-improvement only).\n\n"
      "Example: kreplay compare --fail-over 3% base.jsonl new.jsonl");
  command->final_callback([arguments, status] { *status = compare_command(*arguments); });
}

}  // namespace kreplay::cli
