// Prints the tables of docs/gate-rates.md: false alarms and power of the gate over the whole surface.
//   gate_surface [ROWS]     rows (kernels times comparisons) that each number is made from (default: 40000)
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "surface.hpp"

using namespace fixtures;

namespace {

constexpr size_t kKernels[] = {1, 10, 40, 100, 500};
constexpr size_t kCounts[] = {3, 4, 5, 6, 8, 10, 12, 20, 40};

Surface g_surface(20261130);  // one sequence of random numbers, so that a run can be repeated
size_t g_rows = 40'000;

Rates at(const Cell& cell) {
  const auto rounds = std::min<size_t>(2000, std::max<size_t>(100, g_rows / cell.kernels));
  return g_surface.rates(cell, static_cast<int>(rounds));
}

void head(const char* first) {
  fmt::print("| {} |", first);
  for (const size_t count : kCounts) fmt::print(" {} |", count);
  fmt::print("\n| --- |");
  for (size_t i = 0; i < std::size(kCounts); ++i) fmt::print(" ---: |");
  fmt::print("\n");
}

std::string worst(double share, size_t kernels) {
  return share == 0 ? "0" : fmt::format("{:.1f} ({})", 100 * share, kernels);
}

/// The number of kernels for which it is worst, with its rate.
std::string worst_alarms(Cell cell) {
  double most = 0;
  size_t where = 0;
  for (cell.kernels = 1; const size_t kernels : kKernels) {
    cell.kernels = kernels;
    const double share = at(cell).false_alarms;
    if (share > most) where = kernels;
    most = std::max(most, share);
  }
  return worst(most, where);
}

void alarms(const char* title, Design design, double base_spread, double fresh_spread,
            kreplay::cli::Limit limit, bool drift) {
  fmt::print("\n**{}**\n\n", title);
  head("observations on each side");
  for (const auto& [shape, name] : kShapes) {
    if ((shape == Shape::drift) != drift && shape != Shape::normal) continue;
    fmt::print("| {} |", name);
    for (const size_t count : kCounts) {
      Cell cell{shape, design, 1, count, count, 0, base_spread, fresh_spread, limit};
      fmt::print(" {} |", worst_alarms(cell));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

void unequal_counts() {
  fmt::print("\n**Several runs against fewer**\n\n| base : new, spreads |");
  for (const auto& [shape, name] : kShapes)
    if (shape != Shape::drift) fmt::print(" {} |", name);
  fmt::print("\n| --- | ---: | ---: | ---: | ---: |\n");
  for (const auto& [base, fresh] : {std::pair<size_t, size_t>{10, 4}, {10, 3}, {10, 2}, {20, 5}, {5, 10}}) {
    for (const auto& [base_spread, fresh_spread] : {std::pair{1.0, 1.0}, {1.0, 4.0}, {4.0, 1.0}}) {
      fmt::print("| {} : {}, {} : {} |", base, fresh, base_spread, fresh_spread);
      for (const auto& [shape, name] : kShapes) {
        if (shape == Shape::drift) continue;
        fmt::print(" {} |",
                   worst_alarms({shape, Design::runs, 1, base, fresh, 0, base_spread, fresh_spread, {0, 0}}));
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  }
}

void power(Design design, const char* title) {
  fmt::print("\n**{}**\n\n", title);
  head("noise, effect, kernels");
  for (const auto& [shape, name] : kShapes) {
    if (shape == Shape::drift) continue;
    for (const double effect : {0.03, 0.1, 1.0}) {
      for (const size_t kernels : kKernels) {
        fmt::print("| {}, {:g} %, {} |", name, 100 * effect, kernels);
        for (const size_t count : kCounts) {
          fmt::print(" {:.0f} |", 100 * at({shape, design, kernels, count, count, effect}).found);
          std::fflush(stdout);
        }
        fmt::print("\n");
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) g_rows = std::strtoull(argv[1], nullptr, 10);
  alarms("Runs of each build, no limit", Design::runs, 1, 1, {0, 0}, false);
  alarms("Runs, the new build's spread four times the base's, no limit", Design::runs, 1, 4, {0, 0}, false);
  alarms("Pairs of runs (kreplay ab), no limit", Design::pairs, 1, 1, {0, 0}, false);
  alarms("One run of each build, launches that drift, limit 5 %", Design::launches, 1, 1, {0.05, 0}, true);
  unequal_counts();
  power(Design::runs, "Found, of 100: one kernel is slower, runs of each build, no limit");
  power(Design::pairs, "Found, of 100: one kernel is slower, pairs of runs, no limit");
}
