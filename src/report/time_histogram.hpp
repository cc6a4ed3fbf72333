// Order statistics of very many times in bounded memory. Up to kExact values are kept as they are; beyond,
// they are counted in a log-linear histogram: 64 steps per power of two, so a quantile is off by at most
// 1/128 (0.8 %) of its value. Minimum and maximum are always exact.
// Memory: at most 2 KiB while exact, then 512 bytes per power of two that occurs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kreplay::report {

class TimeHistogram {
 public:
  static constexpr size_t kExact = 256;

  void add(uint64_t value);
  void merge(const TimeHistogram& other);
  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  uint64_t min() const { return count_ == 0 ? 0 : min_; }
  uint64_t max() const { return max_; }
  /// Interpolates between neighbours like the usual "type 7" quantile while exact.
  /// @param q 0..1. @return 0 when empty
  double quantile(double q) const;

 private:
  static constexpr unsigned kStepBits = 6;
  using Octave = std::array<uint64_t, 1u << kStepBits>;

  void count_value(uint64_t value, uint64_t times);
  void spill();
  /// The value at a rank of the sorted sequence.
  double at_rank(const std::vector<uint64_t>& sorted, uint64_t rank) const;

  std::vector<uint64_t> exact_;
  std::map<unsigned, Octave> octaves_;  ///< by number of bits above the step bits; 0 holds the small values
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
};

}  // namespace kreplay::report
