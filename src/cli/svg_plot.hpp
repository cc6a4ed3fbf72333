// Small plots as inline SVG: they need no script and no network, and every mark carries its value as a
// tooltip. Colours come from classes of the page's style sheet.
#pragma once

#include <string>
#include <vector>

namespace kreplay::cli {

struct Bar {
  std::string label;
  /// Lengths of the bars of this label, one per series, and their texts.
  std::vector<double> values;
  std::vector<std::string> texts;
};
/// Horizontal bars. @param series names, one per value, for the tooltips; also the legend when several
std::string bar_plot(const std::vector<Bar>& bars, const std::vector<std::string>& series);

struct Box {
  std::string label, text;  ///< `text` stands at the right
  double min = 0, low = 0, middle = 0, high = 0, max = 0;
};
/// Horizontal boxes from the first to the third quartile, whiskers to minimum and maximum, on one axis of
/// deviations from each box's median in percent.
std::string box_plot(const std::vector<Box>& boxes);

/// Values in order, as a line with dots. @param unit_text gives a value's text for tooltips and the axis
std::string line_plot(const std::vector<double>& values, std::string (*value_text)(double));

}  // namespace kreplay::cli
