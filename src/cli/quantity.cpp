#include "cli/quantity.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace kreplay::cli {
namespace {

/// Reads a number from the start of `text`; `rest` receives what follows it. NaN when there is none.
double leading_number(const std::string& text, std::string* rest) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nan("");
  rest->assign(end, text.data() + text.size() - end);
  return value;
}

}  // namespace

Result<double> parse_ratio(const std::string& text) {
  std::string unit;
  double value = leading_number(text, &unit);
  if (unit.empty() && value >= 1) {
    return {Error::invalid_argument, "\"" + text + "\" could mean " + text + " % or " + text +
                                         " times: write " + text + "% or a number below 1"};
  }
  if (unit == "%") value /= 100;
  if (std::isnan(value) || (!unit.empty() && unit != "%") || value > 10)
    return {Error::invalid_argument, "\"" + text + "\" is not a ratio; give something like 5% or 0.05"};
  return value;
}

Result<double> parse_time_ns(const std::string& text) {
  std::string unit;
  const double value = leading_number(text, &unit);
  for (const auto& [name, ns] : {std::pair("ns", 1.0), {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}})
    if (!std::isnan(value) && unit == name) return value * ns;
  if (value == 0 && unit.empty()) return 0.0;
  return {Error::invalid_argument, "\"" + text + "\" is not a time; give something like 500ns, 1us or 2ms"};
}

}  // namespace kreplay::cli
