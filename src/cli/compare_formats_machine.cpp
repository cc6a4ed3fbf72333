// Formats for programs and CI systems.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/compare_formats.hpp"
#include "cli/markup.hpp"

namespace kreplay::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;
using State = Row::State;

constexpr size_t kMachineNameColumns = 100;  ///< of names in JUnit and annotations

OrderedJson json_of(const Row& row, const RunTotals& totals) {
  const Effect& effect = row.effect;
  OrderedJson out = {{"kernel", row.key.kernel},
                     {"grid", row.key.grid},
                     {"workgroup", row.key.workgroup},
                     {"verdict", name_of(row.state)},
                     {"why", row.why},
                     {"base_passes", row.base_passes},
                     {"new_passes", row.fresh_passes},
                     {"base_median_ns", row.base_passes != 0 ? OrderedJson(effect.base_ns) : OrderedJson()},
                     {"new_median_ns", row.fresh_passes != 0 ? OrderedJson(effect.fresh_ns) : OrderedJson()},
                     {"base_run_ns", row.base_run_ns},
                     {"new_run_ns", row.fresh_run_ns},
                     {"share", run_share(row, totals)},
                     {"impossible_passes", row.impossible_passes},
                     {"limits", {{"relative", row.limit.relative}, {"absolute_ns", row.limit.absolute_ns}}}};
  if (!row.has_ratio()) return out;
  out["ratio"] = effect.ratio;
  out["median_ratio"] = effect.base_ns > 0 ? OrderedJson(effect.fresh_ns / effect.base_ns) : OrderedJson();
  out["interval"] = nullptr;
  if (has_test(row)) out["interval"] = {effect.interval.low, effect.interval.high};
  out["p"] = effect.p;
  out["q"] = row.q;
  out["change"] = name_of(row.change);
  out["test"] = name_of(effect.test);
  out["level"] = name_of(effect.level);
  out["paired"] = effect.paired;
  out["base_observations"] = effect.base_observations;
  out["new_observations"] = effect.fresh_observations;
  out["dependence"] = effect.dependence;
  return out;
}

OrderedJson json_of(const RunFigures& run) {
  OrderedJson kernels = OrderedJson::array();
  for (const RunKernel& one : run.kernels) {
    kernels.push_back({{"kernel", one.name},
                       {"base_launches", one.base_launches},
                       {"new_launches", one.fresh_launches},
                       {"base_ns", one.base_ns},
                       {"new_ns", one.fresh_ns}});
  }
  return {{"unjudged", run.unjudged},
          {"regression", run.regression},
          {"base_ns", run.base_ns},
          {"new_ns", run.fresh_ns},
          {"interval", {run.interval.low, run.interval.high}},
          {"geometric_mean", run.mean},
          {"kernels", kernels}};
}

std::string xml_attribute(const char* name, const std::string& value) {
  return fmt::format(" {}=\"{}\"", name, escape_markup(value));
}

std::string shape_of(const ShapeKey& key) { return dimensions(key.grid) + "/" + dimensions(key.workgroup); }

/// One test case; `element` is failure, error or skipped, or empty for a pass.
/// @param full the kernel's name where `suite` is short for it
std::string test_case(const std::string& suite, const std::string& name, const char* element,
                      const std::string& message, const std::string& full = {}) {
  std::string text = "    <testcase" + xml_attribute("classname", suite) + xml_attribute("name", name);
  if (*element == '\0' && full.empty()) return text + "/>\n";
  text += ">\n";
  if (*element != '\0') text += std::string("      <") + element + xml_attribute("message", message) + "/>\n";
  if (!full.empty()) text += "      <system-out>" + escape_markup(full) + "</system-out>\n";
  return text + "    </testcase>\n";
}

/// How a row counts in JUnit's terms.
const char* junit_element(const Row& row, const Policy& policy) {
  switch (row.state) {
    case State::regression:
      return "failure";
    case State::inconclusive:
      return "error";
    case State::removed:
      return policy.allow_removed ? "skipped" : "error";
    case State::ignored:
    case State::added:
      return "skipped";
    case State::ok:
    case State::improvement:
      return "";
  }
  return "";
}

/// The data of a workflow command; properties also escape what separates them.
std::string workflow_text(const std::string& text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool escaped = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += escaped ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)))
                   : std::string(1, c);
  }
  return out;
}

std::string annotation(const char* kind, const std::string& title, const std::string& message) {
  return fmt::format("::{} title={}::{}\n", kind, workflow_text(title, true), workflow_text(message, false));
}

std::string row_message(const Row& row, const std::string& name) {
  std::string text = name + " " + shape_of(row.key) + ": " + change_text(row);
  return row.why.empty() ? text : text + ": " + row.why;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const Policy& policy, const Show& /*show*/) {
  OrderedJson rows = OrderedJson::array();
  const RunTotals totals = run_totals(comparison);
  for (const Row& row : comparison.rows) rows.push_back(json_of(row, totals));
  OrderedJson facts = OrderedJson::array();
  for (const FactChange& change : comparison.facts) {
    facts.push_back({{"kernel", change.kernel},
                     {"name", change.name},
                     {"base", change.base},
                     {"new", change.fresh},
                     {"why", change.why}});
  }
  const OrderedJson json = {{"verdict", name_of(comparison.verdict)},
                            {"why", comparison.why},
                            {"limits",
                             {{"relative", policy.limit.relative},
                              {"absolute_ns", policy.limit.absolute_ns},
                              {"alpha", policy.alpha},
                              {"confidence", policy.confidence}}},
                            {"run", json_of(comparison.run)},
                            {"rows", rows},
                            {"facts", facts}};
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string comparison_junit(const Comparison& comparison, const Policy& policy, const Show& show) {
  constexpr const char* kSuite = "kreplay compare";
  const auto names = kernel_names(comparison, show.view.full_names ? 0 : kMachineNameColumns);
  std::string cases;
  std::map<std::string, size_t> counts;
  for (const Row& row : comparison.rows) {
    const char* element = junit_element(row, policy);
    ++counts[element];
    const std::string& brief = names.at(row.key.kernel);
    cases += test_case(
        brief, shape_of(row.key), element,
        std::string(name_of(row.state)) + ": " + change_text(row) + (row.why.empty() ? "" : ": " + row.why),
        brief == row.key.kernel ? "" : row.key.kernel);
  }
  size_t tests = comparison.rows.size();
  if (!comparison.why.empty()) {  // the verdict is not from rows
    cases += test_case(kSuite, "verdict", "error", headline(comparison, policy));
    ++counts["error"];
    ++tests;
  }
  const std::string totals = fmt::format(R"( tests="{}" failures="{}" errors="{}" skipped="{}")", tests,
                                         counts["failure"], counts["error"], counts["skipped"]);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}>\n  <testsuite name=\"{}\"{}>\n{}  "
      "</testsuite>\n</testsuites>\n",
      totals, kSuite, totals, cases);
}

std::string comparison_github(const Comparison& comparison, const Policy& policy, const Show& show) {
  const bool bad = comparison.verdict == Verdict::regression ||
                   comparison.verdict == Verdict::nothing_measured ||
                   comparison.verdict == Verdict::not_comparable;
  const auto rows = rows_to_show(comparison, show);
  const auto names = kernel_names(comparison, show.view.full_names ? 0 : kMachineNameColumns);
  const std::string out = left_out(comparison, rows.size(), show);
  std::string text = annotation(bad ? "error" : "notice", "kreplay compare",
                                headline(comparison, policy) + (out.empty() ? "" : "; " + out));
  for (const Row* row : rows) {
    const bool doubt =
        row->state == State::inconclusive || (row->state == State::removed && !policy.allow_removed);
    if (row->state == State::regression)
      text += annotation("error", "Kernel is slower", row_message(*row, names.at(row->key.kernel)));
    if (doubt)
      text += annotation("warning", std::string("Kernel is ") + name_of(row->state),
                         row_message(*row, names.at(row->key.kernel)));
  }
  for (const FactChange& change : comparison.facts) {
    text += annotation(change.state == FactChange::State::regression ? "error" : "notice",
                       "Kernel's code changed",
                       fmt::format("{}: {}: {} to {}", names.at(change.kernel), change.name, change.base,
                                   fresh_text(change)));
  }
  return text;
}

}  // namespace kreplay::cli
