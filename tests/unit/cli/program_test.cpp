// The kreplay program as a user runs it; a stand-in takes the place of libkreplay.so.
#include <fmt/format.h>

#include <algorithm>
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

TEST_CASE("a misspelt command or option is answered with what was meant") {
  struct Typed {
    const char *words, *answer;
    int status;
  };
  for (const Typed& typed : {
           Typed{"rnu -- true", "there is no command \"kreplay rnu\"; did you mean kreplay run?", 2},
           {"reprot x.jsonl", "did you mean kreplay report?", 2},
           {"base", "did you mean kreplay baseline?", 2},
           {"baseline udpate --store s x",
            "there is no command \"kreplay baseline udpate\"; did you mean kreplay "
            "baseline update?",
            2},
           {"update --store s x", "did you mean kreplay baseline update?", 2},
           {"frobnicate", "; kreplay --help lists what there is", 2},
           {"--versoin", "kreplay has no option --versoin; did you mean --version?", 2},
           {"run --pases 3 -- true", "kreplay run has no option --pases; did you mean --passes?", 125},
           {"run --passes 3 --kernel=f --tol x -- true", "no option --kernel; did you mean --kernels?", 125},
           {"run --passes 3 --tol x -- true", "no option --tol; did you mean --tool?", 125},
           {"compare --fail-ovre 5% a b",
            "kreplay compare has no option --fail-ovre; did you mean --fail-over?", 2},
           {"baseline update --stoer s x",
            "kreplay baseline update has no option --stoer; did you mean --store?", 2},
           {"doctor -x", "kreplay doctor has no option -x; kreplay doctor --help lists", 2},
       }) {
    const auto ended = shell(kProgram + " " + typed.words);
    INFO(typed.words << "\n" << ended.text);
    CHECK(ended.code() == typed.status);
    CHECK(has(ended.text, typed.answer));
    CHECK(std::count(ended.text.begin(), ended.text.end(), '\n') == 1);
  }
  // Words of another program, and values, are no options of ours.
  CHECK_FALSE(has(shell(kRun + "-- /nonexistent --pases 3").text, "no option"));
  for (const char* words : {" compare --fail-over 5% one", " compare --format pdf one two", " report"})
    CHECK_FALSE(has(shell(kProgram + words).text, "there is no"));
}

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
  const Folder tools;
  for (const char* name : {"a.so", "b.so"}) std::filesystem::copy_file(KREPLAY_STAND_IN, tools / name);
  const auto run = shell(
      kGood + "LD_PRELOAD=libm.so.6 " + kRun +
      "--passes 7 --warmup 2 --kernels 'a|b' --exclude c --launches 2- -o 'r-%p.jsonl' --quiet --batch split "
      "--from-marker 'step 1' --to-marker 'step 2' --agents 0,2 --ranks 0-3 --cache flush "
      "--host-write ignore --internal-kernels --tool " +
      tools / "a.so" + " --tool " + tools / "b.so" + " -- env");
  INFO(run.text);
  REQUIRE(run.code() == 0);
  for (const char* line :
       {"KREPLAY_PASSES=7\n", "KREPLAY_KERNELS=a|b\n", "KREPLAY_EXCLUDE=c\n", "KREPLAY_LAUNCHES=2-\n",
        "KREPLAY_OUTPUT=r-%p.jsonl\n", "KREPLAY_QUIET=1\n", "KREPLAY_BATCH=split\n", "KREPLAY_WARMUP=2\n",
        "KREPLAY_FROM_MARKER=step 1\n", "KREPLAY_TO_MARKER=step 2\n", "KREPLAY_AGENTS=0,2\n",
        "KREPLAY_RANKS=0-3\n", "KREPLAY_CACHE=flush\n", "KREPLAY_HOST_WRITE=ignore\n",
        "KREPLAY_INTERNAL_KERNELS=1\n", ":libm.so.6\n"}) {
    INFO(line);
    CHECK(has(run.text, line));
  }
  CHECK(has(run.text, "ROCP_TOOL_LIBRARIES=" + tools / "a.so" + ":" + tools / "b.so" + "\n"));
}

TEST_CASE("what cannot work is found before the program runs, each with one sentence") {
  const Folder folder;
  std::ofstream(folder / "text.so") << "no library\n";
  std::filesystem::create_directory(folder / "directory");
  REQUIRE(shell("cc -shared -fPIC -o " + folder / "other.so" + " -x c - </dev/null").code() == 0);
  REQUIRE(shell("echo 'extern int absent(void); int rocprofiler_configure(void) { return absent(); }' | cc "
                "-shared -fPIC -Wl,-z,now -o " +
                folder / "undefined.so" + " -x c -")
              .code() == 0);
  REQUIRE(shell("echo '__attribute__((constructor)) static void end(void) { __builtin_trap(); }' | cc "
                "-shared -fPIC -o " +
                folder / "trap.so" + " -x c -")
              .code() == 0);
  const std::string start = "touch " + folder / "started";
  const std::string own = kProgram + " run --library ";
  struct Wrong {
    std::string command, sentence;
  };
  for (const Wrong& wrong : {
           Wrong{own + "/nonexistent.so ", "/nonexistent.so: No such file or directory"},
           {own + folder / "text.so" + " ", "text.so: is no shared library"},
           {own + folder / "directory" + " ", "directory: is no file"},
           {own + folder / "other.so" + " ", "other.so: is not libkreplay.so but another library"},
           {kRun + "--tool /nonexistent.so ",
            "tool library /nonexistent.so cannot be loaded: cannot open shared object file: No such file"},
           {kRun + "--tool " + folder / "text.so" + " ", "text.so cannot be loaded: "},
           {kRun + "--tool " + folder / "undefined.so" + " ",
            "undefined.so cannot be loaded: undefined symbol: absent"},
           {kRun + "--tool " + folder / "other.so" + " ", "other.so: it exports no rocprofiler_configure"},
           {kRun + "--tool " + folder / "trap.so" + " ", "trap.so) ends a process with signal 4"},
           {"ROCP_TOOL_LIBRARIES=/nonexistent.so " + kRun, "tool library /nonexistent.so cannot be loaded"},
           {kRun + "-o " + folder / "absent/run.jsonl" + " ", "absent/run.jsonl: No such file or directory"},
           {kRun + "-o " + folder / "directory" + " ", "directory: it is a directory"},
           {kRun + "-o " + folder / "text.so/run.jsonl" + " ", "text.so/run.jsonl: Not a directory"},
           {"KREPLAY_OUTPUT=/proc/absent/%p.jsonl " + kRun, "cannot create the result file /proc/absent/"},
       }) {
    const auto ended = shell(fmt::format("{}{}-- {}", kGood, wrong.command, start));
    INFO(wrong.command << "\n" << ended.text);
    CHECK(ended.code() == 125);
    CHECK(has(ended.text, wrong.sentence));
    CHECK(std::count(ended.text.begin(), ended.text.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(folder / "started"));
  }
  // Descriptors are the program's; this command has none of that number.
  CHECK(shell(kGood + kRun + "-o /dev/fd/77 -- true").code() == 0);
  // The same with nothing wrong: the program runs, and what was tried has left nothing.
  CHECK(shell(kGood + kRun + "-o " + folder / "run.jsonl" + " --tool " KREPLAY_STAND_IN " -- " + start)
            .code() == 0);
  CHECK(std::filesystem::exists(folder / "started"));
  CHECK_FALSE(std::filesystem::exists(folder / "run.jsonl"));
  CHECK(shell("ls -A " + folder.path + " | grep -c kreplay-").text == "0\n");
  const auto full =
      shell(kGood + kProgram + " ab --library " KREPLAY_STAND_IN " --full /nonexistent/all.json '" + start +
            "2' -- true");
  CHECK(full.code() == 2);
  CHECK(has(full.text, "/nonexistent/all.json: cannot be written: No such file or directory"));
  CHECK_FALSE(std::filesystem::exists(folder / "started2"));
}

TEST_CASE("where the runtime cannot start the sentence says so and names doctor") {
  const auto failed = shell("STAND_IN_NOTES='loaded;no_runtime=hsa_init: status 0x1008, out of resources' " +
                            kRun + "-- true");
  CHECK(failed.code() == 125);
  CHECK(has(failed.text,
            "the HSA runtime could not start (hsa_init: status 0x1008, out of resources); kreplay doctor "
            "says what"));
  // Programs that look for the device themselves never ask the runtime.
  const auto unasked = shell("STAND_IN_NOTES=loaded " + kRun + "-- true");
  CHECK(unasked.code() == 125);
  if (!std::filesystem::exists("/dev/kfd"))
    CHECK(has(unasked.text,
              "no GPU can be used here, /dev/kfd: No such file or directory; kreplay doctor says"));
  CHECK_FALSE(has(shell("STAND_IN_NOTES=loaded " + kRun + "--device soft -- true").text, "/dev/kfd"));
}

TEST_CASE("doctor checks the library that it is given") {
  const Folder folder;
  std::ofstream(folder / "text.so") << "no library\n";
  REQUIRE(shell("cc -shared -fPIC -o " + folder / "other.so" + " -x c - </dev/null").code() == 0);
  struct Wrong {
    std::string library, sentence;
  };
  for (const Wrong& wrong : {
           Wrong{"/nonexistent.so", "PROBLEM library: /nonexistent.so: No such file or directory"},
           {folder / "text.so", "text.so: is no shared library"},
           {folder / "other.so", "other.so: is not libkreplay.so but another library"},
           {KREPLAY_STAND_IN, "is of version unknown, this command of 0."},
           {KREPLAY_STAND_IN, "does not export hsa_queue_create"},
       }) {
    const auto ended = shell(kProgram + " doctor --device soft --library " + wrong.library);
    INFO(ended.text);
    CHECK(ended.code() == 1);
    CHECK(has(ended.text, wrong.sentence));
    CHECK_FALSE(has(ended.text, "ok      library"));
  }
}

TEST_CASE("what is put back between passes") {
  CHECK(has(shell(kGood + kRun + "--restore all -- env").text, "KREPLAY_HOST_WRITE=restore\n"));
  CHECK(has(shell("KREPLAY_HOST_WRITE=ignore " + kGood + kRun + "--restore device -- env").text,
            "KREPLAY_HOST_WRITE=stop\n"));
  for (const char* wrong : {"--restore some", "--restore all --host-write stop"})
    CHECK(shell(kRun + wrong + " -- true").code() == 125);
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

namespace {

/// Result files for comparisons, each for what it is named after.
struct Sides {
  Folder folder;
  std::string base = write("base", std::vector<uint64_t>(5, 100'000));
  std::string slower = write("slower", std::vector<uint64_t>(5, 110'000));
  std::string faster = write("faster", std::vector<uint64_t>(5, 90'000));
  std::string few = write("few", {100'000, 120'000});
  std::string none = write("none", {});
  std::string other = write("other", std::vector<uint64_t>(5, 100'000), "Vega 10");

  std::string write(const std::string& name, const std::vector<uint64_t>& pass_ns,
                    const std::string& product = "Vega 20") const {
    return fixtures::write_results(folder / (name + ".jsonl"), {{"f()", pass_ns}}, product);
  }
};

int compare(const std::string& arguments) { return shell(kProgram + " compare " + arguments).code(); }

}  // namespace

TEST_CASE("compare: status 0, no regression") {
  const Sides s;
  CHECK(compare(s.base + " " + s.base) == 0);
  CHECK(compare(s.base + " " + s.faster) == 0);
  CHECK(compare("--fail-over 20% " + s.base + " " + s.slower) == 0);
  CHECK(compare("--min-effect 1ms " + s.base + " " + s.slower) == 0);
}

TEST_CASE("compare: status 1, regression") {
  const Sides s;
  const auto ended = shell(kProgram + " compare " + s.base + " " + s.slower);
  CHECK(ended.code() == 1);
  CHECK(has(ended.text, "+10.0 %"));
}

TEST_CASE("compare: status 2, usage or unreadable input") {
  const Sides s;
  CHECK(compare(s.base + " " + s.folder / "absent") == 2);
  CHECK(compare(s.base) == 2);
  CHECK(compare("--fail-over x " + s.base + " " + s.slower) == 2);
  CHECK(compare("--min-effect 5 " + s.base + " " + s.slower) == 2);
  CHECK(compare("--format pdf " + s.base + " " + s.slower) == 2);
  CHECK(compare("--limits " + s.folder / "absent" + " " + s.base + " " + s.slower) == 2);
  CHECK(compare(s.base + " " + fixtures::write_file(s.folder / "garbage", "hello\n")) == 2);
  std::filesystem::create_directory(s.folder / "empty");
  CHECK(compare(s.base + " " + s.folder / "empty") == 2);
  CHECK(compare(s.base + " " + s.slower + " >/dev/full") == 2);
}

TEST_CASE("compare: status 3, inconclusive") {
  const Sides s;
  CHECK(compare(s.base + " " + s.few) == 3);
  const auto more = fixtures::write_results(
      s.folder / "more.jsonl", {{"f()", {100'000, 100'000, 100'000}}, {"g()", {100'000, 100'000, 100'000}}});
  CHECK(compare(more + " " + s.base) == 3);  // a kernel is gone
  CHECK(compare("--allow-removed " + more + " " + s.base) == 0);
}

TEST_CASE("compare: status 4, nothing measured") {
  const Sides s;
  CHECK(compare(s.base + " " + s.none) == 4);
  CHECK(compare(s.none + " " + s.none) == 4);
}

TEST_CASE("compare: status 5, not comparable") {
  const Sides s;
  CHECK(compare(s.base + " " + s.other) == 5);
  CHECK(compare("--ignore-machine " + s.base + " " + s.other) == 0);
}

TEST_CASE("compare: no baseline yet, or no more, is status 5 with the command that makes one") {
  const Sides s;
  const auto file = shell(kProgram + " compare " + s.folder / "absent.jsonl" + " " + s.base);
  CHECK(file.code() == 5);
  CHECK(has(file.text, "absent.jsonl: there is no baseline; kreplay run -o "));
  const std::string store = s.folder / "store";
  const auto none = shell(kProgram + " compare " + store + " " + s.base);
  CHECK(none.code() == 5);
  CHECK(has(none.text, "there is no baseline; kreplay baseline update --store " + store + " " + s.base));
  REQUIRE(shell(kProgram + " baseline update --store " + store + " " + s.base).code() == 0);
  CHECK(compare(store + " " + s.base) == 0);
  REQUIRE(shell("rm " + store + "/*/*.jsonl").code() == 0);
  const auto evicted = shell(kProgram + " compare " + store + " " + s.base);
  CHECK(evicted.code() == 5);
  CHECK(has(evicted.text, "has no baseline for this machine"));
  std::filesystem::create_directory(s.folder / "nothing");
  CHECK(compare(s.folder / "nothing" + " " + s.base) == 5);
}

TEST_CASE("compare and limits read standard input, as the base as well") {
  const Sides s;
  const auto base = shell("cat " + s.base + " | " + kProgram + " compare - " + s.base);
  INFO(base.text);
  CHECK(base.code() == 0);
  CHECK(shell("cat " + s.base + " | " + kProgram + " compare - " + s.slower).code() == 1);
  CHECK(shell("cat " + s.slower + " | " + kProgram + " compare " + s.base + " -").code() == 1);
  CHECK(shell("cat " + s.base + " | " + kProgram + " limits - " + s.base + " " + s.base).code() == 0);
  const auto packed = shell(kProgram + " compare " + s.folder / "absent.jsonl.gz" + " " + s.base);
  CHECK(has(packed.text, "absent.jsonl.gz: there is no baseline; kreplay run -o "));
}

TEST_CASE("compare: a new result that was cut off does not pass, in no format") {
  const Sides s;
  const auto cut = fixtures::write_results(s.folder / "cut.jsonl",
                                           {{"f()", std::vector<uint64_t>(5, 100'000)}}, "Vega 20", false);
  for (const char* format : {"table", "md", "html", "json", "junit", "github"}) {
    const auto ended =
        shell(kProgram + " compare --format " + format + " " + s.base + " " + cut + " 2>/dev/null");
    INFO(format << ": " << ended.text);
    CHECK(ended.code() == 3);
    CHECK(has(ended.text, "is cut off"));
  }
  const auto allowed = shell(kProgram + " compare --allow-truncated " + s.base + " " + cut + " 2>/dev/null");
  CHECK(allowed.code() == 0);
  CHECK(has(allowed.text, "is cut off"));
}

TEST_CASE("compare: a relative limit says its unit") {
  const Sides s;
  const auto unclear = shell(kProgram + " compare --fail-over 5 " + s.base + " " + s.slower);
  CHECK(unclear.code() == 2);
  CHECK(has(unclear.text, "write 5% or a number below 1"));
}

TEST_CASE("limits: runs whose kernels have other code are not of one build") {
  const Folder folder;
  std::string runs;
  for (const char* name : {"1", "2", "3"}) {
    const auto path = fixtures::write_results(folder / name + ".jsonl", {{"f()", {1000, 1010, 1020}}});
    const std::string hash = name == std::string("3") ? "2" : "1";
    REQUIRE(shell("sed -i 's/\"type\":\"kernel\",/&\"code_hash\":\"" + hash + "\",/' " + path).code() == 0);
    runs += " " + path;
  }
  const auto refused = shell(kProgram + " limits" + runs);
  INFO(refused.text);
  CHECK(refused.code() == 5);
  CHECK(has(refused.text, "the code of f() in "));
  CHECK(shell(kProgram + " limits --ignore-code" + runs).code() == 0);
  // The same through a pipe, which can be read once only.
  const auto piped = shell("cat " + folder / "3.jsonl" + " | " + kProgram + " limits " + folder / "1.jsonl" +
                           " " + folder / "2.jsonl" + " -");
  INFO(piped.text);
  CHECK(piped.code() == 5);
}

TEST_CASE("compare: status 6, improvement, on request only") {
  const Sides s;
  CHECK(compare("--fail-on-improvement " + s.base + " " + s.faster) == 6);
  CHECK(compare("--fail-on-improvement " + s.base + " " + s.base) == 0);
  CHECK(compare("--fail-on-improvement " + s.base + " " + s.slower) == 1);
}

TEST_CASE("compare: every format has the same status") {
  const Sides s;
  for (const auto& [format, mark] : {std::pair{"table", "kreplay: regression"},
                                     {"md", "**kreplay: regression"},
                                     {"json", "\"verdict\": \"regression\""},
                                     {"junit", "<failure"},
                                     {"github", "::error"},
                                     {"html", "<p class=\"verdict\">kreplay: regression"}}) {
    const auto ended = shell(kProgram + " compare --format " + format + " " + s.base + " " + s.slower);
    INFO(format);
    CHECK(ended.code() == 1);
    CHECK(has(ended.text, mark));
  }
}

TEST_CASE("compare: what is shown, and all of it in a file") {
  const Sides s;
  const auto pair = [&](const std::string& name, uint64_t f) {
    return fixtures::write_results(
        s.folder / name, {{"f()", std::vector<uint64_t>(5, f)}, {"g()", std::vector<uint64_t>(5, 100'000)}});
  };
  const std::string sides = " " + pair("two-a.jsonl", 100'000) + " " + pair("two-b.jsonl", 150'000);
  const auto shown = shell(kProgram + " compare --changed --full " + s.folder / "all.json" + sides);
  CHECK(shown.code() == 1);
  CHECK(has(shown.text, "(1 of 2 rows shown; all of them: " + s.folder / "all.json" + ")"));
  CHECK(has(fixtures::read_file(s.folder / "all.json"), "\"kernel\": \"g()\""));
  CHECK(has(shell(kProgram + " compare --status ok,removed" + sides).text, "(1 of 2 rows shown)"));
  CHECK(has(shell(kProgram + " compare --top 1 --format md" + sides).text, "\n1 of 2 rows shown\n"));
  CHECK(has(shell(kProgram + " compare --full-names --columns 60" + sides).text, "g()"));
  CHECK(shell(kProgram + " compare --status odd" + sides).code() == 2);
  CHECK(shell(kProgram + " compare --columns 20" + sides).code() == 2);
  const auto unknown = shell(kProgram + " compare --full x.pdf" + sides);
  CHECK(unknown.code() == 2);
  CHECK(has(unknown.text, ".html, .json, .md, .txt, .xml"));
  CHECK(shell(kProgram + " compare --full /nonexistent/x.json" + sides).code() == 2);
  CHECK(has(shell("COLUMNS=60 " + kProgram + " report" + sides).text, "(no room at 60 columns for: "));
}

TEST_CASE("compare: the limits file holds, the command line wins") {
  const Sides s;
  const auto limits = fixtures::write_file(s.folder / "limits.toml", "fail-over = \"20%\"\n");
  CHECK(compare("--limits " + limits + " " + s.base + " " + s.slower) == 0);
  CHECK(compare("--limits " + limits + " --fail-over 5% " + s.base + " " + s.slower) == 1);
}

TEST_CASE("compare: limits that match no kernel are a warning, those that do are none") {
  const Sides s;
  const auto limits = fixtures::write_file(s.folder / "limits.toml", R"(
[[kernel]]
name = '^f\('
[[kernel]]
name = 'axpi'
[[kernel]]
name = 'f'
grid = "4711x1x1"
[[kernel]]
name = 'f'
grid = "1024x1x1"
[[fact]]
name = "vgprs"
max = 1
[[fact]]
name = "vgrps"
max = 1
[[fact]]
name = "vgprs"
kernel = 'axpi'
max = 1
[[rename]]
match = '\(\)$'
replace = '()'
[[rename]]
match = '_[0-9]+$'
replace = ''
)");
  REQUIRE(shell("sed -i 's/\"type\":\"kernel\",/&\"vgprs\":1,/' " + s.slower).code() == 0);
  const auto ended = shell(kProgram + " compare --limits " + limits + " " + s.base + " " + s.slower);
  INFO(ended.text);
  CHECK(ended.code() == 1);
  const std::string at = "kreplay: warning: " + limits + ": line ";
  for (const char* sentence : {"4: [[kernel]] name = 'axpi' matches no kernel\n",
                               "6: [[kernel]] name = 'f' matches kernels, but none with the grid 4711x1x1\n",
                               "15: [[fact]] name = 'vgrps' is a fact of no kernel of the new results\n",
                               "18: [[fact]] name = 'vgprs' with kernel = 'axpi' matches no kernel\n",
                               "25: [[rename]] match = '_[0-9]+$' matches no kernel\n"}) {
    INFO(sentence);
    CHECK(has(ended.text, at + sentence));
  }
  size_t warnings = 0;
  for (size_t begin = 0; (begin = ended.text.find("warning: ", begin)) != std::string::npos; ++begin)
    ++warnings;
  CHECK(warnings == 5);
}

TEST_CASE("compare: a folder is a run per file") {
  const Sides s;
  std::filesystem::create_directory(s.folder / "runs");
  uint64_t ns = 100'000;
  for (const char* name : {"1.jsonl", "2.jsonl", "3.jsonl", "4.jsonl"})
    fixtures::write_results(s.folder / "runs" + "/" + name, {{"f()", std::vector<uint64_t>(5, ns += 100)}});
  const auto json = shell(kProgram + " compare --format json " + s.folder / "runs" + " " + s.slower);
  CHECK(json.code() == 1);
  CHECK(has(json.text, "\"level\": \"runs\""));
  CHECK(has(json.text, "\"base_observations\": 4"));
}

TEST_CASE("report: every format") {
  const Folder folder;
  const auto path = fixtures::write_results(folder / "run.jsonl", {{"f(int)", {1000, 2000, 3000}}});
  const std::string report = kProgram + " report " + path;
  for (const auto& [format, mark] : {std::pair{"table", "2.00 us"},
                                     {"md", "| `f` |"},
                                     {"csv", ",f(int),"},
                                     {"json", "\"median\": 2000"},
                                     {"trace", "\"traceEvents\""},
                                     {"html", "<!DOCTYPE html>"}}) {
    INFO(format);
    const auto ended = shell(report + " --format " + format);
    CHECK(ended.code() == 0);
    CHECK(has(ended.text, mark));
    CHECK(shell(report + " --format " + format + " >/dev/full").code() == 2);
    const std::string file = folder / "out." + format;
    CHECK(shell(fmt::format("{} --format {} -o {}", report, format, file)).code() == 0);
    CHECK(has(fixtures::read_file(file), mark));
    CHECK(shell(report + " --format " + format + " -o /nonexistent/out").code() == 2);
  }
  CHECK(shell(report + " --format sqlite").code() == 2);
  CHECK(shell(report + " --format sqlite -o " + folder / "out.db").code() == 0);
  CHECK(shell(report + " --format sqlite -o " + folder / "out.db").code() == 2);
  CHECK(shell(report + " --format pdf").code() == 2);
}

TEST_CASE("limits: a file for compare from runs of one build") {
  const Folder folder;
  std::string runs;
  uint64_t ns = 100'000;
  for (const char* name : {"1.jsonl", "2.jsonl", "3.jsonl"})
    runs += " " + fixtures::write_results(folder / name, {{"f()", std::vector<uint64_t>(5, ns += 1000)}});
  const auto limits = shell(kProgram + " limits" + runs + " -o " + folder / "limits.toml");
  CHECK(limits.code() == 0);
  CHECK(compare("--limits " + folder / "limits.toml" + " " + folder / "1.jsonl" + " " + folder / "3.jsonl") ==
        0);
  CHECK(has(shell(kProgram + " limits " + folder.path).text, "fail-over = \""));
  CHECK(shell(kProgram + " limits " + folder / "1.jsonl").code() == 4);
  const auto other = fixtures::write_results(folder / "other.jsonl", {{"f()", {5}}}, "Vega 10");
  CHECK(shell(kProgram + " limits" + runs + " " + other).code() == 5);
  CHECK(shell(kProgram + " limits " + folder / "absent").code() == 2);
}

TEST_CASE("baseline: what is updated is what compare finds for the machine") {
  const Sides s;
  const std::string store = s.folder / "store";
  CHECK(shell(kProgram + " baseline show --store " + store).code() == 2);
  const auto updated = shell(kProgram + " baseline update --store " + store + " " + s.base);
  CHECK(updated.code() == 0);
  CHECK(has(updated.text, ", 1 run\n"));
  const auto shown = shell(kProgram + " baseline show --store " + store);
  CHECK(shown.code() == 0);
  CHECK(has(shown.text, "agent0: gfx906, Vega 20"));
  CHECK(compare(store + " " + s.base) == 0);
  CHECK(compare(store + " " + s.slower) == 1);
  const auto foreign = shell(kProgram + " compare " + store + " " + s.other);
  CHECK(foreign.code() == 5);
  CHECK(has(foreign.text, "has no baseline for this machine"));
  CHECK(shell(kProgram + " baseline update --replace --store " + store + " " + s.slower).code() == 0);
  CHECK(compare(store + " " + s.slower) == 0);
  CHECK(shell(kProgram + " baseline update --store " + store + " " + s.none).code() == 2);
  CHECK(shell(kProgram + " baseline").code() == 2);
}

TEST_CASE("ab: builds by turns, judged in pairs") {
  const Sides s;
  const std::string ab =
      kGood + kProgram + " ab --library " KREPLAY_STAND_IN " --pairs 3 --keep " + s.folder / "kept" + " ";
  const auto copy = [](const std::string& from) { return "'cp " + from + " \"$KREPLAY_OUTPUT\"'"; };
  const auto slower = shell(ab + copy(s.base) + " -- " + copy(s.slower));
  INFO(slower.text);
  CHECK(slower.code() == 1);
  CHECK(has(slower.text, "+10.0 %"));
  CHECK(slower.text.find("pair 1 of 3: cp " + s.base) < slower.text.find("pair 1 of 3: cp " + s.slower));
  CHECK(slower.text.find("pair 2 of 3: cp " + s.slower) < slower.text.find("pair 2 of 3: cp " + s.base));
  CHECK(std::filesystem::exists(s.folder / "kept/b-003-%p.jsonl"));
  CHECK(shell(ab + copy(s.base) + " -- " + copy(s.base)).code() == 2);  // the folder is not empty
  const std::string again = kGood + kProgram + " ab --library " KREPLAY_STAND_IN " --pairs 2 ";
  CHECK(shell(again + copy(s.base) + " -- " + copy(s.base)).code() == 0);
  const auto failed = shell(again + copy(s.base) + " -- 'exit 3'");
  CHECK(failed.code() == 2);
  CHECK(has(failed.text, "ended with status 3"));
}

TEST_CASE("ab goes on until the verdict is clear, or its time is over") {
  const Sides s;
  // Every run takes the next of two files in turn, so pairs differ by a few percent, one way and the other.
  const auto by_turns = [&s](const std::string& name, const std::string& first, const std::string& second) {
    return fixtures::write_file(s.folder / name + ".sh",
                                "n=$(cat " + s.folder / name +
                                    ".n 2>/dev/null || echo 0)\necho $((n + 1)) >" + s.folder / name +
                                    ".n\nif [ $((n % 2)) = 0 ]; then f=" + first + "; else f=" + second +
                                    "; fi\ncp $f \"$KREPLAY_OUTPUT\"\n");
  };
  const auto more = s.write("more", std::vector<uint64_t>(5, 104'000));
  const auto much = s.write("much", std::vector<uint64_t>(5, 180'000));
  const std::string ab = kGood + kProgram + " ab --library " KREPLAY_STAND_IN " --pairs 2 --until-decided ";
  const auto decided =
      shell(ab + "'sh " + by_turns("a", s.base, more) + "' -- 'sh " + by_turns("b", more, s.base) + "'");
  INFO(decided.text);
  CHECK(decided.code() == 0);
  CHECK(has(decided.text, "not decided after 2 pairs: 2 more"));
  CHECK(has(decided.text, "pair 4 of 4"));
  const auto over = shell(ab + "--max-time 1 'sh " + by_turns("c", s.base, much) + "' -- 'sh " +
                          by_turns("d", much, s.base) + "'");
  INFO(over.text);
  CHECK(over.code() == 3);
  CHECK(has(over.text, "--max-time leaves no room for"));
  CHECK(shell(kProgram + " ab --max-time 5 true -- true").code() == 2);
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
