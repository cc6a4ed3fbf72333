// Statements S01, S02, S03, S07 and S08 with fake tools and a fake submitter.
#include <catch2/catch.hpp>
#include <string>

#include "rocprofiler-sdk/device_counting_service.h"
#include "rocprofiler-sdk/experimental/spm.h"
#include "rocprofiler-sdk/experimental/thread-trace/dispatch.h"
#include "service_scene.hpp"

using namespace tool_test;

namespace {

using DispatchPayload = rocprofiler_callback_tracing_kernel_dispatch_data_t;

struct Traced {
  Record record = {};
  DispatchPayload payload = {};
  uint64_t user = 0;
  pthread_t thread = {};
};

struct Trace {
  std::mutex mutex;
  std::vector<Traced> seen;
  uint64_t leave = 0;  ///< what ENQUEUE ENTER puts into the user data
};

void on_dispatch(Record record, rocprofiler_user_data_t* user, void* args) {
  auto& trace = *static_cast<Trace*>(args);
  const auto& payload = *static_cast<DispatchPayload*>(record.payload);
  const std::lock_guard lock(trace.mutex);
  trace.seen.push_back({record, payload, user->value, pthread_self()});
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) user->value = trace.leave;
  if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) user->value = 999;
}

void trace_dispatches(rocprofiler_context_id_t context, Trace& trace,
                      std::vector<rocprofiler_tracing_operation_t> operations = {}) {
  REQUIRE(rocprofiler_configure_callback_tracing_service(
              context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, operations.data(), operations.size(),
              on_dispatch, &trace) == ROCPROFILER_STATUS_SUCCESS);
}

uint64_t three(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) { return 3; }

}  // namespace

TEST_CASE("S01_enqueue_enter_and_exit_on_the_submitting_thread_complete_with_times_on_another") {
  Trace trace;
  trace.leave = 5;
  ServiceScene scene([&](auto context) { trace_dispatches(context, trace); });
  scene.registry.external_correlation().push(scene.context.handle, 4242, {77});
  scene.run({1000, 2000});
  REQUIRE(trace.seen.size() == 3);
  const Traced& enter = trace.seen[0];
  const Traced& exit = trace.seen[1];
  const Traced& complete = trace.seen[2];
  CHECK(enter.record.operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE);
  CHECK(exit.record.operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE);
  CHECK(complete.record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
  CHECK(enter.record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER);
  CHECK(exit.record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT);
  CHECK(complete.record.phase == ROCPROFILER_CALLBACK_PHASE_NONE);
  CHECK(pthread_equal(enter.thread, pthread_self()));
  CHECK(pthread_equal(exit.thread, pthread_self()));
  CHECK_FALSE(pthread_equal(complete.thread, pthread_self()));
  for (const Traced& each : trace.seen) {
    CHECK(each.record.kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH);
    CHECK(each.record.context_id.handle == scene.context.handle);
    CHECK(each.record.thread_id == 4242);
    CHECK(each.record.correlation_id.internal == 21);
    CHECK(each.record.correlation_id.external.value == 77);
    CHECK(each.payload.size == 160);
    CHECK(each.payload.dispatch_info.size == 72);
    CHECK(each.payload.dispatch_info.dispatch_id == 7);
    CHECK(each.payload.dispatch_info.kernel_id == 13);
  }
  CHECK(enter.payload.start_timestamp == 0);
  CHECK(exit.payload.end_timestamp == 0);
  CHECK(complete.payload.start_timestamp == 1000);
  CHECK(complete.payload.end_timestamp == 2000);
  // The tool's word of ENTER is seen in EXIT and in COMPLETE, that of EXIT is not.
  CHECK(enter.user == 0);
  CHECK(exit.user == 5);
  CHECK(complete.user == 5);
}

TEST_CASE("S01_only_the_operations_that_were_asked_for_come") {
  const int operation = GENERATE(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE, ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
  Trace trace;
  ServiceScene scene([&](auto context) { trace_dispatches(context, trace, {operation}); });
  scene.run({1, 2});
  CHECK(trace.seen.size() == (operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE ? 2 : 1));
  for (const Traced& each : trace.seen) CHECK(each.record.operation == operation);
}

TEST_CASE("S01_a_kernel_that_ends_before_the_submission_returns_completes_after_enqueue_exit") {
  Trace trace;
  ServiceScene scene([&](auto context) { trace_dispatches(context, trace); });
  const auto run = scene.registry.services().kernels.begin(make_launch(), nullptr);
  REQUIRE(run != nullptr);
  run->completed({1, 2});
  CHECK(scene.registry.services().kernels.settle(std::chrono::seconds(60)));
  CHECK(trace.seen.size() == 1);
  run->enqueued();
  REQUIRE(run->wait_delivered(std::chrono::seconds(60)));
  REQUIRE(trace.seen.size() == 3);
  CHECK(trace.seen[1].record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT);
  CHECK(trace.seen[2].record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
}

TEST_CASE("S01_a_kernel_that_never_ends_does_not_hold_up_finalisation_and_is_not_told_of_later") {
  Trace trace;
  ServiceScene scene([&](auto context) { trace_dispatches(context, trace); });
  const auto run = scene.registry.services().kernels.begin(make_launch(), nullptr);
  REQUIRE(run != nullptr);
  run->enqueued();
  scene.registry.set_wait_ms(10, 2000);
  scene.registry.finalize();
  CHECK(scene.events.back() == "finalize 0");
  run->completed({1, 2});  // after all
  REQUIRE(run->wait_delivered(std::chrono::seconds(60)));
  CHECK(trace.seen.size() == 2);
}

TEST_CASE("S01_a_stopped_context_is_not_called_and_a_kernel_that_began_before_still_completes") {
  Trace trace;
  ServiceScene scene([&](auto context) { trace_dispatches(context, trace); });
  KernelServices& kernels = scene.registry.services().kernels;
  const auto run = kernels.begin(make_launch(), nullptr);
  REQUIRE(run != nullptr);
  run->enqueued();
  CHECK(g_kernel_services_listen.load());
  REQUIRE(rocprofiler_stop_context(scene.context) == ROCPROFILER_STATUS_SUCCESS);
  CHECK_FALSE(g_kernel_services_listen.load());
  run->completed({1, 2});
  REQUIRE(run->wait_delivered(std::chrono::seconds(60)));
  CHECK(trace.seen.size() == 3);
  CHECK(trace.seen.back().record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
  CHECK(kernels.begin(make_launch(), nullptr) == nullptr);
}

TEST_CASE("S01_configuration_is_refused_as_upstream_refuses_it") {
  Trace trace;
  ServiceScene scene([&](rocprofiler_context_id_t context) {
    const auto ask = [&](rocprofiler_context_id_t id, std::vector<int> operations, bool callback = true) {
      return rocprofiler_configure_callback_tracing_service(id, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
                                                            operations.data(), operations.size(),
                                                            callback ? on_dispatch : nullptr, &trace);
    };
    CHECK(ask({5}, {}) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK(ask(context, {}, false) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(ask(context, {1024}) == ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
    CHECK(ask(context, {}) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(ask(context, {}) == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
  });
  CHECK(rocprofiler_configure_callback_tracing_service(
            scene.context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, nullptr, 0, on_dispatch, &trace) ==
        ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
}

TEST_CASE("S02_tracing_runs_once_per_pass_with_the_same_ids_and_the_pass_s_own_times") {
  Trace trace;
  ServiceScene scene([&](auto context) {
    trace_dispatches(context, trace);
    CHECK(subscribe(tool<0>()) == ROCPROFILER_STATUS_SUCCESS);
  });
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) payload.replay_pass_count = three;
  };
  ReplayCall call = make_call(9);
  ReplayTool& tool = *scene.registry.replay_tool();
  REQUIRE(tool.wants(call));
  REQUIRE(tool.config_enter(call).passes == 3);
  for (uint64_t pass = 0; pass < 3; ++pass) {
    tool.pass_enter(call, pass);
    scene.run({100 * (pass + 1), 100 * (pass + 1) + 10}, 9, &call);
    tool.pass_exit(call, pass);
    CHECK(trace.seen.size() == 3 * (pass + 1));  // delivered before the pass ends
  }
  tool.config_exit(call);
  for (size_t i = 0; i < trace.seen.size(); ++i) {
    CHECK(trace.seen[i].payload.dispatch_info.dispatch_id == 9);
    CHECK(trace.seen[i].record.correlation_id.internal == 21);
    if (i % 3 == 2) CHECK(trace.seen[i].payload.start_timestamp == 100 * (i / 3 + 1));
  }
}

TEST_CASE("S03_a_context_that_is_stopped_for_a_loop_is_left_out_until_it_is_started_for_it") {
  Trace trace;
  ServiceScene scene([&](auto context) {
    trace_dispatches(context, trace);
    CHECK(subscribe(tool<0>()) == ROCPROFILER_STATUS_SUCCESS);
  });
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) payload.replay_pass_count = three;
    if (record.operation != ROCPROFILER_KERNEL_REPLAY_PASS ||
        record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER)
      return;
    if (payload.current_pass == 0) payload.replay_stop_context(scene.context);
    if (payload.current_pass == 2) payload.replay_start_context(scene.context);
  };
  ReplayCall call = make_call(9);
  ReplayTool& tool = *scene.registry.replay_tool();
  REQUIRE(tool.wants(call));
  tool.config_enter(call);
  for (uint64_t pass = 0; pass < 3; ++pass) {
    tool.pass_enter(call, pass);
    scene.run({pass + 1, pass + 2}, 9, &call);
    tool.pass_exit(call, pass);
  }
  tool.config_exit(call);
  REQUIRE(trace.seen.size() == 3);  // of pass 2 only
  CHECK(trace.seen[2].payload.start_timestamp == 3);
  scene.run({8, 9});  // nothing global has changed
  CHECK(trace.seen.size() == 6);
}

namespace {

struct Told {
  std::vector<std::string> lines;
};

void on_code(Record record, rocprofiler_user_data_t* user, void* args) {
  auto& told = *static_cast<Told*>(args);
  std::string line = record.phase == ROCPROFILER_CALLBACK_PHASE_LOAD ? "load " : "unload ";
  if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
    const auto& load = *static_cast<rocprofiler_callback_tracing_code_object_load_data_t*>(record.payload);
    line += std::string("object ") + load.uri + " of agent " + std::to_string(load.agent_id.handle);
  } else {
    const auto& kernel =
        *static_cast<rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(record.payload);
    line += std::string("kernel ") + kernel.kernel_name + " " + std::to_string(kernel.kernel_id);
  }
  if (user->value != 0) line += " again";
  user->value = 1;
  told.lines.push_back(line);
}

LoadedObject object(uint64_t executable) {
  LoadedObject out;
  out.executable = executable;
  out.agent_id = 11;
  out.uri = "memory://" + std::to_string(executable);
  out.kernels = {{13, "one.kd", 0x1000}, {14, "two.kd", 0x2000}};
  return out;
}

}  // namespace

TEST_CASE("S07_objects_and_kernels_once_at_load_and_object_first_at_unload_also_at_the_end") {
  Told told;
  ServiceScene scene([&](auto context) {
    REQUIRE(rocprofiler_configure_callback_tracing_service(context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
                                                           nullptr, 0, on_code,
                                                           &told) == ROCPROFILER_STATUS_SUCCESS);
  });
  CodeObjectTracing& tracing = scene.registry.services().code_objects;
  tracing.loaded({object(1), object(2)});
  CHECK(told.lines == std::vector<std::string>{"load object memory://1 of agent 11", "load kernel one.kd 13",
                                               "load kernel two.kd 14", "load object memory://2 of agent 11",
                                               "load kernel one.kd 13", "load kernel two.kd 14"});
  told.lines.clear();
  tracing.unloading(1);
  tracing.unloading(1);
  CHECK(told.lines == std::vector<std::string>{"unload object memory://1 of agent 11 again",
                                               "unload kernel one.kd 13 again",
                                               "unload kernel two.kd 14 again"});
  told.lines.clear();
  rocprofiler_stop_context(scene.context);
  tracing.loaded({object(3)});  // while it is stopped: never heard of
  scene.registry.finalize();
  CHECK(told.lines.size() == 3);
  CHECK(told.lines.front() == "unload object memory://2 of agent 11 again");
  CHECK(scene.events.back() == "finalize 0");
}

TEST_CASE("S08_every_refusal_has_upstream_s_status_and_is_told_once_by_tool_and_service") {
  constexpr int kMissing = ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
  rocprofiler_context_id_t context = {0};
  const rocprofiler_context_id_t unknown = {5};
  const auto device = [](rocprofiler_context_id_t id) {
    return rocprofiler_configure_device_counting_service(id, {1}, {0}, nullptr, nullptr);
  };
  const auto sampling = [](rocprofiler_context_id_t id) {
    return rocprofiler_configure_pc_sampling_service(id, {1}, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
                                                     ROCPROFILER_PC_SAMPLING_UNIT_TIME, 1, {1}, 0);
  };
  const auto trace = [](rocprofiler_context_id_t id) {
    return rocprofiler_configure_dispatch_thread_trace_service(id, {1}, nullptr, 0, nullptr, nullptr,
                                                               nullptr);
  };
  const auto tracing = [](rocprofiler_context_id_t id, rocprofiler_callback_tracing_kind_t kind) {
    return rocprofiler_configure_callback_tracing_service(id, kind, nullptr, 0, on_dispatch, nullptr);
  };
  ServiceScene scene([&](rocprofiler_context_id_t made) {
    context = made;
    for (int i = 0; i < 2; ++i) {
      for (const auto kind :
           {ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
            ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API, ROCPROFILER_CALLBACK_TRACING_OMPT})
        CHECK(tracing(context, kind) == kMissing);
      CHECK(sampling(context) == kMissing);
      CHECK(rocprofiler_query_pc_sampling_agent_configurations({1}, nullptr, nullptr) == kMissing);
      CHECK(trace(context) == kMissing);
      CHECK(trace(unknown) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
      CHECK(device(unknown) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
      CHECK(device(context) == ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
      CHECK(rocprofiler_spm_configure_callback_dispatch_service(context, nullptr, nullptr, nullptr,
                                                                nullptr) == kMissing);
      CHECK(rocprofiler_at_intercept_table_registration(nullptr, 1, nullptr) == kMissing);
    }
  });
  CHECK(rocprofiler_sample_device_counting_service(context, {0}, ROCPROFILER_COUNTER_FLAG_NONE, nullptr,
                                                   nullptr) == ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
  CHECK(device(context) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  CHECK(trace(context) == ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
  CHECK(scene.registry.refused() ==
        std::vector<std::string>{"tool libtest.so: HSA_CORE_API", "tool libtest.so: HIP_RUNTIME_API",
                                 "tool libtest.so: MARKER_CORE_API", "tool libtest.so: OMPT",
                                 "tool libtest.so: PC sampling", "tool libtest.so: thread trace",
                                 "tool libtest.so: SPM", "tool libtest.so: runtime function tables"});
}
