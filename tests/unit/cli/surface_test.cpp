// The gate's rates of error and of finding, over the surface of docs/gate-rates.md, cut down: fewer
// comparisons and fewer points, with fixed seeds. gate_surface makes the whole table.
#include "surface.hpp"

#include <catch2/catch.hpp>

using namespace fixtures;

namespace {

/// The most of so many that a rate of 5 % explains: more have a chance of 1 in 1000.
int chance(int rounds) {
  double below = 0;
  for (int k = 0;; ++k) {
    const double ways = std::lgamma(rounds + 1) - std::lgamma(k + 1) - std::lgamma(rounds - k + 1);
    below += std::exp(ways + k * std::log(0.05) + (rounds - k) * std::log(0.95));
    if (below >= 0.999) return k;
  }
}

void check_alarms(Surface& surface, Cell cell) {
  for (const auto& [kernels, rounds] :
       {std::pair<size_t, int>{1, 300}, {10, 100}, {40, 50}, {100, 30}, {500, 6}}) {
    cell.kernels = kernels;
    const double alarms = surface.rates(cell, rounds).false_alarms;
    INFO(kernels << " kernels, " << cell.base << ":" << cell.fresh << " observations, spreads "
                 << cell.base_spread << ":" << cell.fresh_spread << ", shape " << static_cast<int>(cell.shape)
                 << ", design " << static_cast<int>(cell.design));
    CHECK(alarms * rounds <= chance(rounds) + 0.5);
  }
}

}  // namespace

TEST_CASE("C101: no more false alarms than asked for, without any limit, whatever the noise") {
  Surface surface(1);
  for (const Shape shape : {Shape::normal, Shape::heavy, Shape::two})
    for (const Design design : {Design::runs, Design::pairs})
      for (const size_t count : {3, 5, 8, 12, 40}) check_alarms(surface, {shape, design, 1, count, count});
}

TEST_CASE("C101: nor where the spreads or the numbers of observations differ") {
  Surface surface(2);
  for (const Shape shape : {Shape::normal, Shape::heavy}) {
    for (const auto& [base, fresh] : {std::pair<size_t, size_t>{10, 4}, {10, 2}, {5, 5}, {12, 12}}) {
      check_alarms(surface, {shape, Design::runs, 1, base, fresh, 0, 1, 4});
      check_alarms(surface, {shape, Design::runs, 1, base, fresh, 0, 4, 1});
    }
  }
}

TEST_CASE("C101: nor where one side has clock states farther apart, and few observations of many kernels") {
  Surface surface(6);
  for (const auto& [base, fresh] : {std::pair<size_t, size_t>{20, 5}, {10, 4}, {5, 5}, {8, 8}, {12, 12}})
    for (const size_t kernels : {10, 40, 100}) {
      INFO(kernels << " kernels, " << base << ":" << fresh);
      const double alarms =
          surface.rates({Shape::two, Design::runs, kernels, base, fresh, 0, 1, 4}, 40).false_alarms;
      CHECK(alarms * 40 <= chance(40) + 0.5);
    }
}

TEST_CASE("C101: a run that drifts raises no alarm beyond a limit that covers the drift") {
  Surface surface(3);
  for (const size_t count : {3, 5, 8, 12, 40})
    check_alarms(surface, {Shape::drift, Design::launches, 1, count, count, 0, 1, 1, {0.05, 0}});
}

TEST_CASE("more data never weaken the gate: a lone regression is found the more surely the more there are") {
  Surface surface(4);
  const size_t counts[] = {3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 20, 40};
  for (const Shape shape : {Shape::normal, Shape::heavy, Shape::two}) {
    for (const Design design : {Design::runs, Design::pairs}) {
      for (const double effect : {0.03, 0.1, 1.0}) {
        double before = 0;
        for (const size_t count : counts) {
          const double found = surface.rates({shape, design, 40, count, count, effect}, 20).found;
          INFO("shape " << static_cast<int>(shape) << ", design " << static_cast<int>(design) << ", effect "
                        << effect << ", " << count << " observations: " << found << ", fewer: " << before);
          CHECK(found >= before - 0.25);  // of 20: chance alone moves a half by a tenth and more
          before = std::max(before, found);
        }
        CHECK(before >= (effect < 0.05 ? 0.7 : 0.99));
      }
    }
  }
}

TEST_CASE("a kernel that takes twice as long is found among any number of kernels") {
  Surface surface(5);
  for (const size_t kernels : {1, 10, 40, 100, 500})
    for (const size_t count : {4, 6, 7, 8, 9, 10, 12})
      for (const Design design : {Design::runs, Design::pairs, Design::launches}) {
        INFO(kernels << " kernels, " << count << " observations");
        CHECK(surface.rates({Shape::normal, design, kernels, count, count, 1.0}, 4).found == 1);
      }
}
