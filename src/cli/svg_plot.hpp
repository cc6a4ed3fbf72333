// Small plots as inline SVG: they need no script and no network, marks carry their values as tooltips, and
// each has an accessible name that says what there is to see. Colours come from classes of the page's style
// sheet. All are 360 units wide, so that their text is readable on a screen of 400 pixels.
#pragma once

#include <string>
#include <vector>

namespace kreplay::cli {

/// A value as people read it.
using ValueText = std::string (*)(double);

struct Bar {
  std::string label;
  /// Lengths of the bars of this label, one per series, and their texts.
  std::vector<double> values;
  std::vector<std::string> texts;
};
/// Horizontal bars. @param series names, one per value; also the legend when several
/// @param name accessible
std::string bar_plot(const std::string& name, const std::vector<Bar>& bars,
                     const std::vector<std::string>& series);

struct Line {
  std::string name;
  std::vector<double> values;            ///< in order
  std::vector<size_t> borders;           ///< where another run begins, as places in `values`
  std::vector<size_t> steps;             ///< where the level changes
  std::vector<std::string> value_names;  ///< for tooltips; empty: their numbers
};
/// Values in order, with both axes. The vertical one begins near the least value, so that drift and steps
/// show.
/// @param what is counted on the horizontal axis: "launch"
std::string line_plot(const std::string& what, const std::vector<Line>& lines, ValueText value_text);

struct Distribution {
  std::string name;
  std::vector<double> values;
};
/// Shares of the values in steps of equal width, one or two sets over each other. Values that are very far
/// off are left out of the picture and counted in it.
std::string distribution_plot(const std::vector<Distribution>& sets, ValueText value_text);

/// Round values that divide a range: `count` - 1 of them at least, two and a half times as many at most, all
/// within.
std::vector<double> round_ticks(double low, double high, size_t count);

}  // namespace kreplay::cli
