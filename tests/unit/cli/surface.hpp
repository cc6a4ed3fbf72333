// How often comparisons err and find, over what they meet: kernels, observations, effects, shapes of noise.
#pragma once

#include "cli/compare.hpp"
#include "synthetic.hpp"

namespace fixtures {

/// Shapes of noise of single observations, all centred: a side of a larger spread has no other middle.
enum class Shape {
  normal,  ///< 1 %
  heavy,   ///< Student's t with three degrees of freedom, 1 %
  two,     ///< two clock states 5 % apart, at random, with 0.3 % around each
  uneven,  ///< normal, but from 0.1 % for one kernel to 8 % for another
  drift,   ///< 1 %, and a ramp over the launches of a run, of 2 % one way or the other
};
inline constexpr std::pair<Shape, const char*> kShapes[] = {{Shape::normal, "normal"},
                                                            {Shape::heavy, "heavy tail"},
                                                            {Shape::two, "two clock states"},
                                                            {Shape::uneven, "uneven kernels"},
                                                            {Shape::drift, "drift"}};

/// How the observations were made.
enum class Design {
  pairs,     ///< runs by turns, as of kreplay ab
  runs,      ///< runs of each build
  launches,  ///< one run of each, with so many launches
};

struct Cell {
  Shape shape = Shape::normal;
  Design design = Design::runs;
  size_t kernels = 1;
  size_t base = 3, fresh = 3;                ///< observations
  double effect = 0;                         ///< of the first kernel: 0.1 is 10 % slower
  double base_spread = 1, fresh_spread = 1;  ///< times the shape's
  kreplay::cli::Limit limit{0, 0};
};

/// Shares of comparisons.
struct Rates {
  double false_alarms = 0;  ///< some kernel that is the same is a regression or an improvement
  double found = 0;         ///< the first kernel is a regression
  double undecided = 0;     ///< the verdict is inconclusive
};

class Surface {
 public:
  explicit Surface(uint64_t seed) : random_(seed) {}

  Rates rates(const Cell& cell, int rounds) {
    kreplay::cli::Policy policy;
    policy.limit = cell.limit;
    const auto pairing =
        cell.design == Design::pairs ? kreplay::cli::Pairing::runs : kreplay::cli::Pairing::none;
    Rates out;
    for (int round = 0; round < rounds; ++round) {
      const auto comparison = one(cell, policy, pairing);
      bool alarm = false, found = false;
      for (const auto& row : comparison.rows) {
        const bool flagged = row.state == kreplay::cli::Row::State::regression ||
                             row.state == kreplay::cli::Row::State::improvement;
        const bool changed = cell.effect != 0 && row.key.kernel == "k0";
        alarm = alarm || (flagged && !changed);
        found = found || (row.state == kreplay::cli::Row::State::regression && changed);
      }
      out.false_alarms += alarm ? 1.0 / rounds : 0;
      out.found += found ? 1.0 / rounds : 0;
      out.undecided += comparison.verdict == kreplay::cli::Verdict::inconclusive ? 1.0 / rounds : 0;
    }
    return out;
  }

 private:
  kreplay::cli::Comparison one(const Cell& cell, const kreplay::cli::Policy& policy,
                               kreplay::cli::Pairing pairing) {
    auto base = one_run({}), fresh = one_run({});
    for (size_t kernel = 0; kernel < cell.kernels; ++kernel) {
      const auto name = key("k" + std::to_string(kernel));
      // Uneven: each kernel has a noise of its own, the same on both sides.
      scale_ = cell.shape == Shape::uneven ? std::exp(std::log(0.1) + uniform_(random_) * std::log(80.0)) : 1;
      add(cell, cell.base, cell.base_spread, 1e6, &base.samples[name]);
      add(cell, cell.fresh, cell.fresh_spread, kernel == 0 ? 1e6 * (1 + cell.effect) : 1e6,
          &fresh.samples[name]);
    }
    return kreplay::cli::compare(base, fresh, policy, pairing);
  }

  void add(const Cell& cell, size_t count, double spread, double ns, kreplay::cli::Samples* samples) {
    const double slope = uniform_(random_) < 0.5 ? 0.02 : -0.02;
    for (size_t i = 0; i < count; ++i) {
      const double place = static_cast<double>(i) / static_cast<double>(count) - 0.5;
      double off = spread * scale_ * noise(cell.shape);
      if (cell.shape == Shape::drift) off += slope * place;
      samples->add(cell.design == Design::launches ? 0 : i, {std::round(ns * std::exp(off))});
    }
  }

  double noise(Shape shape) {
    switch (shape) {
      case Shape::heavy:
        return 0.01 * heavy_(random_) / std::sqrt(3.0);
      case Shape::two:
        return (uniform_(random_) < 0.5 ? 0.025 : -0.025) + 0.003 * normal_(random_);
      default:
        return 0.01 * normal_(random_);
    }
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> heavy_{3};
  std::uniform_real_distribution<double> uniform_;
  double scale_ = 1;
};

}  // namespace fixtures
