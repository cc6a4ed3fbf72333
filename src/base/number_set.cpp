#include "base/number_set.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace kreplay {
namespace {

bool read_number(std::string_view text, uint64_t least, uint64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && *out >= least;
}

}  // namespace

Result<NumberSet> NumberSet::parse(std::string_view text, uint64_t least) {
  NumberSet set;
  if (text.empty()) return set;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const size_t dash = part.find('-');
    uint64_t first = 0;
    uint64_t last = 0;
    bool good = read_number(part.substr(0, dash), least, &first);
    if (dash == std::string_view::npos) {
      last = first;
    } else if (dash + 1 == part.size()) {
      last = UINT64_MAX;
    } else {
      good = good && read_number(part.substr(dash + 1), least, &last) && last >= first;
    }
    if (!good)
      return {Error::invalid_argument, "\"" + std::string(part) + "\" is not a number from " +
                                           std::to_string(least) + " or a range of them"};
    set.ranges_.emplace_back(first, last);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(set.ranges_.begin(), set.ranges_.end());
  std::vector<std::pair<uint64_t, uint64_t>> merged;
  for (const auto& range : set.ranges_) {
    // The previous range may reach UINT64_MAX, so compare without adding to it.
    if (!merged.empty() && (range.first == 0 || range.first - 1 <= merged.back().second)) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  set.ranges_ = std::move(merged);
  return set;
}

bool NumberSet::contains(uint64_t number) const {
  if (ranges_.empty()) return true;
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), number,
                                [](uint64_t value, const auto& range) { return value < range.first; });
  return after != ranges_.begin() && number <= std::prev(after)->second;
}

}  // namespace kreplay
