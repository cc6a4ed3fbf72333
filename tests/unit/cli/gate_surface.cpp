// Prints the tables of docs/gate-rates.md: false alarms and power of the gate over the whole surface.
//   gate_surface [TIMES]     this many times as many comparisons behind each number (default: 1)
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "surface.hpp"

using namespace fixtures;

namespace {

/// Numbers of kernels, and comparisons that are made with so many.
constexpr std::pair<size_t, int> kKernels[] = {{1, 1000}, {10, 300}, {40, 100}, {100, 60}, {500, 20}};
constexpr size_t kCounts[] = {3, 5, 8, 12, 20, 40};

Surface g_surface(20261130);  // one sequence of random numbers, so that a run can be repeated
int g_times = 1;

Rates at(const Cell& cell, int rounds) { return g_surface.rates(cell, g_times * rounds); }

void number(double share) {
  fmt::print(" {:.0f} |", 100 * share);
  std::fflush(stdout);
}

void head(const std::string& first, const std::vector<std::string>& columns) {
  fmt::print("| {} |", first);
  for (const std::string& column : columns) fmt::print(" {} |", column);
  fmt::print("\n| --- |");
  for (size_t i = 0; i < columns.size(); ++i) fmt::print(" ---: |");
  fmt::print("\n");
}

std::vector<std::string> counts() {
  std::vector<std::string> out;
  for (const size_t count : kCounts) out.push_back(std::to_string(count));
  return out;
}

void alarms(const char* title, Design design, double fresh_spread, kreplay::cli::Limit limit,
            const std::vector<Shape>& shapes) {
  fmt::print("\n### {}\n\n", title);
  head("noise, kernels", counts());
  for (const auto& [shape, name] : kShapes) {
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) continue;
    for (const auto& [kernels, rounds] : kKernels) {
      fmt::print("| {}, {} |", name, kernels);
      for (const size_t count : kCounts)
        number(at({shape, design, kernels, count, count, 0, 1, fresh_spread, limit}, rounds).false_alarms);
      fmt::print("\n");
    }
  }
}

void unequal_counts() {
  fmt::print("\n### False alarms: several runs against fewer, no limit\n\n");
  std::vector<std::string> columns;
  for (const auto& [shape, name] : kShapes)
    if (shape != Shape::drift)
      for (const size_t kernels : {1, 40}) columns.push_back(fmt::format("{}, {}", name, kernels));
  head("base : new, spreads", columns);
  for (const auto& [base, fresh] : {std::pair<size_t, size_t>{10, 4}, {10, 3}, {10, 2}, {20, 5}, {5, 10}}) {
    for (const auto& [base_spread, fresh_spread] : {std::pair{1.0, 1.0}, {1.0, 4.0}, {4.0, 1.0}}) {
      fmt::print("| {} : {}, {} : {} |", base, fresh, base_spread, fresh_spread);
      for (const auto& [shape, name] : kShapes) {
        if (shape == Shape::drift) continue;
        for (const auto& [kernels, rounds] : {kKernels[0], kKernels[2]})
          number(at({shape, Design::runs, kernels, base, fresh, 0, base_spread, fresh_spread, {0, 0}}, rounds)
                     .false_alarms);
      }
      fmt::print("\n");
    }
  }
}

void power(Design design, const char* title) {
  fmt::print("\n### {}\n\n", title);
  head("noise, effect, kernels", counts());
  for (const auto& [shape, name] : kShapes) {
    if (shape == Shape::drift) continue;
    for (const double effect : {0.03, 0.1, 1.0}) {
      for (const auto& [kernels, rounds] : kKernels) {
        fmt::print("| {}, {:g} %, {} |", name, 100 * effect, kernels);
        for (const size_t count : kCounts)
          number(at({shape, design, kernels, count, count, effect}, std::min(100, rounds)).found);
        fmt::print("\n");
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) g_times = std::max(1, std::atoi(argv[1]));
  const std::vector<Shape> steady = {Shape::normal, Shape::heavy, Shape::two, Shape::uneven};
  alarms("False alarms: runs of each build, no limit", Design::runs, 1, {0, 0}, steady);
  alarms("False alarms: runs, the new build's spread four times the base's, no limit", Design::runs, 4,
         {0, 0}, {Shape::normal, Shape::heavy, Shape::uneven});
  alarms("False alarms: pairs of runs (kreplay ab), no limit", Design::pairs, 1, {0, 0}, steady);
  alarms("False alarms: one run of each build, launches that drift, limit 5 %", Design::launches, 1,
         {0.05, 0}, {Shape::drift});
  unequal_counts();
  power(Design::runs, "Found: one kernel is slower, runs of each build, no limit");
  power(Design::pairs, "Found: one kernel is slower, pairs of runs (kreplay ab), no limit");
}
