// How often a comparison is wrong: the rates that docs/cli.md states.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/compare.hpp"
#include "support/folder.hpp"
#include "synthetic.hpp"

using namespace kreplay::cli;
using fixtures::Launches;
using fixtures::Noise;
using fixtures::noisy;

namespace {

struct Family {
  const char* name;
  Noise noise;
};

/// What differs from pass to pass.
const std::vector<Family> kPassNoise = {{"plain", {0.01}}, {"loud", {0.08}}, {"outliers", {0.01, 0.03}}};
/// What also differs from launch to launch.
const std::vector<Family> kSteady = {
    {"plain", {0.01}}, {"loud", {0.08}}, {"outliers", {0.01, 0.03}}, {"two clock states", {0.005, 0, 0.03}}};
const std::vector<Family> kDrifting = {{"correlated launches", {0.01, 0.01, 0, 0.7}},
                                       {"ramp", {0.01, 0.01, 0, 0, 0.02}},
                                       {"offset per run", {0.01, 0.01, 0, 0, 0, 0.01}},
                                       {"all of it", {0.01, 0.02, 0.01, 0.5, 0.01, 0.005}}};

struct Alarms {
  int pairs = 0;  ///< with any kernel reported as slower or faster
  int inconclusive = 0;
};

/// Pairs of results of the same build: ten kernels, families by turns.
Alarms same_build(uint64_t seed, const std::vector<Family>& families, const Policy& policy, size_t runs,
                  size_t launches, size_t passes, int pairs) {
  std::mt19937_64 random(seed);
  Alarms alarms;
  for (int pair = 0; pair < pairs; ++pair) {
    Results sides[2] = {fixtures::one_run({}), fixtures::one_run({})};
    for (Results& side : sides)
      for (size_t kernel = 0; kernel < 10; ++kernel)
        for (size_t run = 0; run < runs; ++run)
          for (const auto& launch :
               noisy(random, 1e5, families[kernel % families.size()].noise, launches, passes))
            side.samples[fixtures::key("k" + std::to_string(kernel))].add(run, launch);
    const Comparison comparison = compare(sides[0], sides[1], policy);
    const size_t flagged =
        comparison.count(Row::State::regression) + comparison.count(Row::State::improvement);
    alarms.pairs += flagged != 0 ? 1 : 0;
    alarms.inconclusive += comparison.verdict == Verdict::inconclusive ? 1 : 0;
  }
  return alarms;
}

/// Writes the lines with other times: each kernel has one of the families as its noise.
void write_with_noise(std::mt19937_64& random, const std::vector<nlohmann::json>& lines,
                      const std::string& path) {
  std::map<uint64_t, size_t> launches;  // by kernel
  for (const auto& line : lines)
    if (line.at("type") == "dispatch") ++launches[line.at("kernel").get<uint64_t>()];
  std::map<uint64_t, Launches> noise;
  for (const auto& [kernel, count] : launches)
    noise[kernel] = noisy(random, 1, (kernel % 2 == 0 ? kDrifting : kSteady)[kernel / 2 % 4].noise, count, 8);
  std::map<uint64_t, size_t> next;
  std::ofstream out(path);
  for (auto line : lines) {
    if (line.at("type") == "dispatch") {
      const auto kernel = line.at("kernel").get<uint64_t>();
      const std::vector<double>& factors = noise[kernel].at(next[kernel]++);
      size_t pass = 0;
      for (auto& times : line.at("passes")) {
        const auto start = times.at(0).get<uint64_t>();
        const auto length = times.at(1).get<double>() - static_cast<double>(start);
        times[1] = start + static_cast<uint64_t>(length * factors.at(pass++ % 8));
      }
    }
    out << line.dump() << '\n';
  }
}

Policy no_limits() {
  Policy policy;
  policy.limit = {0, 0};
  return policy;
}

}  // namespace

/// The most alarms in 200 pairs that a rate of 5 % explains: ten are expected, more than 17 have a chance of
/// 1 %.
constexpr int kChance = 17;

TEST_CASE("C101: the same build, without any limit: no more false alarms than alpha") {
  // Nothing but the statistics: 200 pairs of results of ten kernels each.
  struct Plan {
    const char* what;
    const std::vector<Family>& families;
    size_t runs, launches, passes;
  };
  for (const auto& [what, families, runs, launches, passes] :
       {Plan{"one launch, five passes", kPassNoise, 1, 1, 5},
        Plan{"one launch, twenty passes", kPassNoise, 1, 1, 20}, Plan{"twenty launches", kSteady, 1, 20, 5},
        Plan{"five runs", kSteady, 5, 6, 3}, Plan{"ten runs", kSteady, 10, 2, 3},
        Plan{"six runs that drift", kDrifting, 6, 10, 3}}) {
    const Alarms alarms = same_build(20260101, families, no_limits(), runs, launches, passes, 200);
    INFO(what);
    CHECK(alarms.pairs <= kChance);
  }
}

TEST_CASE("C101: the same build, with the default limits: next to no false alarm, drift or not") {
  const Alarms steady = same_build(5, kSteady, {}, 1, 20, 5, 200);
  CHECK(steady.pairs <= 2);
  const Alarms drifting = same_build(8, kDrifting, {}, 1, 20, 5, 200);
  CHECK(drifting.pairs <= 10);
}

TEST_CASE("C101: the same build, from recorded files with noise put into them") {
  // The whole way from the file to the verdict: a recording of the software GPU, whose own times have no
  // noise.
  const std::string path = KREPLAY_SOURCE_DIR "/tests/unit/cli/recorded.jsonl";
  std::vector<nlohmann::json> recorded;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) recorded.push_back(nlohmann::json::parse(line));
  REQUIRE(recorded.size() > 40);
  std::mt19937_64 random(99);
  const fixtures::Folder folder;
  Policy policy;
  policy.limit.absolute_ns = 0;  // the kernels are short
  int alarms = 0;
  for (int pair = 0; pair < 200; ++pair) {
    Results sides[2];
    for (size_t side = 0; side < 2; ++side) {
      const std::string noisy_path = folder / std::to_string(side);
      write_with_noise(random, recorded, noisy_path);
      REQUIRE(read_results(noisy_path, &sides[side]).ok());
    }
    const Comparison comparison = compare(sides[0], sides[1], policy);
    REQUIRE(comparison.rows.size() >= 3);
    alarms +=
        comparison.count(Row::State::regression) + comparison.count(Row::State::improvement) != 0 ? 1 : 0;
  }
  CHECK(alarms <= 10);
}

TEST_CASE("a 3 % regression under 1 % noise is found: it fails a limit below, and is told below a limit") {
  Policy strict;
  strict.limit.relative = 0.015;
  struct Plan {
    const char* what;
    size_t runs, launches, passes;
    double per_run;
  };
  for (const auto& [what, runs, launches, passes, per_run] :
       {Plan{"one launch, twenty passes", 1, 1, 20, 0}, Plan{"twenty launches", 1, 20, 5, 0},
        Plan{"ten runs", 10, 3, 5, 0.003}}) {
    std::mt19937_64 random(11);
    int failed = 0, told = 0, false_alarms = 0, falsely_told = 0;
    for (int round = 0; round < 100; ++round) {
      Noise noise;
      noise.per_run = per_run;
      Results sides[2] = {fixtures::one_run({}), fixtures::one_run({})};
      for (size_t side = 0; side < 2; ++side)
        for (size_t kernel = 0; kernel < 5; ++kernel)
          for (size_t run = 0; run < runs; ++run)
            for (const auto& launch :
                 noisy(random, kernel == 0 && side == 1 ? 1.03e5 : 1e5, noise, launches, passes))
              sides[side].samples[fixtures::key("k" + std::to_string(kernel))].add(run, launch);
      for (const Row& row : compare(sides[0], sides[1], strict).rows)
        if (row.state == Row::State::regression) ++(row.key.kernel == "k0" ? failed : false_alarms);
      for (const Row& row : compare(sides[0], sides[1], {}).rows)
        if (row.change == Row::Change::slower) ++(row.key.kernel == "k0" ? told : falsely_told);
    }
    INFO(what);
    CHECK(failed >= 95);
    CHECK(false_alarms <= 5);
    CHECK(told >= 95);
    // Of five rows one is a true finding, so the false discovery rate allows one in twenty findings.
    CHECK(falsely_told <= 12);
  }
}
