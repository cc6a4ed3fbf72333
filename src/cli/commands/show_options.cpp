#include "cli/commands/show_options.hpp"

#include <filesystem>

#include "cli/compare_formats.hpp"
#include "cli/compare_html.hpp"
#include "cli/output.hpp"

namespace kreplay::cli {
namespace {

/// A comparison with all that a format may want.
struct Shown {
  const Comparison& comparison;
  const Policy& policy;
  const Show& show;
  const Results &base, &fresh;
};

using ComparisonFormat = std::string (*)(const Shown&);

std::string html(const Shown& shown) {
  return comparison_html(shown.comparison, shown.policy, shown.show, shown.base, shown.fresh);
}
template <std::string (*kFormat)(const Comparison&, const Policy&, const Show&)>
std::string plain(const Shown& shown) {
  return kFormat(shown.comparison, shown.policy, shown.show);
}

const std::map<std::string, ComparisonFormat> kComparisonFormats = {
    {"table", plain<comparison_table>},   {"md", plain<comparison_markdown>},
    {"json", plain<comparison_json>},     {"junit", plain<comparison_junit>},
    {"github", plain<comparison_github>}, {"html", html}};
const std::map<std::string, ComparisonFormat> kByExtension = {{".txt", plain<comparison_table>},
                                                              {".md", plain<comparison_markdown>},
                                                              {".json", plain<comparison_json>},
                                                              {".xml", plain<comparison_junit>},
                                                              {".html", html}};

const std::map<std::string, Row::State> kStates = {
    {"ok", Row::State::ok},           {"regression", Row::State::regression},
    {"added", Row::State::added},     {"improvement", Row::State::improvement},
    {"removed", Row::State::removed}, {"inconclusive", Row::State::inconclusive},
    {"ignored", Row::State::ignored}};

template <typename Value>
std::vector<std::string> names_in(const std::map<std::string, Value>& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

std::string extension_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

}  // namespace

void add_view_options(CLI::App& command, ShowOptions* options) {
  command.add_option("--top", options->view.top, "Show at most so many rows, those that matter most");
  command.add_flag("--full-names", options->view.full_names, "Do not shorten the names of kernels");
  command
      .add_option("--columns", options->columns,
                  "Width of the table (default: of the terminal, COLUMNS, or 200)")
      ->check(CLI::Range(size_t{40}, size_t{10'000}));
}

void add_show_options(CLI::App& command, ShowOptions* options) {
  add_view_options(command, options);
  command.add_flag("--changed", options->changed, "Show only rows that are not plainly the same");
  command
      .add_option(
          "--status", options->states,
          "Show only rows of these: ok, regression, improvement, inconclusive, added, removed, ignored")
      ->delimiter(',')
      ->check(CLI::IsMember(names_in(kStates)));
  command
      .add_option(
          "--full", options->full,
          "Also write everything to this file, as its name says: .html, .json, .md, .txt, .xml (JUnit)")
      ->check([](const std::string& path) -> std::string {
        if (kByExtension.count(extension_of(path)) != 0) return {};
        return path + ": its name must end in one of " + CLI::detail::join(names_in(kByExtension), ", ");
      });
}

View view_of(const ShowOptions& options) {
  View view = options.view;
  view.columns = options.columns != 0 ? options.columns : output_columns();
  return view;
}

Show show_of(const ShowOptions& options) {
  Show show;
  show.view = view_of(options);
  show.changed = options.changed;
  for (const std::string& state : options.states) show.states.insert(kStates.at(state));
  show.full = options.full;
  return show;
}

bool print_comparison(const Comparison& comparison, const Policy& policy, const std::string& format,
                      const ShowOptions& options, const Results& base, const Results& fresh) {
  if (!options.full.empty()) {
    Show all;
    all.view.full_names = true;
    all.most_characters = SIZE_MAX;
    if (!write_file(options.full,
                    kByExtension.at(extension_of(options.full))({comparison, policy, all, base, fresh})))
      return false;
  }
  return print(kComparisonFormats.at(format)({comparison, policy, show_of(options), base, fresh}));
}

std::vector<std::string> comparison_formats() { return names_in(kComparisonFormats); }

}  // namespace kreplay::cli
