#include "cli/commands/verdict_options.hpp"

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "cli/unused_limits.hpp"

namespace kreplay::cli {
namespace {

int status_of(Verdict verdict, bool fail_on_improvement) {
  switch (verdict) {
    case Verdict::ok:
      return 0;
    case Verdict::regression:
      return 1;
    case Verdict::inconclusive:
      return 3;
    case Verdict::nothing_measured:
      return kNothingMeasured;
    case Verdict::not_comparable:
      return kNotComparable;
    case Verdict::improvement:
      return fail_on_improvement ? 6 : 0;
  }
  return kUsage;
}

/// Sets `value` from a text unless that is empty. @return false after saying what is wrong
bool read_quantity(const std::string& text, Result<double> (*parse)(const std::string&), double* value) {
  if (text.empty()) return true;
  const Result<double> parsed = parse(text);
  if (parsed) *value = *parsed;
  if (!parsed) say(parsed.status().message());
  return parsed.ok();
}

}  // namespace

void add_verdict_options(CLI::App& command, VerdictOptions* options) {
  command.add_option("--fail-over", options->fail_over,
                     "Relative limit: 5% (default), 0.05; a regression exceeds it and an absolute one");
  command.add_option("--min-effect", options->min_effect,
                     "Absolute limit of one launch: 1us (default), 500ns, 2ms");
  command.add_option("--min-effect-per-run", options->min_effect_per_run,
                     "Absolute limit of all launches of a run together (default: ten times --min-effect)");
  command.add_option("--run-over", options->run_over,
                     "Limit of the GPU time of the whole run (default: that of --fail-over)");
  command.add_option("--launches-over", options->launches_over,
                     "Limit of the number of launches of a kernel in a run (default: 10%)");
  command.add_option("--limits", options->limits_file,
                     "TOML file with limits per kernel and names that mean the same kernel (docs/cli.md)");
  command
      .add_option("--alpha", options->alpha,
                  "Share of false alarms allowed among alarms, over all kernels (default: 0.05)")
      ->check(CLI::Range(1e-9, 0.5));
  command.add_option("--format", options->format, "table (default), md, html, json, junit or github")
      ->check(CLI::IsMember(comparison_formats()));
  add_show_options(command, &options->show);
  command.add_flag("--ignore-machine", options->ignore_machine, "Compare even if the machines differ");
  command.add_flag("--ignore-options", options->ignore_options,
                   "Compare even if tool, options or cache handling differ");
  command.add_flag("--allow-removed", options->allow_removed,
                   "Kernels missing in the new results are fine, as long as the run takes no longer");
  command.add_flag("--allow-truncated", options->allow_truncated,
                   "Results that were cut off, as by a kill, are judged like whole ones");
  command.add_flag("--fail-on-improvement", options->fail_on_improvement,
                   "Exit with 6 when kernels got faster");
}

bool gather_policy(const VerdictOptions& options, Policy* policy) {
  if (!options.limits_file.empty()) {
    if (const Status read = read_policy(options.limits_file, policy); !read) {
      say(read.message());
      return false;
    }
  }
  policy->alpha = options.alpha.value_or(policy->alpha);
  policy->ignore_machine = options.ignore_machine;
  policy->ignore_options = options.ignore_options;
  policy->allow_removed = policy->allow_removed || options.allow_removed;
  policy->allow_truncated = policy->allow_truncated || options.allow_truncated;
  double run_over = -1;
  double per_run_ns = -1;
  if (!read_quantity(options.run_over, parse_ratio, &run_over) ||
      !read_quantity(options.min_effect_per_run, parse_time_ns, &per_run_ns))
    return false;
  if (run_over >= 0) policy->run.time = run_over;
  if (per_run_ns >= 0) policy->limit.per_run_ns = per_run_ns;
  return read_quantity(options.fail_over, parse_ratio, &policy->limit.relative) &&
         read_quantity(options.launches_over, parse_ratio, &policy->run.launches) &&
         read_quantity(options.min_effect, parse_time_ns, &policy->limit.absolute_ns);
}

int print_verdict(Results& base, Results& fresh, Pairing pairing, const Policy& policy,
                  const VerdictOptions& options) {
  for (const std::string& sentence : unused_limits(policy, base, fresh)) say("warning: " + sentence);
  normalise_names(policy, &base);
  normalise_names(policy, &fresh);
  const Comparison comparison = compare(base, fresh, policy, pairing);
  if (!print_comparison(comparison, policy, options.format, options.show, base, fresh)) return kUsage;
  return status_of(comparison.verdict, options.fail_on_improvement);
}

}  // namespace kreplay::cli
