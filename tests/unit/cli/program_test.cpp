// The kreplay program as a user runs it; a stand-in takes the place of libkreplay.so.
#include <csignal>

#include "fixtures.hpp"

using fixtures::Folder;
using fixtures::has;
using fixtures::shell;

namespace {

const std::string kProgram = KREPLAY_PROGRAM;
const std::string kRun = kProgram + " run --library " KREPLAY_STAND_IN " ";
const std::string kGood = "STAND_IN_NOTES='loaded;runtime=/lib;ended=3 2' ";

}  // namespace

TEST_CASE("run hands on the program's status and output") {
  CHECK(shell(kGood + kRun + "-- true").code() == 0);
  CHECK(shell(kGood + kRun + "-- false").code() == 1);
  CHECK(shell(kGood + kRun + "-- sh -c 'exit 77'").code() == 77);
  const auto echoed = shell(kGood + kRun + "-- sh -c 'echo \"$1 $2\"' x -a --passes");
  CHECK(echoed.code() == 0);
  CHECK(has(echoed.text, "-a --passes"));
}

TEST_CASE("C75: run ends by the signal that ended the program") {
  const auto ended = shell("exec env " + kGood + kRun + "-- sh -c 'kill -SEGV $$'");
  REQUIRE(WIFSIGNALED(ended.status));
  CHECK(WTERMSIG(ended.status) == SIGSEGV);
}

TEST_CASE("run says what stopped it") {
  const auto absent = shell(kRun + "-- /nonexistent");
  CHECK(absent.code() == 127);
  CHECK(has(absent.text, "/nonexistent: no such program"));
  const Folder folder;
  std::ofstream(folder / "plain") << "no program";
  const auto plain = shell(kRun + "-- " + folder / "plain");
  CHECK(plain.code() == 126);
  CHECK(has(plain.text, "cannot be run"));
  CHECK(shell(kRun).code() == 125);
  CHECK(shell(kProgram + " run --no-such-option -- true").code() == 125);
  const auto bad = shell(kRun + "--passes 0 -- true");
  CHECK(bad.code() == 125);
  CHECK(has(bad.text, "KREPLAY_PASSES=\"0\""));
}

TEST_CASE("run fails where nothing was measured") {
  const auto silent = shell(kRun + "-- true");
  CHECK(silent.code() == 125);
  CHECK(has(silent.text, "was not loaded"));
  CHECK(shell("STAND_IN_NOTES=loaded " + kRun + "-- true").code() == 125);
  CHECK(shell("STAND_IN_NOTES='loaded;runtime=x;ended=3 0' " + kRun + "-- true").code() == 125);
  CHECK(shell("STAND_IN_NOTES='loaded;runtime=x;ended=3 0' " + kRun + "--allow-nothing -- true").code() == 0);
  CHECK(shell("STAND_IN_NOTES=loaded " + kRun + "-- sh -c 'exit 3'").code() == 3);
}

TEST_CASE("run sets the variables that its options name, and keeps existing preloads") {
  const auto run = shell(
      kGood + "LD_PRELOAD=libm.so.6 " + kRun +
      "--passes 7 --warmup 2 --kernels 'a|b' --exclude c --launches 2- -o 'r-%p.jsonl' --quiet --batch split "
      "--from-marker 'step 1' --to-marker 'step 2' --agents 0,2 --ranks 0-3 --cache flush "
      "--host-write ignore --internal-kernels --tool /t/a.so --tool /t/b.so -- env");
  INFO(run.text);
  REQUIRE(run.code() == 0);
  for (const char* line :
       {"KREPLAY_PASSES=7\n", "KREPLAY_KERNELS=a|b\n", "KREPLAY_EXCLUDE=c\n", "KREPLAY_LAUNCHES=2-\n",
        "KREPLAY_OUTPUT=r-%p.jsonl\n", "KREPLAY_QUIET=1\n", "KREPLAY_BATCH=split\n", "KREPLAY_WARMUP=2\n",
        "KREPLAY_FROM_MARKER=step 1\n", "KREPLAY_TO_MARKER=step 2\n", "KREPLAY_AGENTS=0,2\n",
        "KREPLAY_RANKS=0-3\n", "KREPLAY_CACHE=flush\n", "KREPLAY_HOST_WRITE=ignore\n",
        "KREPLAY_INTERNAL_KERNELS=1\n", "ROCP_TOOL_LIBRARIES=/t/a.so:/t/b.so\n", ":libm.so.6\n"}) {
    INFO(line);
    CHECK(has(run.text, line));
  }
}

TEST_CASE("passes are a number or open-ended, not both") {
  const auto open =
      shell(kGood + kRun + "--until-rel-error 1% --min-passes 8 --max-passes 50 --max-time 2.5 -- env");
  INFO(open.text);
  CHECK(open.code() == 0);
  for (const char* line : {"KREPLAY_UNTIL_REL_ERROR=1%\n", "KREPLAY_MIN_PASSES=8\n",
                           "KREPLAY_MAX_PASSES=50\n", "KREPLAY_MAX_TIME=2.5\n"})
    CHECK(has(open.text, line));
  CHECK(shell(kRun + "--passes 3 --until-rel-error 1% -- true").code() == 125);
  CHECK(shell(kRun + "--max-passes 3 -- true").code() == 125);
  const auto crossed = shell(kRun + "--until-rel-error 1% --min-passes 9 --max-passes 3 -- true");
  CHECK(crossed.code() == 125);
  CHECK(has(crossed.text, "more than KREPLAY_MAX_PASSES"));
}

TEST_CASE("lost results make a run fail, a failure of the program stays its own") {
  const std::string lost = "STAND_IN_NOTES='loaded;runtime=x;ended=3 3 0 2' ";
  const auto run = shell(lost + kRun + "-- true");
  CHECK(run.code() == 125);
  CHECK(has(run.text, "2 records could not be written"));
  CHECK(shell(lost + kRun + "-- sh -c 'exit 9'").code() == 9);
}

TEST_CASE("a rank that was not asked for is no failure") {
  const std::string notes = "STAND_IN_NOTES='loaded;excluded=' ";
  CHECK(shell("OMPI_COMM_WORLD_RANK=1 " + notes + kRun + "--ranks 0 -- true").code() == 0);
  CHECK(shell(notes + kRun + "--ranks 0 -- true").code() == 125);  // as the parent of all ranks
}

TEST_CASE("a static program cannot be preloaded, and the sentence says so") {
  const Folder folder;
  std::ofstream(folder / "main.c") << "int main(void) { return 0; }\n";
  REQUIRE(shell("cc -static -o " + folder / "static" + " " + folder / "main.c").code() == 0);
  const auto run = shell(kRun + "-- " + folder / "static");
  CHECK(run.code() == 125);
  CHECK(has(run.text, "linked statically"));
}

TEST_CASE("a folder is no program") {
  const auto run = shell(kRun + "-- /tmp/");
  CHECK(run.code() == 126);
  CHECK(has(run.text, "/tmp/: cannot be run: it is no file"));
}

TEST_CASE("report prints the table") {
  const Folder folder;
  const auto path = fixtures::write_results(folder / "run.jsonl", {{"f(int)", {1000, 2000, 3000}}});
  const auto report = shell(kProgram + " report " + path);
  CHECK(report.code() == 0);
  CHECK(has(report.text, "2.00 us"));
  const auto cut =
      shell(kProgram + " report " +
            fixtures::write_results(folder / "cut.jsonl", {{"f(int)", {1000}}}, "Vega 20", false));
  CHECK(cut.code() == 0);
  CHECK(has(cut.text, "has no trailer"));
  CHECK(shell(kProgram + " report " + folder.path).code() == 2);
  CHECK(shell(kProgram + " report " + folder / "absent").code() == 2);
  CHECK(shell(kProgram + " report").code() == 2);
  CHECK(shell(kProgram + " report " + path + " >/dev/full").code() == 2);
}

TEST_CASE("C102: each verdict of compare has its exit status") {
  const Folder folder;
  const std::vector<uint64_t> flat(5, 100'000), slow(5, 110'000), fast(5, 90'000);
  const auto base = fixtures::write_results(folder / "base.jsonl", {{"f()", flat}});
  const auto slower = fixtures::write_results(folder / "slower.jsonl", {{"f()", slow}});
  const auto faster = fixtures::write_results(folder / "faster.jsonl", {{"f()", fast}});
  const auto few = fixtures::write_results(folder / "few.jsonl", {{"f()", {100'000, 120'000}}});
  const auto none = fixtures::write_results(folder / "none.jsonl", {{"f()", {}}});
  const auto other = fixtures::write_results(folder / "other.jsonl", {{"f()", flat}}, "Vega 10");
  const std::string compare = kProgram + " compare ";
  CHECK(shell(compare + base + " " + base).code() == 0);
  CHECK(shell(compare + base + " " + slower).code() == 1);
  CHECK(shell(compare + "--fail-over 20% " + base + " " + slower).code() == 0);
  CHECK(shell(compare + "--min-effect 1ms " + base + " " + slower).code() == 0);
  CHECK(shell(compare + base + " " + folder / "absent").code() == 2);
  CHECK(shell(compare + base).code() == 2);
  CHECK(shell(compare + "--fail-over x " + base + " " + slower).code() == 2);
  CHECK(shell(compare + base + " " + few).code() == 3);
  CHECK(shell(compare + base + " " + none).code() == 4);
  CHECK(shell(compare + base + " " + other).code() == 5);
  CHECK(shell(compare + "--ignore-machine " + base + " " + other).code() == 0);
  CHECK(shell(compare + base + " " + faster).code() == 0);
  CHECK(shell(compare + "--fail-on-improvement " + base + " " + faster).code() == 6);
  const auto json = shell(compare + "--format json " + base + " " + slower);
  CHECK(json.code() == 1);
  CHECK(has(json.text, "\"verdict\": \"regression\""));
}

TEST_CASE("help and version") {
  CHECK(shell(kProgram + " --help").code() == 0);
  const auto help = shell(kProgram + " run --help");
  CHECK(help.code() == 0);
  CHECK(has(help.text, "KREPLAY_DRAIN_TIMEOUT"));
  CHECK(has(help.text, "Exit status"));
  CHECK(has(shell(kProgram + " --version").text, "kreplay 0."));
  CHECK(shell(kProgram).code() == 2);
}
