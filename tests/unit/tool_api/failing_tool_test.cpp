// Tools that fail are named, with what they threw and what they were refused. Each run is a process of its
// own.
#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <csignal>

#include "host_run.hpp"

using tool_test::Ran;
using tool_test::run_host;

namespace {

Ran run(const std::string& how, const std::string& more = "") {
  return run_host("ROCP_TOOL_LIBRARIES=" KREPLAY_TEST_FAILING_TOOL " FAILING_TOOL=" + how + " " + more,
                  "1:64");
}
bool has(const Ran& ran, const std::string& text) { return ran.output.find(text) != std::string::npos; }

const std::string kOmpt =
    "rocprofiler_configure_callback_tracing_service of OMPT (ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED)";
const std::string kCounters =
    "rocprofiler_load_counter_definition (ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED)";

}  // namespace

TEST_CASE("a_tool_that_throws_is_named_with_the_exceptions_text_and_not_finalised") {
  const Ran ran = run("throw");
  INFO(ran.output);
  CHECK(has(ran, "tool failing: its initialize threw an exception: counters.yaml: no counter \"SQ_WAVES\""));
  CHECK(has(ran, "it had been refused " + kOmpt + ", " + kCounters));
  CHECK(has(ran, "kernel 1 ran 1\n"));  // the built-in tool would run it more often
  CHECK(has(ran, "host: tools '', present 0, replay 0\n"));
  CHECK_FALSE(has(ran, "failing: finalize"));
  const Ran number = run("throw_number");
  CHECK(has(number, "its initialize threw an exception that is no std::exception"));
  const Ran early = run("throw_configure");
  CHECK(has(early, "tool failing: rocprofiler_configure threw an exception: licence has run out"));
  CHECK(has(early, "replay 0\n"));
}

TEST_CASE("a_tool_that_returns_an_error_is_named_with_the_error_and_finalised") {
  const Ran ran = run("error");
  INFO(ran.output);
  CHECK(has(ran, "tool failing: its initialize returned -3; it had been refused " + kOmpt));
  CHECK(has(ran, "failing: finalize"));
}

TEST_CASE("a_tool_that_stands_back_although_it_was_asked_for_is_named") {
  const Ran ran = run("null");
  INFO(ran.output);
  CHECK(has(ran, "tool failing: rocprofiler_configure returned NULL, so it does not take part"));
  CHECK(has(ran, "host: tools '', present 0, replay 0\n"));
}

TEST_CASE("a_tool_whose_callback_throws_is_named_with_the_text_once") {
  const Ran ran =
      run_host("ROCP_TOOL_LIBRARIES=" KREPLAY_TEST_FAILING_TOOL " FAILING_TOOL=callback", "1:64 2:64");
  INFO(ran.output);
  const std::string text =
      "tool failing: its CONFIG callback threw an exception: no such file: counters.yaml, at dispatch 1";
  CHECK(has(ran, text));
  CHECK_FALSE(has(ran, "at dispatch 2"));
}

TEST_CASE("what_a_tool_cannot_have_is_a_warning_and_every_refused_call_is_shown_on_request") {
  const Ran usual = run("refused");
  INFO(usual.output);
  // Once each, though two places could tell it.
  CHECK(has(usual, "warning: services: tool failing asks for OMPT: its callbacks are not traced"));
  CHECK(has(usual, "warning: services: tool failing asks for counter definitions from YAML"));
  CHECK_FALSE(has(usual, "asked for a service that it cannot have"));
  CHECK_FALSE(has(usual, "info: refused"));
  const Ran shown = run("refused", "KREPLAY_LOG=info");
  CHECK(has(shown, "info: refused: " + kOmpt));
  CHECK(has(shown, "info: refused: " + kCounters));
  const Ran idle = run("idle");
  CHECK_FALSE(has(idle, "tool failing asks for"));
}

TEST_CASE("a_tool_that_aborts_was_named_with_its_refused_calls_before") {
  const Ran ran = run("abort");
  INFO(ran.output);
  CHECK((WIFSIGNALED(ran.status) ? WTERMSIG(ran.status) : WEXITSTATUS(ran.status) - 128) == SIGABRT);
  CHECK(has(ran, "warning: services: tool failing asks for counter definitions from YAML"));
}
