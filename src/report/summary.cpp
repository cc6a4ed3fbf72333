// The table a person reads at the end of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "report/totals.hpp"

namespace kreplay::report {
namespace {

constexpr size_t kNameColumns = 40;

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

/// "2 graph, 1 multi_packet": most frequent first.
std::string reasons_text(const Sums& sums) {
  std::vector<std::pair<uint64_t, std::string>> parts;
  for (size_t i = 0; i < kReasons; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (sums.declined[i] != 0) parts.emplace_back(sums.declined[i], name_of(reason));
    if (sums.stopped[i] != 0) parts.emplace_back(sums.stopped[i], std::string("stopped: ") + name_of(reason));
    if (sums.skipped[i] != 0) parts.emplace_back(sums.skipped[i], name_of(reason));
  }
  if (sums.of(Outcome::opted_out) != 0) parts.emplace_back(sums.of(Outcome::opted_out), "opted_out");
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, what] : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  return text;
}

/// Position after the matched "(...)" that ends `name`, or npos: where the parameter list begins.
size_t parameter_list(const std::string& name) {
  if (name.empty() || name.back() != ')') return std::string::npos;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string::npos;
}

/// Replaces what stands in outermost angle brackets by "..". Operators that hold such brackets stay.
std::string without_template_arguments(const std::string& name) {
  if (name.find("operator") != std::string::npos) return name;
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '>' && depth > 0 && --depth == 0)
      out += "..>";
    else if (depth == 0)
      out += c;
    if (c == '<') ++depth;
  }
  return depth == 0 ? out : name;
}

std::string cut_middle(const std::string& name, size_t columns) {
  if (name.size() <= columns || columns < 5) return name;
  const size_t head = (columns - 2) * 2 / 3;
  size_t first = head;
  size_t last = name.size() - (columns - 2 - head);
  const auto inside = [&](size_t i) {
    return i < name.size() && (static_cast<unsigned char>(name[i]) & 0xc0) == 0x80;
  };
  while (first > 0 && inside(first)) --first;  // not within a UTF-8 sequence
  while (inside(last)) ++last;
  return name.substr(0, first) + ".." + name.substr(last);
}

struct Line {
  std::string name;
  uint64_t total_ns = 0;
  std::vector<std::string> cells;
  std::string reasons;
};

/// Kernels of one name, whatever code object and agent they came from.
std::map<std::string, KernelTotals> by_name(const Totals& totals) {
  std::map<std::string, KernelTotals> merged;
  for (const auto& [id, kernel] : totals.kernels) {
    if (kernel.sums.dispatches == 0) continue;  // only ever skipped: in the last line
    KernelTotals& into = merged[kernel.name];
    into.name = kernel.name;
    into.sums.add(kernel.sums);
    into.pass_ns.merge(kernel.pass_ns);
  }
  return merged;
}

Line line_of(const KernelTotals& kernel, std::string name) {
  const Sums& sums = kernel.sums;
  const TimeHistogram& times = kernel.pass_ns;
  Line line;
  line.name = std::move(name);
  line.total_ns = times.sum();
  line.reasons = reasons_text(sums);
  const bool timed = times.count() != 0;
  const double median = times.quantile(0.5);
  const double middle_half = times.quantile(0.75) - times.quantile(0.25);
  line.cells = {std::to_string(sums.dispatches + sums.skipped_sum()),
                std::to_string(sums.of(Outcome::replayed)),
                std::to_string(times.count()),
                timed ? human_time(median) : "-",
                timed ? human_time(static_cast<double>(times.min())) : "-",
                timed ? human_time(static_cast<double>(times.max())) : "-",
                timed && median > 0 ? fmt::format("{:.1f} %", 100 * middle_half / median) : "-",
                human_bytes(sums.bytes_saved),
                human_bytes(sums.bytes_restored)};
  return line;
}

std::string headline(const Sums& sums) {
  std::string text = "kreplay: ";
  const uint64_t replayed = sums.of(Outcome::replayed);
  if (replayed == 0) text += "nothing was replayed: ";
  text += fmt::format("{} candidate dispatch{}, {} replayed", sums.dispatches,
                      sums.dispatches == 1 ? "" : "es", replayed);
  for (const Outcome outcome : {Outcome::stopped, Outcome::declined, Outcome::opted_out})
    if (sums.of(outcome) != 0)
      text += fmt::format(", {} {}", sums.of(outcome),
                          outcome == Outcome::opted_out ? "opted out" : name_of(outcome));
  text +=
      fmt::format("; {} pass{}, {} saved, {} restored\n", sums.passes_run, sums.passes_run == 1 ? "" : "es",
                  human_bytes(sums.bytes_saved), human_bytes(sums.bytes_restored));
  return text;
}

}  // namespace

std::string human_time(double ns) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  while (unit < 3 && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  const int decimals = ns >= 99.95 || (unit == 0 && ns == std::floor(ns)) ? 0 : ns >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", ns, decimals, kUnits[unit]);
}

std::string human_bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (unit < 6 && value >= 1023.5) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, kUnits[unit]);
}

std::string short_name(const std::string& demangled, size_t columns) {
  std::string name = demangled;
  const size_t clone = name.find(" [clone ");
  if (clone != std::string::npos) name.resize(clone);
  const size_t list = parameter_list(name);
  if (list != std::string::npos && list > 0) {
    name.resize(list);
    // Only functions with template arguments carry their return type in a demangled name.
    if (name.compare(0, 5, "void ") == 0) name.erase(0, 5);
  }
  if (name.size() > columns) name = without_template_arguments(name);
  return cut_middle(name, columns);
}

std::string format_summary(const Totals& totals) {
  const Sums& sums = totals.sums;
  const uint64_t skipped = sums.skipped_sum();
  if (sums.dispatches == 0 && skipped == 0) return {};
  std::string text = headline(sums);

  const auto kernels = by_name(totals);
  std::map<std::string, int> uses;  // overloads may shorten to one name: those keep their parameters
  for (const auto& [name, kernel] : kernels) ++uses[short_name(name, kNameColumns)];
  std::vector<Line> lines;
  for (const auto& [name, kernel] : kernels) {
    const std::string brief = short_name(name, kNameColumns);
    lines.push_back(line_of(kernel, uses[brief] == 1 ? brief : cut_middle(name, kNameColumns)));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.total_ns > b.total_ns; });

  const std::vector<std::string> titles = {"launches", "replayed", "passes", "median",  "min",
                                           "max",      "spread",   "saved",  "restored"};
  size_t name_width = 6;
  std::vector<size_t> widths;
  widths.reserve(titles.size());
  for (const auto& title : titles) widths.push_back(title.size());
  for (const Line& line : lines) {
    name_width = std::max(name_width, line.name.size());
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line.cells[i].size());
  }
  if (!lines.empty()) {
    text += fmt::format("{:<{}}", "kernel", name_width);
    for (size_t i = 0; i < titles.size(); ++i) text += fmt::format("  {:>{}}", titles[i], widths[i]);
    text += "  not replayed\n";
  }
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}", line.name, name_width);
    for (size_t i = 0; i < widths.size(); ++i) text += fmt::format("  {:>{}}", line.cells[i], widths[i]);
    text += "  " + (line.reasons.empty() ? std::string("-") : line.reasons) + "\n";
  }
  if (skipped != 0) {
    text += fmt::format("kreplay: {} launch{} no candidate{}:", skipped, skipped == 1 ? " was" : "es were",
                        plural(skipped));
    bool first = true;
    for (size_t i = 0; i < kReasons; ++i) {
      if (sums.skipped[i] == 0) continue;
      text += fmt::format("{} {} {}", first ? "" : ",", sums.skipped[i], name_of(static_cast<Reason>(i)));
      first = false;
    }
    text += "\n";
  }
  if (sums.unverified_bytes != 0) {
    text += fmt::format(
        "kreplay: host and managed memory in reach was not checked for writes ({} summed over the "
        "dispatches)\n",
        human_bytes(sums.unverified_bytes));
  }
  if (totals.lines_lost != 0) {
    text += fmt::format("kreplay: {} record{} could not be written to the result file\n", totals.lines_lost,
                        plural(totals.lines_lost));
  }
  return text;
}

}  // namespace kreplay::report
