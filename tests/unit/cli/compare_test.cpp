#include "cli/compare.hpp"

#include <catch2/catch.hpp>

#include "support/folder.hpp"
#include "synthetic.hpp"

using namespace kreplay::cli;
using fixtures::has;
using fixtures::key;
using fixtures::one_run;
using fixtures::single;

namespace {

using State = Row::State;

const std::vector<double> kFlat(5, 100'000.0);
const std::vector<double> kSlower(5, 110'000.0);
const std::vector<double> kFaster(5, 90'000.0);

}  // namespace

TEST_CASE("C102: known slower, faster, equal and missing inputs have their verdicts") {
  CHECK(compare(single({{"f", kFlat}}), single({{"f", kFlat}}), {}).verdict == Verdict::ok);
  const Comparison regression =
      compare(single({{"f", kFlat}, {"g", kFlat}}), single({{"f", kSlower}, {"g", kFlat}}), {});
  CHECK(regression.verdict == Verdict::regression);
  CHECK(regression.rows[0].key.kernel == "f");
  CHECK(regression.rows[0].effect.ratio == Approx(1.1));
  CHECK(regression.rows[0].effect.test == Test::exact);
  CHECK(regression.rows[1].state == State::ok);
  CHECK(compare(single({{"f", kFlat}}), single({{"f", kFaster}}), {}).verdict == Verdict::improvement);
  CHECK(compare(single({{"f", kFlat}, {"g", kFlat}}), single({{"f", kSlower}, {"g", kFaster}}), {}).verdict ==
        Verdict::regression);
}

TEST_CASE("a change within the limits is told, and is no regression") {
  const std::vector<double> little(5, 103'000.0), less(5, 98'000.0);
  const Comparison comparison = compare(single({{"f", kFlat}, {"g", kFlat}, {"h", kFlat}}),
                                        single({{"f", little}, {"g", less}, {"h", kFlat}}), {});
  CHECK(comparison.verdict == Verdict::ok);
  CHECK(comparison.count(State::ok, Row::Change::slower) == 1);
  CHECK(comparison.count(State::ok, Row::Change::faster) == 1);
  CHECK(comparison.count(State::ok, Row::Change::none) == 1);
  CHECK(comparison.rows[0].change == Row::Change::slower);
}

TEST_CASE("nothing in common is nothing measured, never ok") {
  CHECK(compare(single({}), single({}), {}).verdict == Verdict::nothing_measured);
  CHECK(compare(single({{"f", kFlat}}), single({}), {}).verdict == Verdict::nothing_measured);
  CHECK(compare(single({{"f", kFlat}}), single({{"g", kFlat}}), {}).verdict == Verdict::nothing_measured);
  CHECK(compare(single({{"f", {}}}), single({{"f", {}}}), {}).verdict == Verdict::nothing_measured);
  Policy policy;
  policy.rules.push_back({*Pattern::parse("f"), "", {}, {}, true});
  CHECK(compare(single({{"f", kFlat}}), single({{"f", kFlat}}), policy).verdict == Verdict::nothing_measured);
}

TEST_CASE("a kernel that is gone leaves doubt, a new one does not") {
  const auto both = single({{"f", kFlat}, {"g", kFlat}});
  const auto one = single({{"f", kFlat}});
  const Comparison removed = compare(both, one, {});
  CHECK(removed.verdict == Verdict::inconclusive);
  CHECK(removed.rows.back().state == State::removed);
  Policy policy;
  policy.allow_removed = true;
  CHECK(compare(both, one, policy).verdict == Verdict::ok);
  const Comparison added = compare(one, both, {});
  CHECK(added.rows.back().state == State::added);
  CHECK(added.verdict == Verdict::regression);  // of the run, which takes twice as long
  policy.run.time = 2;
  CHECK(compare(one, both, policy).verdict == Verdict::ok);
}

TEST_CASE("C67: a kernel that was launched and not measured says why") {
  auto fresh = single({{"f", kFlat}});
  auto& kernel = fresh.totals.kernels[1];
  kernel.name = "g";
  kernel.sums.dispatches = 3;
  kernel.sums.declined[static_cast<size_t>(kreplay::report::Reason::graph)] = 3;
  const Comparison comparison = compare(single({{"f", kFlat}, {"g", kFlat}}), fresh, {});
  CHECK(comparison.rows.back().why == "launched, but not measured: 3 graph");
}

TEST_CASE("launch shapes are compared each for itself") {
  auto base = single({{"f", kFlat}});
  auto fresh = single({{"f", kFlat}});
  ShapeKey large = key("f");
  large.grid[0] = 4096;
  base.samples[large].add(0, std::vector<double>(5, 400'000.0));
  fresh.samples[large].add(0, std::vector<double>(5, 480'000.0));
  const Comparison comparison = compare(base, fresh, {});
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.rows[0].key.grid[0] == 4096);
  CHECK(comparison.rows[0].state == State::regression);
  CHECK(comparison.rows[1].state == State::ok);
}

TEST_CASE("C105: another machine is not comparable, with the facts that differ") {
  auto base = single({{"f", kFlat}});
  auto fresh = base;
  fresh.processes[0].header.machine_key = "other";
  base.processes[0].header.machine = {{"agent0", "Vega 20"}, {"driver", "1"}};
  fresh.processes[0].header.machine = {{"agent0", "Vega 10"}, {"driver", "1"}};
  const Comparison comparison = compare(base, fresh, {});
  CHECK(comparison.verdict == Verdict::not_comparable);
  CHECK(has(comparison.why, "agent0: Vega 20 against Vega 10"));
  CHECK(!has(comparison.why, "driver"));
  Policy policy;
  policy.ignore_machine = true;
  CHECK(compare(base, fresh, policy).verdict == Verdict::ok);
}

TEST_CASE("a side that mixes machines is not comparable") {
  auto base = single({{"f", kFlat}});
  base.processes.push_back(base.processes[0]);
  base.processes[1].header.machine_key = "other";
  CHECK(compare(base, single({{"f", kFlat}}), {}).verdict == Verdict::not_comparable);
}

TEST_CASE("runs of other schema, tool or options are not comparable") {
  const auto base = single({{"f", kFlat}});
  const auto changed = [&base](auto change) {
    auto fresh = base;
    change(fresh.processes[0].header);
    return compare(base, fresh, {});
  };
  CHECK(changed([](HeaderLine& header) { header.schema = 2; }).verdict == Verdict::not_comparable);
  CHECK(changed([](HeaderLine& header) { header.tool = "counters"; }).verdict == Verdict::not_comparable);
  const Comparison batch = changed([](HeaderLine& header) { header.options["KREPLAY_BATCH"] = "split"; });
  CHECK(batch.verdict == Verdict::not_comparable);
  CHECK(has(batch.why, "KREPLAY_BATCH: absent against split"));
  CHECK(changed([](HeaderLine& header) { header.options["KREPLAY_OUTPUT"] = "x"; }).verdict == Verdict::ok);
  CHECK(changed([](HeaderLine& header) { header.options["KREPLAY_PASSES"] = "9"; }).verdict == Verdict::ok);
  auto fresh = base;
  fresh.processes[0].header.options["KREPLAY_BATCH"] = "split";
  Policy policy;
  policy.ignore_options = true;
  CHECK(compare(base, fresh, policy).verdict == Verdict::ok);
}

TEST_CASE("C96: runs that treated caches differently are not comparable") {
  auto fresh = single({{"f", kFlat}});
  fresh.cache_modes = {"flush"};
  CHECK(compare(single({{"f", kFlat}}), fresh, {}).verdict == Verdict::not_comparable);
}

TEST_CASE("C103: a change must exceed the relative and the absolute limit") {
  const std::vector<double> tiny(5, 2000.0), tiny_slower(5, 2400.0);  // 20 %, but 400 ns
  CHECK(compare(single({{"f", tiny}}), single({{"f", tiny_slower}}), {}).verdict == Verdict::ok);
  Policy policy;
  policy.limit.absolute_ns = 100;
  CHECK(compare(single({{"f", tiny}}), single({{"f", tiny_slower}}), policy).verdict == Verdict::regression);
  const std::vector<double> long_one(5, 1e9), long_slower(5, 1.02e9);  // 20 ms, but 2 %
  CHECK(compare(single({{"f", long_one}}), single({{"f", long_slower}}), {}).verdict == Verdict::ok);
}

TEST_CASE("a limit of its own decides for a kernel, and the last rule wins") {
  Policy policy;
  policy.rules.push_back({*Pattern::parse("^f"), "", 0.2, {}, false});
  const auto base = single({{"f", kFlat}, {"g", kFlat}});
  const auto slower = single({{"f", kSlower}, {"g", kFlat}});
  CHECK(compare(base, slower, policy).verdict == Verdict::ok);
  policy.rules.push_back({*Pattern::parse("f"), "1024x1x1", 0.01, {}, false});
  CHECK(compare(base, slower, policy).verdict == Verdict::regression);
  policy.rules.back().grid = "7x1x1";
  CHECK(compare(base, slower, policy).verdict == Verdict::ok);
  policy.rules.push_back({*Pattern::parse("f"), "", 0.01, {}, true});
  const Comparison ignored = compare(base, slower, policy);
  CHECK(ignored.verdict == Verdict::ok);
  CHECK(ignored.rows[0].state == State::ignored);
  CHECK(ignored.rows[0].effect.ratio == Approx(1.1));
}

TEST_CASE("names of two builds are made one by renames, and what falls together is added up") {
  Policy policy;
  policy.renames.push_back({*Pattern::parse("_[0-9a-f]{8}$"), ""});
  auto base = single({{"f_00112233", kFlat}});
  auto fresh = single({{"f_deadbeef", kSlower}, {"f_01234567", kSlower}});
  base.facts["f_00112233"] = {{"vgprs", {"12"}}};
  fresh.facts["f_deadbeef"] = {{"vgprs", {"16"}}};
  normalise_names(policy, &base);
  normalise_names(policy, &fresh);
  const Comparison comparison = compare(base, fresh, policy);
  CHECK(comparison.verdict == Verdict::regression);
  REQUIRE(comparison.rows.size() == 1);
  CHECK(comparison.rows[0].key.kernel == "f");
  CHECK(comparison.rows[0].fresh_passes == 10);
  REQUIRE(comparison.facts.size() == 1);
}

TEST_CASE("what changed in a kernel's code is listed") {
  auto base = single({{"f", kFlat}});
  auto fresh = base;
  base.facts["f"] = {{"vgprs", {"24"}}, {"lds_bytes", {"0"}}, {"old_only", {"1"}}};
  fresh.facts["f"] = {{"vgprs", {"24", "32"}}, {"lds_bytes", {"0"}}};
  const Comparison comparison = compare(base, fresh, {});
  REQUIRE(comparison.facts.size() == 1);
  CHECK(comparison.facts[0].name == "vgprs");
  CHECK(comparison.facts[0].base == "24");
  CHECK(comparison.facts[0].fresh == "24, 32");
  CHECK(comparison.verdict == Verdict::ok);
}

TEST_CASE("the hash of the whole code object counts only without one of the kernel") {
  auto base = single({{"f", kFlat}});
  auto fresh = base;
  base.facts["f"] = {{"code_object_hash", {"1"}}};
  fresh.facts["f"] = {{"code_object_hash", {"2"}}};
  CHECK(compare(base, fresh, {}).facts.size() == 1);
  base.facts["f"]["code_hash"] = fresh.facts["f"]["code_hash"] = {"7"};
  CHECK(compare(base, fresh, {}).facts.empty());
}

TEST_CASE("too few or too noisy passes are inconclusive") {
  const Comparison few = compare(single({{"f", {1e5, 1.1e5}}}), single({{"f", {1e5, 1.1e5}}}), {});
  CHECK(few.verdict == Verdict::inconclusive);
  CHECK(has(few.rows[0].why, "fewer than 5"));
  const Comparison one = compare(single({{"f", {1e5}}}), single({{"f", {2e5}}}), {});
  CHECK(one.verdict == Verdict::inconclusive);
  CHECK(has(one.rows[0].why, "fewer than 5"));
  std::mt19937_64 random(1);
  const auto loud = [&random] { return one_run({{"f", fixtures::noisy(random, 1e5, {0.5}, 1, 6)}}); };
  const Comparison noisy = compare(loud(), loud(), {});
  CHECK(noisy.verdict == Verdict::inconclusive);
  CHECK(has(noisy.rows[0].why, "too noisy"));
}

TEST_CASE("a small change of a kernel that is launched often is a regression of the run") {
  const auto launched = [](size_t times, double ns) {
    return one_run({{"hot", fixtures::Launches(times, std::vector<double>(5, ns))}});
  };
  const Comparison often = compare(launched(200, 3000), launched(200, 3900), {});
  CHECK(often.verdict == Verdict::regression);
  CHECK(often.rows[0].state == State::regression);
  const Comparison seldom = compare(launched(3, 3000), launched(3, 3900), {});
  CHECK(seldom.verdict == Verdict::ok);
  CHECK(seldom.rows[0].why ==
        "900 ns a launch and 2.70 us a run are within the absolute limits of 1.00 us and 10.0 us");
  Policy policy;
  policy.limit.per_run_ns = 2000;
  CHECK(compare(launched(3, 3000), launched(3, 3900), policy).verdict == Verdict::regression);
  const Comparison little =
      compare(single({{"f", kFlat}}), single({{"f", std::vector<double>(5, 103'000.0)}}), {});
  CHECK(little.rows[0].why == "+3 % is within the relative limit of 5 %");
}

TEST_CASE("a run of more launches, or of two slower kernels in place of one, is a regression of the run") {
  const auto launched = [](size_t times) {
    return one_run({{"k", fixtures::Launches(times, std::vector<double>(5, 1e5))}});
  };
  const Comparison more = compare(launched(1), launched(10), {});
  CHECK(more.verdict == Verdict::regression);
  CHECK(has(more.why, "GPU time of the run 100 us to 1.00 ms (+900.0 %)"));
  CHECK(has(more.why, "k: 1 to 10 launches"));
  REQUIRE(more.run.kernels.size() == 1);
  CHECK(compare(launched(10), launched(1), {}).verdict == Verdict::ok);
  Policy policy;
  policy.run.launches = policy.run.kernel_time = 10;
  policy.run.time = 10;
  CHECK(compare(launched(1), launched(10), policy).verdict == Verdict::ok);

  const auto fused = single({{"x", kFlat}, {"fused", kFlat}});
  const auto split = single({{"x", kFlat}, {"part1", kFlat}, {"part2", kFlat}});
  Policy removed;
  removed.allow_removed = true;
  const Comparison slower = compare(fused, split, removed);
  CHECK(slower.verdict == Verdict::regression);
  CHECK(has(slower.why, "GPU time of the run 200 us to 300 us (+50.0 %)"));
  CHECK(compare(split, fused, removed).verdict == Verdict::ok);
}

TEST_CASE("launches that were not timed count, and a kernel that is ignored does not") {
  auto base = single({{"f", kFlat}});
  auto fresh = single({{"f", kFlat}});
  for (auto* side : {&base, &fresh}) {
    side->totals.kernels[1].name = "f";
    side->totals.kernels[1].sums.dispatches = side == &base ? 1 : 5;
  }
  const Comparison declined = compare(base, fresh, {});
  CHECK(declined.verdict == Verdict::regression);
  CHECK(has(declined.why, "f: 1 to 5 launches"));
  Policy policy;
  policy.rules.push_back({*Pattern::parse("g"), "", {}, {}, true});
  CHECK(compare(single({{"f", kFlat}}), single({{"f", kFlat}, {"g", kFlat}}), policy).verdict == Verdict::ok);
}

TEST_CASE("the run as a whole is not judged where the sides were chosen differently") {
  auto base = single({{"f", kFlat}});
  auto fresh = single({{"f", kFlat}, {"g", kFlat}});
  base.processes[0].header.options["KREPLAY_KERNELS"] = "f";
  const Comparison comparison = compare(base, fresh, {});
  CHECK(comparison.verdict == Verdict::ok);
  CHECK(has(comparison.run.text(), "chosen differently (KREPLAY_KERNELS: f against absent)"));
}

TEST_CASE("a result that was cut off is not ok, unless that is allowed") {
  auto fresh = single({{"f", kFlat}});
  fresh.processes[0].complete = false;
  fresh.processes[0].header.path = "new.jsonl";
  const Comparison cut = compare(single({{"f", kFlat}}), fresh, {});
  CHECK(cut.verdict == Verdict::inconclusive);
  CHECK(has(cut.why, "the new result is cut off: process 0 in new.jsonl"));
  CHECK(has(cut.why, "--allow-truncated"));
  Policy policy;
  policy.allow_truncated = true;
  const Comparison allowed = compare(single({{"f", kFlat}}), fresh, policy);
  CHECK(allowed.verdict == Verdict::ok);
  CHECK(has(allowed.run.text(), "is cut off"));  // still told
  auto slower = single({{"f", kSlower}});
  slower.processes[0].complete = false;
  CHECK(compare(single({{"f", kFlat}}), slower, {}).verdict == Verdict::regression);
  CHECK(has(compare(fresh, single({{"f", kFlat}}), {}).why, "the base is cut off"));
}

TEST_CASE("a slower kernel of the same code says so, and the same code under another name is found") {
  auto base = single({{"f", kFlat}, {"old", kFlat}});
  auto fresh = single({{"f", kSlower}, {"new<int>", kFlat}});
  base.facts["f"] = fresh.facts["f"] = {{"code_hash", {"77"}}};
  base.facts["old"] = fresh.facts["new<int>"] = {{"code_hash", {"88"}}};
  const Comparison comparison = compare(base, fresh, {});
  for (const Row& row : comparison.rows) {
    INFO(row.key.kernel);
    if (row.key.kernel == "f") CHECK(has(row.why, "its code is the same in both (code_hash 77)"));
    if (row.key.kernel == "old")
      CHECK(has(row.why, "\"new<int>\" has the same code; [[rename]] match = '^old$' replace = 'new<int>'"));
    if (row.key.kernel == "new<int>") CHECK(has(row.why, "\"old\" has the same code"));
  }
  fresh.facts["f"]["code_hash"] = {"78"};
  for (const Row& row : compare(base, fresh, {}).rows)
    if (row.key.kernel == "f") CHECK(row.why.empty());
}

TEST_CASE("facts of the code have limits, and a ratchet goes both ways") {
  auto base = single({{"f", kFlat}, {"g", kFlat}});
  auto fresh = base;
  base.facts["f"] = {{"vgprs", {"24"}}, {"vgpr_spills", {"0"}}};
  fresh.facts["f"] = {{"vgprs", {"32"}}, {"vgpr_spills", {"0"}}};
  base.facts["g"] = fresh.facts["g"] = {{"vgprs", {"64"}}};
  const auto judged = [&](const FactRule& rule) {
    Policy policy;
    policy.facts.push_back(rule);
    return compare(base, fresh, policy);
  };
  CHECK(judged({"vgprs", {}, 64, {}, false}).verdict == Verdict::ok);
  const Comparison most = judged({"vgprs", {}, 63, {}, false});
  CHECK(most.verdict == Verdict::regression);
  CHECK(has(most.why, "1 of the code's facts beyond its limit"));
  CHECK(judged({"vgprs", *Pattern::parse("f"), 63, {}, false}).verdict == Verdict::ok);
  const Comparison growth = judged({"vgprs", {}, {}, 0.1, false});
  CHECK(growth.verdict == Verdict::regression);
  CHECK(growth.facts[0].why == "24 to 32 is more than 10 %");
  CHECK(judged({"vgprs", {}, {}, 0.5, false}).verdict == Verdict::ok);
  CHECK(judged({"vgpr_spills", {}, 0, {}, true}).verdict == Verdict::ok);
  const Comparison stale = judged({"vgprs", *Pattern::parse("f"), 40, {}, true});
  CHECK(stale.verdict == Verdict::inconclusive);
  // Sizes of code have many digits, and all of them count.
  base.facts["f"]["code_bytes"] = {"1234560"};
  fresh.facts["f"]["code_bytes"] = {"1234568"};
  CHECK(judged({"code_bytes", {}, {}, 0, false}).facts[0].why == "1234560 to 1234568 is more than 0 %");
  CHECK(judged({"code_bytes", {}, 1234564, {}, false}).facts[0].why ==
        "1234568 is more than the limit of 1234564");
  CHECK(has(stale.facts[0].why, "32 is less than the limit of 40, which is a ratchet: lower it"));
}

TEST_CASE("a row in doubt says how many observations would decide it") {
  std::mt19937_64 random(2);
  const auto loud = [&random] { return one_run({{"f", fixtures::noisy(random, 1e5, {0.1}, 4, 5)}}); };
  const Comparison comparison = compare(loud(), loud(), {});
  CHECK(comparison.verdict == Verdict::inconclusive);
  INFO(comparison.rows[0].why);
  CHECK(has(comparison.rows[0].why, "about "));
  CHECK(has(comparison.rows[0].why, "pairs of launches would decide at this noise; there are 4"));
}
