#include "cli/compare.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

using namespace kreplay::cli;

namespace {

ShapeKey key(const std::string& name) { return {name, {1024, 1, 1}, {64, 1, 1}}; }

Results with(const std::map<std::string, std::vector<double>>& kernels) {
  Results results;
  results.machine_key = "k";
  results.cache_modes = {"as_is"};
  for (const auto& [name, times] : kernels) results.samples[key(name)].ns = times;
  return results;
}

std::vector<double> noisy(std::mt19937_64& random, double median_ns, double sigma, int count) {
  std::lognormal_distribution<double> shape(std::log(median_ns), sigma);
  std::vector<double> out;
  out.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) out.push_back(shape(random));
  return out;
}

const std::vector<double> kFlat(5, 100'000.0);

}  // namespace

TEST_CASE("C102: known slower, faster, equal and missing inputs have their verdicts") {
  CHECK(compare(with({{"f", kFlat}}), with({{"f", kFlat}}), {}).verdict == Verdict::ok);
  const std::vector<double> slower(5, 110'000.0), faster(5, 90'000.0);
  const Comparison regression =
      compare(with({{"f", kFlat}, {"g", kFlat}}), with({{"f", slower}, {"g", kFlat}}), {});
  CHECK(regression.verdict == Verdict::regression);
  CHECK(regression.rows[0].key.kernel == "f");
  CHECK(regression.rows[0].ratio == Approx(1.1));
  CHECK(regression.rows[1].state == Row::State::ok);
  CHECK(compare(with({{"f", kFlat}}), with({{"f", faster}}), {}).verdict == Verdict::improvement);
  CHECK(compare(with({{"f", kFlat}, {"g", kFlat}}), with({{"f", slower}, {"g", faster}}), {}).verdict ==
        Verdict::regression);
}

TEST_CASE("nothing in common is nothing measured, never ok") {
  CHECK(compare(with({}), with({}), {}).verdict == Verdict::nothing_measured);
  CHECK(compare(with({{"f", kFlat}}), with({}), {}).verdict == Verdict::nothing_measured);
  CHECK(compare(with({{"f", kFlat}}), with({{"g", kFlat}}), {}).verdict == Verdict::nothing_measured);
  CHECK(compare(with({{"f", {}}}), with({{"f", {}}}), {}).verdict == Verdict::nothing_measured);
}

TEST_CASE("a kernel that is gone leaves doubt, a new one does not") {
  const auto both = with({{"f", kFlat}, {"g", kFlat}});
  const auto one = with({{"f", kFlat}});
  const Comparison removed = compare(both, one, {});
  CHECK(removed.verdict == Verdict::inconclusive);
  CHECK(removed.rows.back().state == Row::State::removed);
  Limits limits;
  limits.allow_removed = true;
  CHECK(compare(both, one, limits).verdict == Verdict::ok);
  const Comparison added = compare(one, both, {});
  CHECK(added.verdict == Verdict::ok);
  CHECK(added.rows.back().state == Row::State::added);
}

TEST_CASE("C105: another machine is not comparable, with the facts that differ") {
  auto base = with({{"f", kFlat}});
  auto fresh = base;
  fresh.machine_key = "other";
  base.machine = {{"agent0", "Vega 20"}, {"driver", "1"}};
  fresh.machine = {{"agent0", "Vega 10"}, {"driver", "1"}};
  const Comparison comparison = compare(base, fresh, {});
  CHECK(comparison.verdict == Verdict::not_comparable);
  CHECK(comparison.why.find("agent0: Vega 20 against Vega 10") != std::string::npos);
  CHECK(comparison.why.find("driver") == std::string::npos);
  Limits limits;
  limits.ignore_machine = true;
  CHECK(compare(base, fresh, limits).verdict == Verdict::ok);
}

TEST_CASE("C96: runs that treated caches differently are not comparable") {
  auto fresh = with({{"f", kFlat}});
  fresh.cache_modes = {"flush"};
  CHECK(compare(with({{"f", kFlat}}), fresh, {}).verdict == Verdict::not_comparable);
}

TEST_CASE("C103: a change must exceed the relative and the absolute limit") {
  const std::vector<double> tiny(5, 2000.0), tiny_slower(5, 2400.0);  // 20 %, but 400 ns
  CHECK(compare(with({{"f", tiny}}), with({{"f", tiny_slower}}), {}).verdict == Verdict::ok);
  Limits limits;
  limits.absolute_ns = 100;
  CHECK(compare(with({{"f", tiny}}), with({{"f", tiny_slower}}), limits).verdict == Verdict::regression);
  const std::vector<double> long_one(5, 1e9), long_slower(5, 1.02e9);  // 20 ms, but 2 %
  CHECK(compare(with({{"f", long_one}}), with({{"f", long_slower}}), {}).verdict == Verdict::ok);
}

TEST_CASE("too few or too noisy passes are inconclusive") {
  const Comparison few = compare(with({{"f", {1e5, 1.1e5}}}), with({{"f", {1e5, 1.1e5}}}), {});
  CHECK(few.verdict == Verdict::inconclusive);
  CHECK(few.rows[0].why.find("fewer than 5") != std::string::npos);
  std::mt19937_64 random(1);
  const Comparison noisy_rows =
      compare(with({{"f", noisy(random, 1e5, 0.5, 6)}}), with({{"f", noisy(random, 1e5, 0.5, 6)}}), {});
  CHECK(noisy_rows.verdict == Verdict::inconclusive);
  CHECK(noisy_rows.rows[0].why.find("too noisy") != std::string::npos);
}

TEST_CASE("C101: runs of the same build raise no more alarms than stated") {
  std::mt19937_64 random(20260101);
  int alarms = 0;
  for (int pair = 0; pair < 100; ++pair) {
    std::map<std::string, std::vector<double>> base, fresh;
    for (int kernel = 0; kernel < 10; ++kernel) {
      const double sigma = kernel % 2 == 0 ? 0.01 : 0.08;
      base["k" + std::to_string(kernel)] = noisy(random, 1e5, sigma, 20);
      fresh["k" + std::to_string(kernel)] = noisy(random, 1e5, sigma, 20);
    }
    const Comparison comparison = compare(with(base), with(fresh), {});
    for (const Row& row : comparison.rows)
      if (row.state == Row::State::regression || row.state == Row::State::improvement) {
        ++alarms;
        break;
      }
  }
  CHECK(alarms <= 8);
}

TEST_CASE("a 3 % regression under 1 % noise is found") {
  std::mt19937_64 random(7);
  Limits limits;
  limits.relative = 0.02;
  int found = 0;
  for (int round = 0; round < 100; ++round) {
    const auto base = with({{"f", noisy(random, 1e5, 0.01, 20)}, {"g", noisy(random, 1e5, 0.01, 20)}});
    const auto fresh = with({{"f", noisy(random, 1.03e5, 0.01, 20)}, {"g", noisy(random, 1e5, 0.01, 20)}});
    const Comparison comparison = compare(base, fresh, limits);
    if (comparison.rows[0].key.kernel == "f" && comparison.rows[0].state == Row::State::regression) ++found;
  }
  CHECK(found >= 95);
}

TEST_CASE("table and JSON hold every row and the verdict") {
  const std::vector<double> slower(5, 110'000.0);
  const Comparison comparison =
      compare(with({{"f(int)", kFlat}, {"gone()", kFlat}}), with({{"f(int)", slower}}), {});
  const std::string table = format_table(comparison, {});
  CHECK(table.find("+10.0 %") != std::string::npos);
  CHECK(table.find("gone") != std::string::npos);
  CHECK(table.find("kreplay: regression (limits: 5 % and 1.00 us)") != std::string::npos);
  const auto json = nlohmann::json::parse(format_json(comparison, {}));
  CHECK(json.at("verdict") == "regression");
  CHECK(json.at("rows").size() == 2);
  CHECK(json.at("rows")[0].at("ratio") == Approx(1.1));
  CHECK(json.at("rows")[1].at("verdict") == "removed");
}
