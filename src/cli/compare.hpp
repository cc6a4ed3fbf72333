// Compares the pass times of two runs, kernel by kernel and shape by shape, and gives a verdict.
#pragma once

#include <string>
#include <vector>

#include "cli/result_reader.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {

/// A change counts only if it exceeds both limits.
struct Limits {
  double relative = 0.05;       ///< 0.05 is 5 %
  double absolute_ns = 1000;    ///< smaller changes of the median are below what can be told on hardware
  double alpha = 0.05;          ///< share of false alarms allowed among alarms, over all kernels
  double confidence = 0.95;     ///< of the interval
  size_t least_samples = 5;     ///< per side; fewer decide nothing unless they have no spread at all
  bool ignore_machine = false;  ///< compare although the machines differ
  bool allow_removed = false;   ///< a kernel that only the base has is no reason to doubt
};

enum class Verdict { ok, regression, improvement, inconclusive, nothing_measured, not_comparable };
const char* name_of(Verdict verdict);

struct Row {
  ShapeKey key;
  enum class State { ok, regression, improvement, inconclusive, added, removed } state = State::ok;
  std::string why;  ///< for inconclusive rows
  size_t base_samples = 0, fresh_samples = 0;
  double base_ns = 0, fresh_ns = 0;  ///< medians
  double ratio = 1;                  ///< fresh over base
  report::Interval interval;         ///< of the ratio
  double p = 1, q = 1;               ///< rank test, and adjusted for the number of rows
};
const char* name_of(Row::State state);

struct Comparison {
  Verdict verdict = Verdict::ok;
  std::string why;        ///< one sentence where the verdict is not from rows
  std::vector<Row> rows;  ///< largest effect first; rows without a ratio last
};

/// Samples that are all equal (a simulated clock) have no noise, so any difference between them is taken as
/// real; three on each side are enough. Otherwise a regression must exceed both limits, be significant after
/// adjustment, and have an interval wholly above 1. A row is inconclusive when its interval still allows a
/// change beyond the limits, or when there are too few samples.
Comparison compare(const Results& base, const Results& fresh, const Limits& limits);

std::string format_table(const Comparison& comparison, const Limits& limits);
std::string format_json(const Comparison& comparison, const Limits& limits);

}  // namespace kreplay::cli
