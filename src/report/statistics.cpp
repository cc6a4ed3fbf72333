#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kreplay::report {
namespace {

/// Median of values it may reorder.
double median_in_place(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

struct Ranked {
  std::vector<unsigned> doubled;  ///< twice the mid-rank of each value, first sample first
  double tie_term = 0;            ///< sum of t^3 - t over groups of t equal values
};

Ranked rank(const std::vector<double>& all) {
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&all](size_t a, size_t b) { return all[a] < all[b]; });
  Ranked ranked;
  ranked.doubled.resize(all.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && all[order[end]] == all[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranked.doubled[order[i]] = static_cast<unsigned>(begin + 1 + end);
    const auto ties = static_cast<double>(end - begin);
    ranked.tie_term += ties * ties * ties - ties;
    begin = end;
  }
  return ranked;
}

/// Share of all ways to pick the first sample's values whose rank sum is at least as far from the middle.
double exact_p(const Ranked& ranked, size_t n, uint64_t sum) {
  const uint64_t total = std::accumulate(ranked.doubled.begin(), ranked.doubled.end(), uint64_t{0});
  // ways[k][s]: choices of k values with doubled rank sum s.
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const unsigned r : ranked.doubled)
    for (size_t k = n; k > 0; --k)
      for (uint64_t s = total; s >= r; --s) ways[k][s] += ways[k - 1][s - r];
  // Expected doubled sum is n * total / N; compare without rounding by scaling with N.
  const auto count = static_cast<uint64_t>(ranked.doubled.size());
  const auto off = [&](uint64_t s) {
    const uint64_t a = s * count;
    const uint64_t b = n * total;
    return a > b ? a - b : b - a;
  };
  double extreme = 0;
  double all = 0;
  for (uint64_t s = 0; s <= total; ++s) {
    all += ways[n][s];
    if (off(s) >= off(sum)) extreme += ways[n][s];
  }
  return extreme / all;
}

double two_sided_normal(double z) { return std::min(1.0, std::erfc(z / std::sqrt(2.0))); }

/// Share of all ways to give the ranks signs whose positive sum is at least as far from the middle.
double exact_signed_p(const std::vector<unsigned>& doubled, uint64_t positive) {
  const uint64_t total = std::accumulate(doubled.begin(), doubled.end(), uint64_t{0});
  std::vector<double> ways(total + 1);  // by doubled sum of the positive ranks
  ways[0] = 1;
  for (const unsigned r : doubled)
    for (uint64_t s = total; s >= r; --s) ways[s] += ways[s - r];
  const auto off = [total](uint64_t s) { return 2 * s > total ? 2 * s - total : total - 2 * s; };
  double extreme = 0;
  double all = 0;
  for (uint64_t s = 0; s <= total; ++s) {
    all += ways[s];
    if (off(s) >= off(positive)) extreme += ways[s];
  }
  return extreme / all;
}

}  // namespace

double median(std::vector<double> values) { return median_in_place(values); }

double median_absolute_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median_in_place(distances);
}

RankTest mann_whitney(const std::vector<double>& first, const std::vector<double>& second) {
  RankTest test;
  if (first.empty() || second.empty()) return test;
  std::vector<double> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const Ranked ranked = rank(all);
  uint64_t sum = 0;
  for (size_t i = 0; i < first.size(); ++i) sum += ranked.doubled[i];
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  test.u = static_cast<double>(sum) / 2 - n * (n + 1) / 2;
  test.superiority = test.u / (n * m);
  if (first.size() + second.size() <= kExactRankTest) {
    test.p = exact_p(ranked, first.size(), sum);
    return test;
  }
  const double size = n + m;
  const double variance = n * m / 12 * (size + 1 - ranked.tie_term / (size * (size - 1)));
  const double distance = std::max(0.0, std::abs(test.u - n * m / 2) - 0.5);
  test.p = variance > 0 ? two_sided_normal(distance / std::sqrt(variance)) : 1;
  return test;
}

double signed_rank(const std::vector<double>& values) {
  std::vector<double> sizes;
  sizes.reserve(values.size());
  for (const double value : values) sizes.push_back(std::abs(value));
  const Ranked ranked = rank(sizes);
  std::vector<unsigned> doubled;
  uint64_t positive = 0;
  double sum = 0;
  double squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    doubled.push_back(ranked.doubled[i]);
    if (values[i] > 0) positive += ranked.doubled[i];
    sum += ranked.doubled[i];
    squares += static_cast<double>(ranked.doubled[i]) * ranked.doubled[i];
  }
  if (doubled.empty()) return 1;
  if (values.size() <= kExactRankTest) return exact_signed_p(doubled, positive);
  // In doubled ranks: mean half their sum, variance a quarter of the sum of squares, continuity of one rank.
  const double distance = std::max(0.0, std::abs(static_cast<double>(positive) - sum / 2) - 1);
  return two_sided_normal(distance / std::sqrt(squares / 4));
}

std::vector<double> benjamini_hochberg(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&p](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (size_t i = p.size(); i-- > 0;) {
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace kreplay::report
