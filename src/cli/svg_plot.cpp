#include "cli/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/markup.hpp"
#include "report/short_names.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

constexpr double kWidth = 760;
constexpr double kLabels = 250;  ///< left of the plots with a line per kernel
constexpr double kTexts = 130;   ///< right of them
constexpr double kLine = 24;

std::string open_svg(double height) {
  return fmt::format(R"(<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">)", kWidth, height);
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor,
                     escape_markup(text));
}

std::string label_at(double y, const std::string& label) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end"><title>{}</title>{}</text>)",
                     kLabels - 8, y, escape_markup(label), escape_markup(report::short_name(label, 34)));
}

std::string rectangle(double x, double y, double width, double height, const std::string& kind,
                      const std::string& tip) {
  return fmt::format(
      R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>)",
      kind, x, y, std::max(width, 0.5), height, escape_markup(tip));
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1,
                     x2, y2);
}

/// The next larger 1, 2 or 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0})
    if (value <= step * power) return step * power;
  return 10 * power;
}

std::string legend(const std::vector<std::string>& series) {
  std::string out;
  for (size_t i = 0; i < series.size(); ++i) {
    const double x = kLabels + static_cast<double>(i) * 140;
    out += rectangle(x, 4, 12, 12, fmt::format("series{}", i), series[i]) +
           text_at(x + 18, 14, "start", series[i]);
  }
  return out;
}

}  // namespace

std::string bar_plot(const std::vector<Bar>& bars, const std::vector<std::string>& series) {
  double most = 0;
  for (const Bar& bar : bars)
    for (const double value : bar.values) most = std::max(most, value);
  const double scale = most > 0 ? (kWidth - kLabels - kTexts) / most : 0;
  const double top = series.size() > 1 ? kLine : 0;
  std::string out = open_svg(top + kLine * static_cast<double>(bars.size()));
  if (series.size() > 1) out += legend(series);
  const double thick = (kLine - 6) / static_cast<double>(series.size());
  double y = top;
  for (const Bar& bar : bars) {
    out += label_at(y + 16, bar.label);
    std::string texts;
    double longest = 0;
    for (size_t i = 0; i < bar.values.size(); ++i) {
      out += rectangle(kLabels, y + 3 + static_cast<double>(i) * thick, bar.values[i] * scale, thick,
                       fmt::format("series{}", i), bar.label + ": " + bar.texts[i] + " " + series[i]);
      texts += (texts.empty() ? "" : " / ") + bar.texts[i];
      longest = std::max(longest, bar.values[i] * scale);
    }
    out += text_at(kLabels + longest + 6, y + 16, "start", texts);
    y += kLine;
  }
  return out + "</svg>";
}

std::string box_plot(const std::vector<Box>& boxes) {
  double farthest = 0.001;  // a thousandth of the median: something to divide by where nothing differs
  for (const Box& box : boxes)
    if (box.middle > 0) farthest = std::max({farthest, 1 - box.min / box.middle, box.max / box.middle - 1});
  farthest = round_up(farthest);
  const double middle = kLabels + (kWidth - kLabels - kTexts) / 2;
  const double half = (kWidth - kLabels - kTexts) / 2;
  const double height = kLine * static_cast<double>(boxes.size() + 1);
  std::string out = open_svg(height);
  for (const double tick : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    const double x = middle + tick * half;
    out += line(x, 0, x, height - kLine, tick == 0 ? "axis" : "grid");
    out += text_at(x, height - 8, "middle", fmt::format("{:+.3g} %", 100 * tick * farthest));
  }
  double y = 0;
  for (const Box& box : boxes) {
    const auto x = [&](double value) { return middle + (value / box.middle - 1) / farthest * half; };
    out += label_at(y + 16, box.label) + text_at(kWidth - kTexts + 8, y + 16, "start", box.text);
    if (box.middle > 0) {
      const auto ns = [](double value) { return report::human_time(value); };
      const std::string tip =
          fmt::format("{}: {} to {}, half of them {} to {}, median {}", box.label, ns(box.min), ns(box.max),
                      ns(box.low), ns(box.high), ns(box.middle));
      out += line(x(box.min), y + 12, x(box.max), y + 12, "whisker");
      out += rectangle(x(box.low), y + 5, x(box.high) - x(box.low), 14, "series0", tip);
    }
    y += kLine;
  }
  return out + "</svg>";
}

std::string line_plot(const std::vector<double>& values, std::string (*value_text)(double)) {
  constexpr double kHeight = 130;
  constexpr double kLeft = 80;
  constexpr double kBottom = 20;
  const double top =
      values.empty() ? 1 : round_up(std::max(1.0, *std::max_element(values.begin(), values.end())));
  const double step = (kWidth - kLeft - 20) / static_cast<double>(std::max<size_t>(values.size(), 2) - 1);
  std::string out = open_svg(kHeight);
  const auto y_of = [top](double value) {
    return kHeight - kBottom - value / top * (kHeight - kBottom - 10);
  };
  for (const double part : {0.0, 0.5, 1.0}) {
    const double y = y_of(part * top);
    out += line(kLeft, y, kWidth - 10, y, part == 0 ? "axis" : "grid");
    out += text_at(kLeft - 8, y + 4, "end", value_text(part * top));
  }
  std::string points;
  std::string dots;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = kLeft + 5 + static_cast<double>(i) * step;
    points += fmt::format("{:.1f},{:.1f} ", x, y_of(values[i]));
    dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5"><title>{}: {}</title></circle>)", x,
                        y_of(values[i]), i + 1, escape_markup(value_text(values[i])));
  }
  return out + fmt::format(R"(<polyline points="{}"/>)", points) + dots + "</svg>";
}

}  // namespace kreplay::cli
