#include "report/time_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kreplay::report {

void TimeHistogram::add(uint64_t value) {
  ++count_;
  sum_ += value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  if (octaves_.empty() && exact_.size() < kExact) {
    exact_.push_back(value);
  } else {
    spill();
    count_value(value, 1);
  }
}

void TimeHistogram::merge(const TimeHistogram& other) {
  const bool fits =
      octaves_.empty() && other.octaves_.empty() && exact_.size() + other.exact_.size() <= kExact;
  if (fits) {
    exact_.insert(exact_.end(), other.exact_.begin(), other.exact_.end());
  } else {
    spill();
    for (const uint64_t value : other.exact_) count_value(value, 1);
    for (const auto& [octave, steps] : other.octaves_)
      for (size_t i = 0; i < steps.size(); ++i) octaves_[octave][i] += steps[i];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void TimeHistogram::spill() {
  for (const uint64_t value : exact_) count_value(value, 1);
  exact_ = {};
}

/// Octave 0 counts values below 64 one by one; octave k >= 1 those of 64 * 2^(k-1) up to twice that, in steps
/// of 2^(k-1).
void TimeHistogram::count_value(uint64_t value, uint64_t times) {
  const auto bits = static_cast<unsigned>(std::bit_width(value));
  const unsigned octave = bits > kStepBits ? bits - kStepBits : 0;
  const unsigned shift = octave > 0 ? octave - 1 : 0;
  octaves_[octave][(value >> shift) & ((1u << kStepBits) - 1)] += times;
}

double TimeHistogram::at_rank(const std::vector<uint64_t>& sorted, uint64_t rank) const {
  if (!sorted.empty()) return static_cast<double>(sorted[rank]);
  if (rank == 0) return static_cast<double>(min());
  if (rank + 1 == count_) return static_cast<double>(max_);
  uint64_t before = 0;
  for (const auto& [octave, steps] : octaves_) {
    for (size_t i = 0; i < steps.size(); ++i) {
      before += steps[i];
      if (before <= rank) continue;
      const double step = octave > 1 ? std::ldexp(1.0, static_cast<int>(octave) - 1) : 1.0;
      const double low =
          octave == 0 ? static_cast<double>(i) : (static_cast<double>(steps.size() + i)) * step;
      // A step of width 1 holds one value; the middle of a wider one is at most half a step off.
      const double value = step > 1.0 ? low + step / 2 : low;
      return std::clamp(value, static_cast<double>(min_), static_cast<double>(max_));
    }
  }
  return static_cast<double>(max_);
}

double TimeHistogram::quantile(double q) const {
  if (count_ == 0) return 0;
  std::vector<uint64_t> sorted = exact_;
  std::sort(sorted.begin(), sorted.end());
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_ - 1);
  const auto rank = static_cast<uint64_t>(position);
  const double low = at_rank(sorted, rank);
  if (rank + 1 >= count_) return low;
  const double high = at_rank(sorted, rank + 1);
  return low + (high - low) * (position - static_cast<double>(rank));
}

}  // namespace kreplay::report
