#include "cli/svg_plot.hpp"

#include <catch2/catch.hpp>

#include "support/folder.hpp"

using namespace kreplay::cli;
using fixtures::has;

namespace {

std::string plain_text(double value) { return std::to_string(static_cast<int>(value)); }

}  // namespace

TEST_CASE("axes have several round values, whatever the range") {
  for (double low = 0.3; low < 1e6; low *= 7.3) {
    for (double width = low / 500; width < 20 * low; width *= 1.7) {
      for (const size_t count : {2, 3, 4, 5}) {
        const std::vector<double> ticks = round_ticks(low, low + width, count);
        INFO(low << " + " << width << ", " << count);
        CHECK(ticks.size() + 1 >= count);
        CHECK(ticks.size() <= 5 * count / 2 + 1);
        CHECK(ticks.front() >= low * (1 - 1e-9));
        CHECK(ticks.back() <= (low + width) * (1 + 1e-9));
      }
    }
  }
  CHECK(round_ticks(5, 5, 4).size() == 1);
}

TEST_CASE("pictures say what there is to see, also of nothing") {
  const std::string lines = line_plot("run", {{"median", {10, 20, 30}, {}, {2}, {}}}, plain_text);
  CHECK(has(lines,
            "role=\"img\" aria-label=\"median: 3 values from 10 to 30, the first 10, the last 30, 1 step\""));
  CHECK(has(lines, "<title>run 2: 20</title>"));
  CHECK(has(lines, "class=\"step\""));
  const std::string sets = distribution_plot({{"base", {10, 11, 10}}, {"new", {}}}, plain_text);
  CHECK(has(sets, "aria-label=\"distribution of base: 3 values, median 10\""));
  CHECK(has(sets, "class=\"area0\""));
  CHECK(!has(sets, "class=\"area1\""));
  CHECK(has(line_plot("launch", {}, plain_text), "</svg>"));
  CHECK(has(distribution_plot({}, plain_text), "</svg>"));
  CHECK(has(bar_plot("nothing", {}, {"a"}), "</svg>"));
  // Values that differ beyond the digits of their texts.
  const std::string close =
      line_plot("run", {{"median", {100'000.1, 100'000.4}, {}, {}, {}}},
                [](double value) { return value > 1000 ? std::string("100 us") : std::to_string(value); });
  CHECK(has(close, ">100 us</text>"));
  CHECK(has(close, ">+"));
  // What lies far off is counted, not shown: it would squeeze the rest into one bar.
  std::vector<double> values(100, 10);
  for (size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(i % 10) / 10;
  values.push_back(1000);
  CHECK(has(distribution_plot({{"a", values}}, plain_text), ">1 beyond</text>"));
}
