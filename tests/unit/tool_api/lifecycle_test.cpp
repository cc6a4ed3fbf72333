// When tools are configured, initialised and finalised, and what is possible in between.
#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "realtime_waits.hpp"
#include "rocprofiler-sdk/experimental/registration.h"
#include "support.hpp"

using namespace tool_test;

namespace {

int initialized() {
  int status = 99;
  rocprofiler_is_initialized(&status);
  return status;
}
int finalized() {
  int status = 99;
  rocprofiler_is_finalized(&status);
  return status;
}

}  // namespace

TEST_CASE("all_configure_then_all_initialize_then_each_finalize_once") {
  Scene scene({configure<0>, configure<1>});
  CHECK(initialized() == 0);
  scene.registry.start();
  scene.registry.start();
  CHECK(initialized() == 1);
  CHECK(finalized() == 0);
  scene.registry.finalize();
  scene.registry.finalize();
  CHECK(finalized() == 1);
  CHECK(scene.events == std::vector<std::string>{"configure 0", "configure 1", "initialize 0", "initialize 1",
                                                 "finalize 0", "finalize 1"});
}

TEST_CASE("configure_is_given_version_priority_and_a_client_id") {
  Scene scene({configure<0>, configure<1>});
  uint32_t handles[2] = {};
  for (uint32_t i = 0; i < 2; ++i)
    scene.tools[i].on_configure = [&, i](uint32_t version, const char* runtime, uint32_t priority,
                                         rocprofiler_client_id_t* id) {
      CHECK(version == 10401);
      CHECK(std::string(runtime) == "1.4.1");
      CHECK(priority == i);
      CHECK(id->size == 24);
      CHECK(id->name == nullptr);
      handles[i] = id->handle;
      id->name = "named by the tool";
    };
  scene.registry.start();
  CHECK(handles[0] >= 255);
  CHECK(handles[1] == handles[0] + 1);
  CHECK(scene.registry.tool_names() == "named by the tool, named by the tool");
}

TEST_CASE("status_is_minus_one_during_initialisation_and_finalisation") {
  Scene scene({configure<0>});
  std::vector<int> seen;
  scene.tools[0].on_configure = [&](auto...) { seen.push_back(initialized()); };
  scene.tools[0].on_initialize = [&](auto) { seen.push_back(initialized()); };
  scene.tools[0].on_finalize = [&] {
    seen.push_back(initialized());
    seen.push_back(finalized());
  };
  scene.registry.start();
  scene.registry.finalize();
  CHECK(seen == std::vector<int>{-1, -1, 1, -1});
}

TEST_CASE("null_from_configure_means_no_initialize_no_finalize_and_no_contexts") {
  Scene scene({configure<0>, configure<1>});
  scene.tools[0].null_result = true;
  scene.tools[0].on_configure = [&](auto...) {
    CHECK(subscribe(scene.tools[0]) == ROCPROFILER_STATUS_SUCCESS);
  };
  rocprofiler_status_t second = ROCPROFILER_STATUS_ERROR;
  scene.tools[1].on_initialize = [&](auto) { second = subscribe(scene.tools[1]); };
  scene.registry.start();
  scene.registry.finalize();
  CHECK(scene.events == std::vector<std::string>{"configure 0", "configure 1", "initialize 1", "finalize 1"});
  int valid = 1;
  CHECK(rocprofiler_context_is_valid(scene.tools[0].context, &valid) ==
        ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
  CHECK(valid == 0);
  CHECK(second == ROCPROFILER_STATUS_SUCCESS);  // the dropped tool's claim is free again
}

TEST_CASE("the_answer_of_initialize_is_ignored_and_finalize_still_called") {
  Scene scene({configure<0>});
  scene.tools[0].initialize_answer = -1;
  scene.tools[0].on_initialize = [&](auto) { subscribe(scene.tools[0]); };
  scene.registry.start();
  CHECK(scene.registry.replay_tool()->listening());
  scene.registry.finalize();
  CHECK(scene.events.back() == "finalize 0");
}

TEST_CASE("the_same_function_is_configured_once") {
  Scene scene({configure<0>, configure<0>});
  scene.registry.start();
  CHECK(scene.events == std::vector<std::string>{"configure 0", "initialize 0"});
}

TEST_CASE("tools_that_throw_do_not_end_the_process") {
  Scene scene({configure<0>, configure<1>});
  scene.tools[0].on_configure = [](auto...) { throw std::runtime_error("configure"); };
  scene.tools[1].on_initialize = [&](auto) {
    subscribe(scene.tools[1]);
    throw std::runtime_error("initialize");
  };
  scene.tools[1].on_finalize = [] { throw std::runtime_error("finalize"); };
  scene.registry.start();
  CHECK(initialized() == 1);
  CHECK(scene.registry.replay_tool() == nullptr);
  scene.registry.finalize();
  CHECK(finalized() == 1);
  // One that could not be initialised is not finalised, and the built-in tool does not take its place.
  CHECK(scene.events == std::vector<std::string>{"configure 0", "configure 1", "initialize 1"});
  CHECK(scene.registry.tool_names().empty());
}

TEST_CASE("contexts_and_services_only_during_initialisation") {
  Scene scene({configure<0>});
  rocprofiler_context_id_t early = {0}, inside = {0}, late = {0};
  CHECK(rocprofiler_create_context(&early) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  scene.tools[0].on_initialize = [&](auto) {
    CHECK(rocprofiler_create_context(&inside) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(rocprofiler_create_context(&inside) == ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO);
  };
  scene.registry.start();
  CHECK(inside.handle != 0);
  CHECK(rocprofiler_create_context(&late) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  CHECK(rocprofiler_configure_callback_tracing_service(inside, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY,
                                                       nullptr, 0, replay_callback, nullptr) ==
        ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
}

TEST_CASE("no_tool_gives_the_timing_tool_and_a_tool_without_replay_gives_none") {
  {
    Scene scene;
    CHECK(scene.registry.replay_tool() == nullptr);
    scene.registry.start();
    REQUIRE(scene.registry.replay_tool() != nullptr);
    CHECK(scene.registry.tool_names() == "timing");
    CHECK_FALSE(scene.registry.tool_present());
  }
  {
    Scene scene({configure<0>});
    scene.tools[0].on_configure = [](uint32_t, const char*, uint32_t, rocprofiler_client_id_t* id) {
      id->name = "t";
    };
    scene.registry.start();
    CHECK(scene.registry.replay_tool() == nullptr);
    CHECK(scene.registry.tool_present());
    CHECK(scene.registry.tool_names() == "t");
  }
  for (const bool requested : {false, true}) {  // one that is linked to the program may stand back
    Scene scene;
    scene.registry.set_discovery([requested]() -> kreplay::Result<std::vector<Discovered>> {
      return std::vector<Discovered>{{configure<0>, "libtest.so", requested}};
    });
    scene.tools[0].null_result = true;
    scene.registry.start();
    CHECK(scene.registry.tool_names() == (requested ? "" : "timing"));
  }
}

TEST_CASE("refused_or_disabling_options_leave_no_replay") {
  for (const bool disabled : {true, false}) {
    ReplayScene scene;  // proves that the same tool replays otherwise
    REQUIRE(scene.registry.replay_tool() != nullptr);
    Scene off({configure<0>});
    kreplay::Options options;
    options.enabled = !disabled;
    if (!disabled) options.errors.push_back("KREPLAY_PASSES='many': not a number");
    off.registry.set_options(options);
    off.tools[0].on_initialize = [&](auto) { CHECK(subscribe(off.tools[0]) == ROCPROFILER_STATUS_SUCCESS); };
    off.registry.start();
    CHECK(off.registry.replay_tool() == nullptr);
  }
}

TEST_CASE("start_from_within_a_tool_returns_and_other_threads_wait_for_the_first") {
  Scene scene({configure<0>});
  std::atomic<bool> inside{false}, release{false};
  std::atomic<int> seen_by_other{99};
  scene.tools[0].on_initialize = [&](auto) {
    scene.registry.start();  // as a hook does when the tool calls into the runtime
    inside = true;
    while (!release) std::this_thread::yield();
  };
  std::thread first([&] { scene.registry.start(); });
  while (!inside) std::this_thread::yield();
  std::thread other([&] {
    scene.registry.start();
    seen_by_other = scene.registry.init_status();
  });
  release = true;
  first.join();
  other.join();
  CHECK(seen_by_other == 1);
  CHECK(scene.events == std::vector<std::string>{"configure 0", "initialize 0"});
}

TEST_CASE("waiting_for_another_threads_initialisation_is_bounded") {
  const uint64_t realtime_before = tool_test::realtime_waits();
  Scene scene({configure<0>});
  scene.registry.set_wait_ms(200, 20);
  bool other_returned = false;
  scene.tools[0].on_initialize = [&](auto) {
    // A tool that starts a thread, lets it call into the runtime, and waits for it.
    std::thread other([&] {
      scene.registry.start();
      other_returned = true;
    });
    other.join();
  };
  scene.registry.start();
  CHECK(other_returned);
  CHECK(initialized() == 1);
  CHECK(tool_test::realtime_waits() == realtime_before);
}

TEST_CASE("force_configure_before_anything_starts_the_tools") {
  Scene scene({configure<1>});
  CHECK(rocprofiler_force_configure(configure<0>) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(scene.events ==
        std::vector<std::string>{"configure 0", "configure 1", "initialize 0", "initialize 1"});
  CHECK(rocprofiler_force_configure(configure<0>) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(scene.events.size() == 4);
}

TEST_CASE("force_configure_afterwards_initialises_that_tool_alone") {
  Scene scene({configure<0>});
  scene.registry.start();
  std::vector<int> status;
  scene.tools[2].on_initialize = [&](auto) {
    status.push_back(initialized());
    status.push_back(subscribe(scene.tools[2]));
  };
  CHECK(rocprofiler_force_configure(configure<2>) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(status == std::vector<int>{-1, 0});
  CHECK(initialized() == 1);
  CHECK(scene.events ==
        std::vector<std::string>{"configure 0", "initialize 0", "configure 2", "initialize 2"});
  REQUIRE(scene.registry.replay_tool() != nullptr);
  CHECK(scene.registry.replay_tool()->listening());
}

TEST_CASE("force_configure_replaces_the_timing_tool") {
  Scene scene;
  scene.registry.start();
  ReplayTool* timing = scene.registry.replay_tool();
  scene.tools[0].on_initialize = [&](auto) { subscribe(scene.tools[0]); };
  CHECK(rocprofiler_force_configure(configure<0>) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(scene.registry.replay_tool() != timing);
}

TEST_CASE("force_configure_while_initialising_or_finalised_is_refused") {
  Scene scene({configure<0>});
  rocprofiler_status_t inside = ROCPROFILER_STATUS_SUCCESS, leaving = ROCPROFILER_STATUS_SUCCESS;
  scene.tools[0].on_initialize = [&](auto) { inside = rocprofiler_force_configure(configure<1>); };
  scene.tools[0].on_finalize = [&] { leaving = rocprofiler_force_configure(configure<1>); };
  scene.registry.start();
  CHECK(inside == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  scene.registry.finalize();
  CHECK(leaving == ROCPROFILER_STATUS_ERROR_FINALIZED);
  CHECK(rocprofiler_force_configure(configure<1>) == ROCPROFILER_STATUS_ERROR_FINALIZED);
  CHECK(rocprofiler_force_configure(nullptr) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("finalize_function_ends_one_of_several_tools_or_everything") {
  SECTION("the only tool: everything") {
    Scene scene({configure<0>});
    rocprofiler_client_finalize_t end = nullptr;
    scene.tools[0].on_initialize = [&](auto function) { end = function; };
    scene.registry.start();
    end(*scene.tools[0].id);
    CHECK(finalized() == 1);
    CHECK(scene.events.back() == "finalize 0");
  }
  SECTION("one of two: only that one, once") {
    Scene scene({configure<0>, configure<1>});
    rocprofiler_client_finalize_t end = nullptr;
    scene.tools[0].on_initialize = [&](auto function) {
      end = function;
      subscribe(scene.tools[0]);
    };
    scene.registry.start();
    end(*scene.tools[0].id);
    CHECK(finalized() == 0);
    CHECK(scene.events.back() == "finalize 0");
    CHECK_FALSE(scene.registry.replay_tool()->listening());
    CHECK(rocprofiler_start_context(scene.tools[0].context) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    scene.registry.finalize();
    CHECK(scene.events == std::vector<std::string>{"configure 0", "configure 1", "initialize 0",
                                                   "initialize 1", "finalize 0", "finalize 1"});
  }
}

TEST_CASE("finalisation_waits_for_a_replay_of_another_thread") {
  ReplayScene scene;
  ReplayCall call = make_call();
  ReplayTool& tool = *scene.registry.replay_tool();
  REQUIRE(tool.wants(call));
  tool.config_enter(call);
  scene.registry.set_wait_ms(10000, 2000);
  std::thread finalizer([&] { scene.registry.finalize(); });
  while (scene.registry.fini_status() == 0 || tool.listening()) std::this_thread::yield();
  CHECK(scene.self().seen.size() == 1);
  tool.config_exit(call);  // still delivered
  finalizer.join();
  CHECK(scene.self().seen.size() == 2);
  CHECK(scene.events.back() == "finalize 0");
}

TEST_CASE("finalisation_does_not_wait_for_ever_and_delivers_nothing_afterwards") {
  const uint64_t realtime_before = tool_test::realtime_waits();
  ReplayScene scene;
  scene.registry.set_wait_ms(10, 2000);
  ReplayCall call = make_call();
  ReplayTool& tool = *scene.registry.replay_tool();
  std::thread stuck([&] {
    tool.wants(call);
    tool.config_enter(call);
  });
  stuck.join();  // its replay never ends
  scene.registry.finalize();
  CHECK(scene.events.back() == "finalize 0");
  CHECK(tool_test::realtime_waits() == realtime_before);  // a clock that is set must not make it longer
  std::thread([&] { tool.config_exit(call); }).join();
  CHECK(scene.self().seen.size() == 1);
}

TEST_CASE("a_tool_may_end_itself_from_its_own_callback") {
  Scene scene({configure<0>});
  rocprofiler_client_finalize_t end = nullptr;
  scene.tools[0].on_initialize = [&](auto function) {
    end = function;
    subscribe(scene.tools[0]);
  };
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG)
      payload.replay_pass_count = [](rocprofiler_kernel_dispatch_info_t,
                                     rocprofiler_user_data_t) -> uint64_t { return 5; };
    else
      end(*scene.tools[0].id);
  };
  scene.registry.start();
  // The wait bound would show: the wait must not be for this thread's own replay.
  scene.registry.set_wait_ms(3'600'000, 2000);
  CHECK(drive(scene.registry).executions == 1);
  CHECK(scene.tools[0].seen.size() == 2);  // CONFIG ENTER, PASS ENTER; nothing after finalize
}

TEST_CASE("contexts_after_finalisation") {
  ReplayScene scene;
  scene.registry.finalize();
  int active = 1;
  CHECK(rocprofiler_context_is_active(scene.self().context, &active) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(active == 0);
  CHECK(rocprofiler_start_context(scene.self().context) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  CHECK(rocprofiler_stop_context(scene.self().context) == ROCPROFILER_STATUS_SUCCESS);
}

TEST_CASE("a_fork_child_neither_starts_nor_finalises_the_parents_tools") {
  Scene scene({configure<0>});
  scene.registry.start();
  const pid_t child = fork();
  if (child == 0) {
    scene.registry.start();
    scene.registry.finalize();
    _exit(scene.events.back() == "initialize 0" && scene.registry.fini_status() == 0 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
