// A sequence of times in bounded memory, and how much of it is independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kreplay::cli {

/// Keeps at most kMost values of a sequence, in order and spread evenly over it: one of every `stride`
/// neighbours, chosen by a fixed rule, so that two sequences of one length keep the same places.
class TimeSeries {
 public:
  static constexpr size_t kMost = 512;

  void add(double value);
  const std::vector<double>& values() const { return values_; }
  uint64_t seen() const { return seen_; }
  /// Of all values seen; 0 when there are none.
  double min() const { return min_; }
  double max() const { return max_; }

 private:
  std::vector<double> values_;
  uint64_t seen_ = 0;
  uint64_t stride_ = 1;
  double min_ = 0;
  double max_ = 0;
};

/// How many neighbours in a sequence should be taken as one observation because they move together (drift,
/// changes of clock, load): twice the integrated autocorrelation time of the ranks, 1 when no correlation can
/// be told from noise or there are fewer than kLeastForDependence values, at most a third of the sequence.
constexpr size_t kLeastForDependence = 8;
size_t dependence_length(const std::vector<double>& in_order);

/// Medians of consecutive blocks of at least `length` values, as equal in size as possible.
std::vector<double> block_medians(const std::vector<double>& in_order, size_t length);

}  // namespace kreplay::cli
