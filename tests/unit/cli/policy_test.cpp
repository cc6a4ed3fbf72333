#include "cli/policy.hpp"

#include "support/folder.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

/// The error of a limits file with that text; empty when it is fine.
std::string refusal(const std::string& text) {
  const Folder folder;
  Policy policy;
  return read_policy(fixtures::write_file(folder / "limits.toml", text), &policy).message();
}

}  // namespace

TEST_CASE("a limits file sets limits, rules and renames") {
  const Folder folder;
  const std::string path = fixtures::write_file(folder / "limits.toml", R"(
# comment
fail-over = "3%"
min-effect = "500ns"
allow-removed = true

[[kernel]]
name = '^gemm<.*>$'
grid = "4096x1x1"
fail-over = "10%"

[[kernel]]
name = 'warm_up'
ignore = true

[[rename]]
match = '_[0-9a-f]{8}$'
replace = ''
)");
  Policy policy;
  REQUIRE(read_policy(path, &policy).ok());
  CHECK(policy.limit == Limit{0.03, 500});
  CHECK(policy.allow_removed);
  REQUIRE(policy.rules.size() == 2);
  CHECK(limit_for(policy, {"gemm<float>", {4096, 1, 1}, {64, 1, 1}}).limit == Limit{0.1, 500});
  CHECK(limit_for(policy, {"gemm<float>", {64, 1, 1}, {64, 1, 1}}).limit == Limit{0.03, 500});
  CHECK(limit_for(policy, {"warm_up(int)", {64, 1, 1}, {64, 1, 1}}).ignore);
  CHECK(normalised(policy, "axpy_0123abcd") == "axpy");
  CHECK(normalised(policy, "_0123abcd") == "_0123abcd");  // nothing would be left
}

TEST_CASE("a limits file sets limits of the run and of facts") {
  const Folder folder;
  const std::string path = fixtures::write_file(folder / "limits.toml", R"(
min-effect-per-run = "20us"
run-over = "2%"
mean-over = "1%"
kernel-run-over = "30%"
launches-over = "0"
allow-truncated = true

[[kernel]]
name = 'gemm'
min-effect-per-run = "1ms"

[[fact]]
name = "vgprs"
kernel = 'gemm'
max = 64
ratchet = true

[[fact]]
name = "lds_bytes"
max-growth = "10%"
)");
  Policy policy;
  const Status read = read_policy(path, &policy);
  INFO(read.message());
  REQUIRE(read.ok());
  CHECK(policy.limit.run_ns() == 20'000);
  CHECK(limit_for(policy, {"gemm", {}, {}}).limit.run_ns() == 1e6);
  CHECK(*policy.run.time == Approx(0.02));
  CHECK(*policy.run.mean == Approx(0.01));
  CHECK(policy.run.kernel_time == Approx(0.3));
  CHECK(policy.run.launches == 0);
  CHECK(policy.allow_truncated);
  REQUIRE(policy.facts.size() == 2);
  CHECK(policy.facts[0].ratchet);
  CHECK(*policy.facts[0].most == 64);
  CHECK(*policy.facts[1].growth == Approx(0.1));
  CHECK(has(refusal("[[fact]]\nmax = 1\n"), "[[fact]] needs name"));
  CHECK(has(refusal("[[fact]]\nname = 'vgprs'\n"), "needs max or max-growth"));
  CHECK(has(refusal("[[fact]]\nname = 'vgprs'\nmax-growth = '1%'\nratchet = true\n"), "a ratchet needs max"));
  CHECK(has(refusal("[[fact]]\nname = 'vgprs'\nmax = -1\n"), "must be a whole number"));
  CHECK(has(refusal("fail-over = \"5\"\n"), "write 5% or a number below 1"));
}

TEST_CASE("what a limits file does not know is refused with its place") {
  CHECK(refusal("").empty());
  CHECK(has(refusal("fail-ower = \"3%\"\n"), "line 1, column"));
  CHECK(has(refusal("fail-ower = \"3%\"\n"),
            "fail-ower is unknown; accepted here: allow-removed, allow-truncated, fact, "
            "fail-over"));
  CHECK(has(refusal("\nfail-over = 3\n"), "line 2"));
  CHECK(has(refusal("fail-over = 3\n"), "must be a text in quotes"));
  CHECK(has(refusal("fail-over = \"much\"\n"), "is not a ratio"));
  CHECK(has(refusal("min-effect = \"5\"\n"), "is not a time"));
  CHECK(has(refusal("[[kernel]]\nfail-over = \"1%\"\n"), "[[kernel]] needs name"));
  CHECK(has(refusal("[[kernel]]\nname = '('\n"), "not a regular expression"));
  CHECK(has(refusal("[[kernel]]\nname = '(f)\\1'\n"), "line 2, column"));
  CHECK(has(refusal("[[kernel]]\nname = '(f)\\1'\n"), "\"(f)\\1\" is not a regular expression: the back-"));
  CHECK(has(refusal("[[kernel]]\nname = 'f'\nignore = 1\n"), "must be true or false"));
  CHECK(has(refusal("[kernel]\nname = 'f'\n"), "must be written as [[kernel]]"));
  CHECK(has(refusal("[[rename]]\nmatch = 'f'\n"), "[[rename]] needs replace"));
  CHECK(has(refusal("fail-over = \n"), "line 1"));
  Policy policy;
  CHECK(has(read_policy("/nonexistent/limits.toml", &policy).message(), "cannot be read"));
  CHECK(has(read_policy("/tmp", &policy).message(), "cannot be read"));
}
