// Limits from repeated runs, and the store of runs to compare with.
#include "cli/baseline_store.hpp"
#include "cli/policy.hpp"
#include "cli/suggest_limits.hpp"
#include "fixtures.hpp"
#include "synthetic.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;
using fixtures::Launches;

TEST_CASE("C103: limits follow what runs of one build differ by") {
  std::vector<Launches> steady, loose;
  for (const double factor : {1.0, 1.004, 0.996, 1.002, 0.998}) {
    steady.push_back({{1e5 * factor}});
    loose.push_back({{1e5 * (1 + 10 * (factor - 1))}});
  }
  Results results = fixtures::runs("steady(int)", steady);
  results.samples[fixtures::key("loose(int*)")] = fixtures::runs("x", loose).samples.begin()->second;
  results.samples[fixtures::key("once()")].add(0, {1e5});
  const auto limits = suggest_limits(results);
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].key.kernel == "loose(int*)");
  CHECK(limits[0].spread == Approx(0.0316).epsilon(0.02));
  CHECK(limits[1].spread == Approx(0.00316).epsilon(0.01));
  // Student's t for 4 degrees of freedom at 99 % is 4.60: 4.60 * sqrt(2) * 0.316 % = 2.06 %.
  CHECK(limits[1].relative == Approx(0.025));
}

TEST_CASE("the absolute limit follows the noise, too, down to what timestamps can tell") {
  const auto three_runs = [](double ns, double noise) {
    return fixtures::runs("f", {{{ns * (1 - noise)}}, {{ns}}, {{ns * (1 + noise)}}});
  };
  // Student's t for 2 degrees of freedom at 99 % is 9.92: 9.92 * sqrt(2) * 0.2 % of 3 us is 85 ns.
  const auto quiet = suggest_limits(three_runs(3000, 0.002));
  CHECK(quiet[0].absolute_ns == 90);
  CHECK(has(limits_toml(quiet, 3), "min-effect = \"90ns\""));
  CHECK(has(limits_toml(suggest_limits(three_runs(3000, 0)), 3), "min-effect = \"10ns\""));
  CHECK(has(limits_toml(suggest_limits(three_runs(1e7, 0.01)), 3), "min-effect = \"1000ns\""));
}

TEST_CASE("suggested limits are a limits file that fits the kernels they are for") {
  std::vector<SuggestedLimit> limits = {{fixtures::key("f<int*>(a, 'b') [clone]"), 5, 0.02, 0.13},
                                        {fixtures::key("g()"), 5, 0.002, 0.015},
                                        {fixtures::key("h()"), 5, 0.001, 0.01}};
  const Folder folder;
  Policy policy;
  const Status read =
      read_policy(fixtures::write_file(folder / "limits.toml", limits_toml(limits, 5)), &policy);
  INFO(read.message());
  REQUIRE(read.ok());
  CHECK(policy.limit.relative == Approx(0.015));
  REQUIRE(policy.rules.size() == 1);
  CHECK(limit_for(policy, limits[0].key).limit.relative == Approx(0.13));
  CHECK(limit_for(policy, fixtures::key("f<int*>(a, 'b') [clone].2")).limit.relative == Approx(0.015));
}

TEST_CASE("a deterministic clock gets the least limit") {
  const auto limits = suggest_limits(fixtures::runs("f", {{{100}}, {{100}}, {{100}}}));
  REQUIRE(limits.size() == 1);
  CHECK(limits[0].spread == 0);
  CHECK(limits[0].relative == Approx(0.01));
  CHECK(suggest_limits(fixtures::runs("f", {{{100}}, {{100}}})).empty());
}

TEST_CASE("C105: the store keeps runs by machine, the newest, each once") {
  const Folder folder;
  BaselineStore store(folder / "store");
  CHECK(store.machines().error() == Error::not_found);
  const auto run = [&folder](const std::string& name, const std::string& product = "Vega 20") {
    return fixtures::write_results(folder / name, {{"f()", {10, 20}}}, product);
  };
  const auto first = store.add(run("a.jsonl"), 2);
  REQUIRE(first.ok());
  CHECK(first->runs == 1);
  CHECK(store.add(folder / "a.jsonl", 2)->runs == 1);  // the same run replaces itself
  CHECK(store.add(run("b.jsonl"), 2)->runs == 2);
  CHECK(store.add(run("c.jsonl"), 2)->runs == 2);  // the oldest went
  CHECK(!std::filesystem::exists(first->path));
  const auto other = store.add(run("d.jsonl", "Vega 10"), 2);
  CHECK(other->machine_key != first->machine_key);
  CHECK(BaselineStore::is_store(folder / "store"));
  CHECK(!BaselineStore::is_store(folder.path));
  const auto machines = store.machines();
  REQUIRE(machines.ok());
  REQUIRE(machines->size() == 2);
  CHECK((*machines)[0].runs.size() + (*machines)[1].runs.size() == 3);
  REQUIRE(store.clear(first->machine_key).ok());
  CHECK(store.machines()->size() == 1);
}

TEST_CASE("what is no baseline is refused") {
  const Folder folder;
  BaselineStore store(folder / "store");
  const auto cut = fixtures::write_results(folder / "cut.jsonl", {{"f()", {10}}}, "Vega 20", false);
  CHECK(has(store.add(cut, 5).status().message(), "is cut off"));
  const auto none = fixtures::write_results(folder / "none.jsonl", {{"f()", {}}});
  CHECK(has(store.add(none, 5).status().message(), "no measured pass"));
  CHECK(store.add(folder / "absent", 5).error() == Error::io);
  CHECK(!std::filesystem::exists(folder / "store"));
}
