// Compares the pass times of two results, kernel by kernel and shape by shape, and gives a verdict.
#pragma once

#include <string>
#include <vector>

#include "cli/code_facts.hpp"
#include "cli/effect.hpp"
#include "cli/policy.hpp"
#include "cli/run_figures.hpp"

namespace kreplay::cli {

enum class Verdict { ok, regression, improvement, inconclusive, nothing_measured, not_comparable };
const char* name_of(Verdict verdict);

struct Row {
  enum class State { ok, regression, improvement, inconclusive, added, removed, ignored };
  ShapeKey key;
  State state = State::ok;
  /// What is statistically sure, whatever the limits say: a small change is ok, and told.
  enum class Change { none, slower, faster };
  Change change = Change::none;
  std::string why;  ///< what to know about the state: doubts, limits that held, code that is the same
  uint64_t base_passes = 0, fresh_passes = 0;
  double base_run_ns = 0, fresh_run_ns = 0;      ///< time per run: median passes of the launches, summed
  double base_launches = 0, fresh_launches = 0;  ///< per run, those that were timed
  uint64_t impossible_passes = 0;                ///< of both sides, that end before they start; left out
  Effect effect;                                 ///< without a ratio for rows of one side
  double q = 1;                                  ///< p adjusted for the number of rows
  Limit limit;                                   ///< the one that held
  bool has_ratio() const { return base_passes != 0 && fresh_passes != 0; }
};
const char* name_of(Row::State state);
const char* name_of(Row::Change change);

struct Comparison {
  Verdict verdict = Verdict::ok;
  RunFigures run;
  std::string why;        ///< one sentence where the verdict is not from rows
  std::vector<Row> rows;  ///< largest effect first; rows without a ratio last
  std::vector<FactChange> facts;
  size_t count(Row::State state) const;
  size_t count(Row::State state, Row::Change change) const;
};

/// A regression exceeds the relative and an absolute limit, is significant after adjustment for the number of
/// rows, and has an interval wholly above 1. A row is inconclusive when its interval still allows a change
/// beyond the limits, or when there are too few observations. Names must be normalised already.
Comparison compare(const Results& base, const Results& fresh, const Policy& policy,
                   Pairing pairing = Pairing::none);

}  // namespace kreplay::cli
