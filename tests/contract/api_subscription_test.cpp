// Statements K1..K8 and K23..K24 of the replay contract: who is called, on which thread, with what.
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "support.hpp"

using namespace tool_test;

namespace {

uint64_t two_passes(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) { return 2; }

void ask_two_passes(Record record, Payload& payload, rocprofiler_user_data_t*) {
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG &&
      record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
    payload.replay_pass_count = two_passes;
}

size_t count(const FakeTool& tool, int operation, int phase) {
  size_t n = 0;
  for (const Seen& s : tool.seen) n += s.record.operation == operation && s.record.phase == phase ? 1 : 0;
  return n;
}

constexpr int kConfig = ROCPROFILER_KERNEL_REPLAY_CONFIG;
constexpr int kPass = ROCPROFILER_KERNEL_REPLAY_PASS;
constexpr int kEnter = ROCPROFILER_CALLBACK_PHASE_ENTER;
constexpr int kExit = ROCPROFILER_CALLBACK_PHASE_EXIT;

}  // namespace

TEST_CASE("K01_subscription_is_a_callback_tracing_service") {
  ReplayScene scene;
  CHECK(scene.subscribe_status == ROCPROFILER_STATUS_SUCCESS);
  REQUIRE(scene.registry.replay_tool() != nullptr);
  CHECK(scene.registry.replay_tool()->listening());
}

TEST_CASE("K01_there_is_no_buffered_form") {
  Scene scene({configure<0>});
  rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
  scene.tools[0].on_initialize = [&](auto) {
    rocprofiler_create_context(&scene.tools[0].context);
    status = rocprofiler_configure_buffer_tracing_service(
        scene.tools[0].context, static_cast<rocprofiler_buffer_tracing_kind_t>(25), nullptr, 0, {1});
  };
  scene.registry.start();
  CHECK(status != ROCPROFILER_STATUS_SUCCESS);
}

TEST_CASE("K02_second_subscription_is_refused") {
  Scene scene({configure<0>, configure<1>});
  std::vector<rocprofiler_status_t> first, second;
  scene.tools[0].on_initialize = [&](auto) {
    first.push_back(subscribe(scene.tools[0]));
    first.push_back(rocprofiler_configure_callback_tracing_service(
        scene.tools[0].context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, nullptr, 0, replay_callback,
        &scene.tools[0]));
  };
  scene.tools[1].on_initialize = [&](auto) {
    second.push_back(subscribe(scene.tools[1]));
    // The losing context is not spoilt: another kind is judged on its own.
    second.push_back(rocprofiler_configure_callback_tracing_service(
        scene.tools[1].context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, nullptr, 0, replay_callback,
        &scene.tools[1]));
    second.push_back(rocprofiler_start_context(scene.tools[1].context));
  };
  scene.registry.start();
  CHECK(first ==
        std::vector{ROCPROFILER_STATUS_SUCCESS, ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED});
  CHECK(second == std::vector{ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED, ROCPROFILER_STATUS_SUCCESS,
                              ROCPROFILER_STATUS_SUCCESS});
  // Never mixed: the one subscriber gets the callbacks.
  drive(scene.registry);
  CHECK(scene.tools[0].seen.size() == 2);
  CHECK(scene.tools[1].seen.empty());
}

TEST_CASE("K02_of_racing_threads_exactly_one_claims") {
  for (int round = 0; round < 20; ++round) {
    Scene scene({configure<0>});
    std::atomic<int> won{0}, refused{0};
    scene.tools[0].on_initialize = [&](auto) {
      std::vector<rocprofiler_context_id_t> contexts(4, {0});
      for (auto& context : contexts)
        REQUIRE(rocprofiler_create_context(&context) == ROCPROFILER_STATUS_SUCCESS);
      std::vector<std::thread> threads;
      threads.reserve(contexts.size());
      for (auto& context : contexts)
        threads.emplace_back([&, context] {
          const auto status = rocprofiler_configure_callback_tracing_service(
              context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, nullptr, 0, replay_callback,
              &scene.tools[0]);
          won += status == ROCPROFILER_STATUS_SUCCESS ? 1 : 0;
          refused += status == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED ? 1 : 0;
        });
      for (auto& thread : threads) thread.join();
    };
    scene.registry.start();
    CHECK(won == 1);
    CHECK(refused == 3);
  }
}

TEST_CASE("K02a_stopped_context_neither_calls_nor_replays_until_started") {
  Scene scene({configure<0>});
  scene.tools[0].on_initialize = [&](auto) { subscribe(scene.tools[0], {}, 25, false); };
  scene.tools[0].on_callback = ask_two_passes;
  scene.registry.start();
  CHECK_FALSE(scene.registry.replay_tool()->listening());
  CHECK_FALSE(drive(scene.registry).wanted);
  CHECK(scene.tools[0].seen.empty());
  REQUIRE(rocprofiler_start_context(scene.tools[0].context) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(drive(scene.registry).executions == 2);
  REQUIRE(rocprofiler_stop_context(scene.tools[0].context) == ROCPROFILER_STATUS_SUCCESS);
  CHECK_FALSE(drive(scene.registry).wanted);
}

TEST_CASE("K03_without_a_subscriber_nothing_listens") {
  Scene scene({configure<0>});
  scene.registry.start();
  CHECK(scene.registry.replay_tool() == nullptr);
}

TEST_CASE("K04_config_enter_for_every_candidate_and_one_exit_each") {
  ReplayScene scene;
  scene.self().on_callback = [](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (payload.dispatch_info.dispatch_id % 2 == 0) ask_two_passes(record, payload, nullptr);
  };
  for (uint64_t id = 1; id <= 6; ++id) drive(scene.registry, id);
  CHECK(count(scene.self(), kConfig, kEnter) == 6);
  CHECK(count(scene.self(), kConfig, kExit) == 6);
  CHECK(count(scene.self(), kPass, kEnter) == 6);
  CHECK(count(scene.self(), kPass, kExit) == 6);
}

TEST_CASE("K04_config_exit_follows_at_once_when_the_window_declines") {
  ReplayScene scene;
  scene.self().on_callback = ask_two_passes;
  ReplayCall call = make_call();
  ReplayTool& tool = *scene.registry.replay_tool();
  REQUIRE(tool.wants(call));
  CHECK(tool.config_enter(call).mode == PassMode::fixed);
  tool.config_exit(call);  // a snapshot that could not be taken
  tool.config_exit(call);  // owed once
  CHECK(scene.self().seen.size() == 2);
  CHECK(count(scene.self(), kConfig, kExit) == 1);
}

TEST_CASE("K04_replay_is_keyed_on_the_config_operation") {
  SECTION("only PASS: never replayed") {
    ReplayScene scene({ROCPROFILER_KERNEL_REPLAY_PASS});
    CHECK(scene.subscribe_status == ROCPROFILER_STATUS_SUCCESS);
    CHECK_FALSE(scene.registry.replay_tool()->listening());
    CHECK_FALSE(drive(scene.registry).wanted);
    CHECK(scene.self().seen.empty());
  }
  SECTION("only CONFIG: replayed without PASS callbacks") {
    ReplayScene scene({ROCPROFILER_KERNEL_REPLAY_CONFIG});
    scene.self().on_callback = ask_two_passes;
    CHECK(drive(scene.registry).executions == 2);
    CHECK(scene.self().seen.size() == 2);
  }
}

TEST_CASE("K05_every_callback_runs_on_the_submitting_thread_in_order") {
  ReplayScene scene;
  scene.self().on_callback = [](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    event(std::string(record.operation == kConfig ? "config " : "pass ") +
          (record.phase == kEnter ? "enter" : "exit"));
    ask_two_passes(record, payload, user);
  };
  pthread_t submitter = {};
  scene.events.clear();
  std::thread thread([&] {
    submitter = pthread_self();
    drive(scene.registry);
  });
  thread.join();
  CHECK(scene.events == std::vector<std::string>{"config enter", "pass enter", "run 0", "pass exit",
                                                 "restore", "pass enter", "run 1", "pass exit",
                                                 "config exit"});
  for (const Seen& s : scene.self().seen) CHECK(pthread_equal(s.thread, submitter));
}

TEST_CASE("K06_a_thread_local_of_pass_enter_is_seen_during_that_pass_only") {
  static thread_local int current = -1;
  ReplayScene scene;
  scene.self().on_callback = [](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    if (record.operation == kPass)
      current = record.phase == kEnter ? static_cast<int>(payload.current_pass) : -1;
    ask_two_passes(record, payload, user);
  };
  ReplayTool& tool = *scene.registry.replay_tool();
  ReplayCall call = make_call();
  REQUIRE(tool.wants(call));
  tool.config_enter(call);
  CHECK(current == -1);
  tool.pass_enter(call, 0);
  CHECK(current == 0);  // here the dispatch callbacks of other services run
  int elsewhere = 0;
  std::thread([&] { elsewhere = current; }).join();
  CHECK(elsewhere == -1);
  tool.pass_exit(call, 0);
  CHECK(current == -1);
  tool.config_exit(call);
}

TEST_CASE("K07_dispatch_info_is_filled_identically_in_all_four") {
  ReplayScene scene;
  scene.self().on_callback = ask_two_passes;
  drive(scene.registry, 99);
  REQUIRE(scene.self().seen.size() == 6);
  for (const Seen& s : scene.self().seen) {
    CHECK(s.payload.size == 184);
    CHECK(s.payload.dispatch_info.size == 72);
    CHECK(s.payload.dispatch_info.dispatch_id == 99);
    CHECK(s.payload.dispatch_info.agent_id.handle == 11);
    CHECK(s.payload.dispatch_info.queue_id.handle == 12);
    CHECK(s.payload.dispatch_info.kernel_id == 13);
    CHECK(s.payload.dispatch_info.private_segment_size == 16);
    CHECK(s.payload.dispatch_info.group_segment_size == 32);
    CHECK(s.payload.dispatch_info.workgroup_size.x == 67);
    CHECK(s.payload.dispatch_info.grid_size.x == 670);
    for (const uint8_t byte : s.payload.dispatch_info.reserved_padding) REQUIRE(byte == 0);
  }
}

TEST_CASE("K08_the_tools_writes_to_read_only_fields_have_no_effect") {
  ReplayScene scene;
  scene.self().on_callback = [](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    ask_two_passes(record, payload, user);
    payload.size = 1;
    payload.dispatch_info = {};
    payload.current_pass = 17;
    payload.total_passes = 1000;
  };
  CHECK(drive(scene.registry, 5).executions == 2);
  REQUIRE(scene.self().seen.size() == 6);
  for (const Seen& s : scene.self().seen) {
    CHECK(s.payload.size == 184);
    CHECK(s.payload.dispatch_info.dispatch_id == 5);
    CHECK(s.payload.total_passes == (s.op() == kPass ? 2 : 0));
  }
}

TEST_CASE("K23_one_dispatch_id_for_every_pass_and_for_the_single_run") {
  ReplayScene scene;
  scene.self().on_callback = ask_two_passes;
  drive(scene.registry, 31);
  scene.self().on_callback = nullptr;
  drive(scene.registry, 32);
  std::vector<uint64_t> ids;
  for (const Seen& s : scene.self().seen) ids.push_back(s.payload.dispatch_info.dispatch_id);
  CHECK(ids == std::vector<uint64_t>{31, 31, 31, 31, 31, 31, 32, 32});
}

TEST_CASE("K24_thread_and_correlation_are_equal_and_the_external_id_is_asked_again") {
  ReplayScene scene;
  const uint64_t tid = static_cast<uint64_t>(getpid()) + 5;
  scene.self().on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    ask_two_passes(record, payload, user);
    if (record.operation == kPass && record.phase == kExit && payload.current_pass == 0)
      rocprofiler_push_external_correlation_id(scene.self().context, tid, {555});
  };
  ReplayCall call = make_call();
  call.thread_id = tid;
  drive(*scene.registry.replay_tool(), call);
  REQUIRE(scene.self().seen.size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    const Record& record = scene.self().seen[i].record;
    CHECK(record.thread_id == tid);
    CHECK(record.correlation_id.internal == 21);
    CHECK(record.correlation_id.ancestor == 22);
    CHECK(record.context_id.handle == scene.self().context.handle);
    CHECK(record.correlation_id.external.value == (i < 3 ? 0 : 555));
  }
}

TEST_CASE("K01_kind_number_of_the_tool_is_echoed") {
  for (const int kind : {25, 26}) {
    Scene scene({configure<0>});
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR;
    scene.tools[0].on_initialize = [&](auto) { status = subscribe(scene.tools[0], {}, kind); };
    scene.registry.start();
    REQUIRE(status == ROCPROFILER_STATUS_SUCCESS);
    drive(scene.registry);
    REQUIRE(scene.tools[0].seen.size() == 2);
    for (const Seen& s : scene.tools[0].seen) CHECK(static_cast<int>(s.record.kind) == kind);
  }
}

TEST_CASE("K01_kind_25_is_another_domain_when_26_is_chosen") {
  Scene scene({configure<0>});
  kreplay::Options options;
  options.replay_kind = 26;
  scene.registry.set_options(options);
  std::vector<rocprofiler_status_t> status;
  scene.tools[0].on_initialize = [&](auto) {
    for (const int kind : {25, 26}) {
      scene.tools[0].context = {0};
      status.push_back(subscribe(scene.tools[0], {}, kind));
    }
  };
  scene.registry.start();
  CHECK(status == std::vector{ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED, ROCPROFILER_STATUS_SUCCESS});
  const char* name = nullptr;
  rocprofiler_query_callback_tracing_kind_name(static_cast<rocprofiler_callback_tracing_kind_t>(25), &name,
                                               nullptr);
  CHECK(std::string(name) == "HIP_EVENT");
}

TEST_CASE("K23_launches_are_counted_per_kernel_and_agent_also_with_a_tool") {
  ReplayScene scene;
  kreplay::report::KernelInfo kernels[2];
  ReplayTool& tool = *scene.registry.replay_tool();
  const auto launch = [&](const kreplay::report::KernelInfo* kernel, uint64_t agent) {
    ReplayCall call = make_call();
    call.kernel = kernel;
    call.agent = agent;
    tool.wants(call);
    return call.launch;
  };
  CHECK(launch(&kernels[0], 1) == 1);
  CHECK(launch(&kernels[0], 1) == 2);
  CHECK(launch(&kernels[1], 1) == 1);
  CHECK(launch(&kernels[0], 2) == 1);
  CHECK(launch(nullptr, 1) == 1);
  CHECK(launch(&kernels[0], 1) == 3);
}
