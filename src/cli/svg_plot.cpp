#include "cli/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/markup.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {
namespace {

constexpr double kWidth = 360;
constexpr double kHeight = 170;
constexpr double kLeft = 58;
constexpr double kRight = 12;
constexpr double kTop = 20;
constexpr double kBottom = 34;

std::string open_svg(double height, const std::string& name) {
  return fmt::format(R"(<svg viewBox="0 0 {0} {1}" role="img" aria-label="{2}"><title>{2}</title>)", kWidth,
                     height, escape_markup(name));
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* kind = "") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor,
                     *kind == '\0' ? "" : fmt::format(R"( class="{}")", kind), escape_markup(text));
}

std::string rectangle(double x, double y, double width, double height, const std::string& kind,
                      const std::string& tip) {
  return fmt::format(
      R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>)",
      kind, x, y, std::max(width, 0.5), height, escape_markup(tip));
}

std::string line_from(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1,
                     x2, y2);
}

std::string legend(const std::vector<std::string>& series) {
  std::string out;
  for (size_t i = 0; i < series.size(); ++i) {
    const double x = kLeft + static_cast<double>(i) * 120;
    out += rectangle(x, 3, 10, 10, fmt::format("series{}", i), series[i]) +
           text_at(x + 15, 12, "start", series[i]);
  }
  return out;
}

/// Maps values to places.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  double operator()(double value) const {
    return high > low ? from + (value - low) / (high - low) * (to - from) : (from + to) / 2;
  }
};

/// With some room around, and something to divide by where nothing differs.
Scale scale_for(double low, double high, double from, double to) {
  const double room = std::max((high - low) * 0.05, std::abs(high) * 0.002);
  return {std::max(low - room, 0.0), high + std::max(room, 1e-9), from, to};
}

/// Texts of an axis. Where their digits are too few for its steps, those behind the first are told as
/// distances from it.
std::vector<std::string> tick_texts(const std::vector<double>& ticks, ValueText value_text) {
  std::vector<std::string> texts;
  texts.reserve(ticks.size());
  for (const double tick : ticks) texts.push_back(value_text(tick));
  if (ticks.size() < 2) return texts;
  const double nearly = 0.9 * (ticks[1] - ticks[0]);
  const bool exact = std::none_of(ticks.begin(), ticks.end(),
                                  [&](double tick) { return value_text(tick) == value_text(tick + nearly); });
  for (size_t i = 1; i < ticks.size() && !exact; ++i) texts[i] = "+" + value_text(ticks[i] - ticks[0]);
  return texts;
}

std::string horizontal_grid(const Scale& y, ValueText value_text) {
  std::string out;
  const std::vector<double> ticks = round_ticks(y.low, y.high, 3);
  const std::vector<std::string> texts = tick_texts(ticks, value_text);
  for (size_t i = 0; i < ticks.size(); ++i) {
    out += line_from(kLeft, y(ticks[i]), kWidth - kRight, y(ticks[i]), "grid");
    out += text_at(kLeft - 5, y(ticks[i]) + 4, "end", texts[i]);
  }
  return out + line_from(kLeft, kTop, kLeft, kHeight - kBottom, "axis") +
         line_from(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "axis");
}

double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(std::llround(place))];
}

/// What is shown of very spread values: not those that lie far from the middle nine tenths.
std::pair<double, double> shown_range(const std::vector<Distribution>& sets) {
  double low = 0;
  double high = 0;
  bool first = true;
  for (const Distribution& set : sets) {
    std::vector<double> sorted = set.values;
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    const double most = sorted_quantile(sorted, 0.95);
    const double least = sorted_quantile(sorted, 0.05);
    const double room = 1.5 * (most - least);
    const double from = std::max(sorted.front(), least - room);
    const double to = std::min(sorted.back(), most + room);
    low = first ? from : std::min(low, from);
    high = first ? to : std::max(high, to);
    first = false;
  }
  return {low, high};
}

std::string count_text(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Shares of the values by step, and how many lie beyond.
struct Steps {
  std::vector<double> shares;
  size_t beyond = 0;
};
Steps steps_of(const std::vector<double>& values, const Scale& x, size_t count) {
  Steps steps;
  steps.shares.assign(count, 0);
  for (const double value : values) {
    if (value < x.low || value > x.high) {
      ++steps.beyond;
      continue;
    }
    const double place = (value - x.low) / (x.high - x.low) * static_cast<double>(count);
    steps.shares[std::min(static_cast<size_t>(place), count - 1)] += 1.0 / static_cast<double>(values.size());
  }
  return steps;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, size_t count) {
  if (!(high > low) || count == 0) return {low};
  const double rough = (high - low) / static_cast<double>(count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double times : {2.0, 5.0})
    if (times * power <= rough) step = times * power;
  std::vector<double> ticks;
  for (double at = std::ceil(low / step); at * step <= high; ++at) ticks.push_back(at * step);
  return ticks.empty() ? std::vector<double>{low} : ticks;
}

std::string bar_plot(const std::string& name, const std::vector<Bar>& bars,
                     const std::vector<std::string>& series) {
  constexpr double kLine = 34;
  constexpr double kTexts = 110;
  double most = 0;
  for (const Bar& bar : bars)
    for (const double value : bar.values) most = std::max(most, value);
  const double scale = most > 0 ? (kWidth - kTexts) / most : 0;
  const double top = series.size() > 1 ? kTop : 2;
  std::string out = open_svg(top + kLine * static_cast<double>(std::max<size_t>(bars.size(), 1)), name);
  if (series.size() > 1) out += legend(series);
  const double thick = 14 / static_cast<double>(series.size());
  double y = top;
  for (const Bar& bar : bars) {
    out += text_at(0, y + 11, "start", bar.label);
    std::string texts;
    double longest = 0;
    for (size_t i = 0; i < bar.values.size(); ++i) {
      out += rectangle(0, y + 15 + static_cast<double>(i) * thick, bar.values[i] * scale, thick,
                       fmt::format("series{}", i), bar.label + ": " + bar.texts[i] + " " + series[i]);
      texts += (texts.empty() ? "" : " / ") + bar.texts[i];
      longest = std::max(longest, bar.values[i] * scale);
    }
    out += text_at(longest + 5, y + 26, "start", texts, "dim");
    y += kLine;
  }
  return out + "</svg>";
}

std::string line_plot(const std::string& what, const std::vector<Line>& lines, ValueText value_text) {
  double low = 0;
  double high = 0;
  size_t most = 1;
  bool first = true;
  std::string name;
  std::vector<std::string> series;
  for (const Line& line : lines) {
    series.push_back(line.name);
    if (line.values.empty()) continue;
    const auto [least, largest] = std::minmax_element(line.values.begin(), line.values.end());
    low = first ? *least : std::min(low, *least);
    high = first ? *largest : std::max(high, *largest);
    first = false;
    most = std::max(most, line.values.size());
    name += fmt::format("{}{}: {} from {} to {}, the first {}, the last {}, {}", name.empty() ? "" : "; ",
                        line.name, count_text(line.values.size(), "value"), value_text(*least),
                        value_text(*largest), value_text(line.values.front()), value_text(line.values.back()),
                        count_text(line.steps.size(), "step"));
  }
  const Scale x{1, static_cast<double>(std::max<size_t>(most, 2)), kLeft + 6, kWidth - kRight - 4};
  const Scale y = scale_for(low, high, kHeight - kBottom, kTop);
  std::string out = open_svg(kHeight, name) + horizontal_grid(y, value_text);
  if (series.size() > 1) out += legend(series);
  for (const double tick : round_ticks(1, static_cast<double>(most), 4))
    if (tick == std::floor(tick) && tick >= 1)
      out += text_at(x(tick), kHeight - kBottom + 13, "middle", fmt::format("{:g}", tick));
  out += text_at((kLeft + kWidth - kRight) / 2, kHeight - 5, "middle", what, "dim");
  for (size_t k = 0; k < lines.size(); ++k) {
    const Line& line = lines[k];
    const auto middle = [&x](size_t place) {
      return (x(static_cast<double>(place)) + x(static_cast<double>(place) + 1)) / 2;
    };
    for (const size_t place : line.borders)
      out += line_from(middle(place), kTop, middle(place), kHeight - kBottom, "border");
    for (const size_t place : line.steps)
      out += line_from(middle(place), kTop, middle(place), kHeight - kBottom, "step");
    std::string points;
    std::string dots;
    for (size_t i = 0; i < line.values.size(); ++i) {
      const double at = x(static_cast<double>(i + 1));
      points += fmt::format("{:.1f},{:.1f} ", at, y(line.values[i]));
      dots += fmt::format(
          R"(<circle class="series{}" cx="{:.1f}" cy="{:.1f}" r="{}"><title>{}: {}</title></circle>)", k % 2,
          at, y(line.values[i]), most > 100 ? 1.5 : 2.5,
          escape_markup(i < line.value_names.size() ? line.value_names[i]
                                                    : fmt::format("{} {}", what, i + 1)),
          escape_markup(value_text(line.values[i])));
    }
    out += fmt::format(R"(<polyline class="line{}" points="{}"/>)", k % 2, points) + dots;
  }
  return out + "</svg>";
}

std::string distribution_plot(const std::vector<Distribution>& sets, ValueText value_text) {
  constexpr size_t kSteps = 48;
  const auto [low, high] = shown_range(sets);
  const Scale x = scale_for(low, high, kLeft, kWidth - kRight);
  std::vector<Steps> steps;
  std::vector<std::string> series;
  double most = 0;
  std::string name;
  size_t beyond = 0;
  for (const Distribution& set : sets) {
    steps.push_back(steps_of(set.values, x, kSteps));
    for (const double share : steps.back().shares) most = std::max(most, share);
    beyond += steps.back().beyond;
    series.push_back(set.name);
    if (set.values.empty()) continue;
    name += fmt::format("{}{}: {}, median {}", name.empty() ? "distribution of " : "; ", set.name,
                        count_text(set.values.size(), "value"), value_text(report::median(set.values)));
  }
  const Scale y{0, most > 0 ? most * 1.05 : 1, kHeight - kBottom, kTop};
  std::string out = open_svg(kHeight, name);
  out += horizontal_grid(y, [](double share) { return fmt::format("{:.3g} %", 100 * share); });
  if (series.size() > 1) out += legend(series);
  const std::vector<double> ticks = round_ticks(x.low, x.high, 2);
  const std::vector<std::string> texts = tick_texts(ticks, value_text);
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double at = x(ticks[i]);
    out += line_from(at, kHeight - kBottom, at, kHeight - kBottom + 4, "axis");
    out += text_at(std::clamp(at, kLeft + 10, kWidth - 30), kHeight - kBottom + 15, "middle", texts[i]);
  }
  if (beyond != 0)
    out += text_at(kWidth - kRight, kHeight - 5, "end", fmt::format("{} beyond", beyond), "dim");
  const double step = (kWidth - kRight - kLeft) / static_cast<double>(kSteps);
  for (size_t k = 0; k < steps.size(); ++k) {
    if (sets[k].values.empty()) continue;
    std::string points = fmt::format("{:.1f},{:.1f} ", kLeft, y(0));
    for (size_t i = 0; i < kSteps; ++i) {
      const double from = kLeft + static_cast<double>(i) * step;
      points += fmt::format("{0:.1f},{2:.1f} {1:.1f},{2:.1f} ", from, from + step, y(steps[k].shares[i]));
    }
    out += fmt::format(R"(<polygon class="area{}" points="{}{:.1f},{:.1f}"><title>{}</title></polygon>)",
                       k % 2, points, kWidth - kRight, y(0), escape_markup(series[k]));
  }
  return out + "</svg>";
}

}  // namespace kreplay::cli
