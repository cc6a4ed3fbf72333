#include "cli/verdict.hpp"

#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::has;

namespace {

HandshakeNote note(std::string_view event, std::string detail = "") {
  return {1, std::string(event), std::move(detail)};
}
std::string all(const HandshakeVerdict& verdict) {
  std::string text;
  for (const auto& sentence : verdict.sentences) text += sentence + "\n";
  return text;
}

}  // namespace

TEST_CASE("a run is good only if something was replayed") {
  using namespace handshake_event;
  CHECK(judge({note(loaded), note(runtime, "/lib"), note(ended, "3 2")}, "/bin/true", false).good);
  const auto none = judge({note(loaded), note(runtime, "/lib"), note(ended, "3 0")}, "/bin/true", false);
  CHECK_FALSE(none.good);
  CHECK(has(all(none), "of 3 candidate dispatches none was replayed"));
  CHECK(judge({note(loaded), note(runtime, "/lib"), note(ended, "3 0")}, "/bin/true", true).good);
  const auto unused = judge({note(loaded)}, "/bin/true", false);
  CHECK_FALSE(unused.good);
  CHECK(has(all(unused), "no process of the program used an HSA runtime"));
  const auto passive_one =
      judge({note(loaded), note(passive, "another profiler is active")}, "/bin/true", false);
  CHECK_FALSE(passive_one.good);
  CHECK(has(all(passive_one), "process 1 ran without replay: another profiler is active"));
  CHECK(judge({note(loaded), note(runtime, "/lib")}, "/bin/true", false).good);  // killed: not known
  CHECK(has(all(judge({note(loaded), note(results, "run.jsonl"), note(ended, "1 1")}, "", false)),
            "results in run.jsonl"));
}

TEST_CASE("tools that fail, end the process, or want nothing") {
  using namespace handshake_event;
  const auto broken = judge(
      {note(loaded), note(runtime, "/lib"), note(tool_failed, "tool t: it threw"), note(ended, "0 0 0 0")},
      "", true);
  CHECK_FALSE(broken.good);
  CHECK(all(broken) == "tool t: it threw\n");
  const auto gone = judge({note(loaded), note(tool_enters, "t: its configure"), note(tool_leaves, "t"),
                           note(tool_enters, "t: its initialize"), note(tool_refused, "create_buffer (NO)")},
                          "", true);
  CHECK_FALSE(gone.good);
  CHECK(all(gone) ==
        "process 1 ended in a tool, t: its initialize, which had been refused create_buffer (NO)\n");
  HandshakeNote called = note(tool_callbacks, "t");
  CHECK(judge({note(loaded), note(runtime, "/lib"), called}, "", false).good);
  called.count = 2;
  CHECK(all(judge({note(loaded), note(runtime, "/lib"), called}, "", false)) ==
        "process 1 ended in a tool, t: a callback\n");
  CHECK(judge({note(loaded), note(runtime, "/lib"), called, note(ended, "3 2")}, "", false).good);
  const auto idle = judge(
      {note(loaded), note(tool_enters, "t: its initialize"), note(tool_leaves, "t"),
       note(tool_idle, "tool t asked for no kernel replay"), note(runtime, "/lib"), note(ended, "0 0 0 0")},
      "", false);
  CHECK_FALSE(idle.good);
  CHECK(all(idle) == "nothing was measured: tool t asked for no kernel replay\n");
}

TEST_CASE("C72: counts of several processes are added up") {
  using namespace handshake_event;
  CHECK(judge({note(loaded), note(loaded), note(runtime, "/lib"), note(ended, "3 2"), note(ended, "0 0")}, "",
              false)
            .good);
}

TEST_CASE("C88: silence is an error with its likely cause") {
  const auto silent = judge({}, "/proc/self/exe", true);
  CHECK_FALSE(silent.good);
  CHECK(has(all(silent), "libkreplay.so was not loaded"));
}

TEST_CASE("C68: a run that selected nothing, launched nothing or declined everything says which") {
  using namespace handshake_event;
  const auto unselected = judge({note(loaded), note(runtime, "/lib"), note(ended, "0 0 7 0")}, "", false);
  CHECK_FALSE(unselected.good);
  CHECK(has(all(unselected), "of 7 launches none was selected"));
  const auto idle = judge({note(loaded), note(runtime, "/lib"), note(ended, "0 0 0 0")}, "", false);
  CHECK_FALSE(idle.good);
  CHECK(has(all(idle), "launched no kernel"));
  const auto bypassed =
      judge({note(loaded), note(runtime, "/lib"), note(ended, "5 0 0 0 bypassed")}, "", false);
  CHECK_FALSE(bypassed.good);
  CHECK(
      has(all(bypassed), "of 5 candidate dispatches none was replayed, most often for the reason bypassed"));
}

TEST_CASE("results that are not there or not whole are a failure, whatever was replayed") {
  using namespace handshake_event;
  const auto lost = judge({note(loaded), note(runtime, "/lib"), note(ended, "5 5 0 3")}, "", false);
  CHECK_FALSE(lost.good);
  CHECK(has(all(lost), "3 records could not be written"));
  const auto none = judge({note(loaded), note(no_results, "cannot create the result file /x"),
                           note(runtime, "/lib"), note(ended, "5 5 0 0")},
                          "", true);
  CHECK_FALSE(none.good);
  CHECK(has(all(none), "cannot create the result file /x"));
}

TEST_CASE("ranks that were left out do not count; when there was no other one, nothing was measured") {
  using namespace handshake_event;
  CHECK(judge({note(loaded), note(loaded), note(excluded), note(runtime, "/lib"), note(ended, "3 2")}, "",
              false)
            .good);
  const auto nobody = judge({note(loaded), note(excluded)}, "", false);
  CHECK_FALSE(nobody.good);
  CHECK(has(all(nobody), "left out by --ranks"));
}
