// The exported functions one by one: results as docs/tool-contract.md lists them.
#include <catch2/catch.hpp>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "rocprofiler-sdk/experimental/registration.h"
#include "rocprofiler-sdk/experimental/spm.h"
#include "rocprofiler-sdk/experimental/thread-trace/dispatch.h"
#include "support.hpp"
#include "tool_api/tools.hpp"

extern "C" int rocprofiler_set_api_table(const char* name, uint64_t lib_version, uint64_t lib_instance,
                                         void** tables, uint64_t num_tables);

using namespace tool_test;

namespace {

using Kind = rocprofiler_callback_tracing_kind_t;
using BufferKind = rocprofiler_buffer_tracing_kind_t;

/// Runs `body` inside the initialize of a tool.
void inside_initialize(const std::function<void(rocprofiler_context_id_t)>& body) {
  Scene scene({configure<0>});
  bool ran = false;
  scene.tools[0].on_initialize = [&](auto) {
    rocprofiler_context_id_t context = {0};
    REQUIRE(rocprofiler_create_context(&context) == ROCPROFILER_STATUS_SUCCESS);
    body(context);
    ran = true;
  };
  scene.registry.start();
  REQUIRE(ran);
}

}  // namespace

TEST_CASE("versions") {
  uint32_t major = 0, minor = 0, patch = 0;
  CHECK(rocprofiler_get_version(&major, &minor, &patch) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(major * 10000 + minor * 100 + patch == 10401);
  CHECK(rocprofiler_get_version(nullptr, nullptr, nullptr) == ROCPROFILER_STATUS_SUCCESS);
  rocprofiler_version_triplet_t triplet = {};
  CHECK(rocprofiler_get_version_triplet(&triplet) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(triplet.major == 1);
  CHECK(triplet.minor == 4);
  CHECK(triplet.patch == 1);
}

TEST_CASE("timestamp_is_on_the_runtimes_system_clock") {
  const auto boottime = [] {
    timespec t = {};
    clock_gettime(CLOCK_BOOTTIME, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
  };
  rocprofiler_timestamp_t now = 0;
  const uint64_t before = boottime();
  CHECK(rocprofiler_get_timestamp(&now) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(now >= before);
  CHECK(now <= boottime());
}

TEST_CASE("thread_id_is_gettid") {
  rocprofiler_thread_id_t id = 0;
  CHECK(rocprofiler_get_thread_id(&id) == ROCPROFILER_STATUS_SUCCESS);
  CHECK(id == static_cast<uint64_t>(syscall(SYS_gettid)));
}

TEST_CASE("status_names_and_strings") {
  std::set<std::string> names, texts;
  for (int i = 0; i < ROCPROFILER_STATUS_LAST; ++i) {
    const auto status = static_cast<rocprofiler_status_t>(i);
    REQUIRE(rocprofiler_get_status_name(status) != nullptr);
    names.insert(rocprofiler_get_status_name(status));
    texts.insert(rocprofiler_get_status_string(status));
  }
  CHECK(names.size() == 42);
  CHECK(texts.size() == 42);
  CHECK(std::string(rocprofiler_get_status_name(ROCPROFILER_STATUS_SUCCESS)) == "ROCPROFILER_STATUS_SUCCESS");
  CHECK(std::string(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED)) ==
        "ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED");
  CHECK(std::string(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND)) ==
        "ROCPROFILER_STATUS_ERROR_CONFIG_NOT_FOUND");
  CHECK(std::string(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_REGISTER_VERSION)) ==
        "ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_REGISTER_VERSION");
  for (const int bad : {-1, 42, 43, 1000}) {
    CHECK(rocprofiler_get_status_name(static_cast<rocprofiler_status_t>(bad)) == nullptr);
    CHECK(rocprofiler_get_status_string(static_cast<rocprofiler_status_t>(bad)) == nullptr);
  }
}

TEST_CASE("context_start_stop_and_queries") {
  inside_initialize([](rocprofiler_context_id_t context) {
    const rocprofiler_context_id_t unknown = {context.handle + 100};
    int value = 9;
    CHECK(rocprofiler_context_is_valid(context, &value) == 0);
    CHECK(value == 1);
    CHECK(rocprofiler_context_is_active(context, &value) == 0);
    CHECK(value == 0);
    CHECK(rocprofiler_stop_context(context) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);  // not active
    CHECK(rocprofiler_start_context(context) == 0);
    CHECK(rocprofiler_start_context(context) == 0);
    CHECK(rocprofiler_context_is_active(context, &value) == 0);
    CHECK(value == 1);
    CHECK(rocprofiler_stop_context(context) == 0);
    for (const rocprofiler_context_id_t bad : {unknown, rocprofiler_context_id_t{0}}) {
      value = 9;
      CHECK(rocprofiler_context_is_valid(bad, &value) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
      CHECK(value == 0);
      value = 9;
      CHECK(rocprofiler_context_is_active(bad, &value) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
      CHECK(value == 0);
      CHECK(rocprofiler_start_context(bad) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
      CHECK(rocprofiler_stop_context(bad) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    }
  });
}

TEST_CASE("contexts_run_out_with_an_error") {
  inside_initialize([](rocprofiler_context_id_t) {
    rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;
    unsigned made = 1;
    while (status == ROCPROFILER_STATUS_SUCCESS && made < 10 * kMaxContexts) {
      rocprofiler_context_id_t context = {0};
      status = rocprofiler_create_context(&context);
      made += status == ROCPROFILER_STATUS_SUCCESS ? 1 : 0;
      if (status == ROCPROFILER_STATUS_SUCCESS) CHECK(rocprofiler_start_context(context) == 0);
    }
    CHECK(status == ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR);
    CHECK(made == kMaxContexts);
  });
}

TEST_CASE("configure_callback_tracing_results") {
  inside_initialize([](rocprofiler_context_id_t context) {
    const auto configure_kind = [&](rocprofiler_context_id_t id, int kind, std::vector<int32_t> ops,
                                    rocprofiler_callback_tracing_cb_t callback = replay_callback) {
      return rocprofiler_configure_callback_tracing_service(id, static_cast<Kind>(kind), ops.data(),
                                                            ops.size(), callback, nullptr);
    };
    for (int kind = 1; kind < 25; ++kind)
      if (kind != ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH &&
          kind != ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT)
        CHECK(configure_kind(context, kind, {}) == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
    for (const int kind : {0, -1, 27, 63, 64, 1000})
      CHECK(configure_kind(context, kind, {}) == ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    CHECK(configure_kind({5}, 25, {}) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK(configure_kind(context, 25, {}, nullptr) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(configure_kind(context, 25, {1, 1024}) == ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
    CHECK(configure_kind(context, 25, {-1}) == ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
    // None of the refusals claimed the service.
    CHECK(configure_kind(context, 25, {1, 2}) == ROCPROFILER_STATUS_SUCCESS);
    CHECK(configure_kind(context, 25, {1, 2}) == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
  });
}

TEST_CASE("callback_kind_names") {
  Scene scene;
  const char* name = nullptr;
  uint64_t length = 0;
  CHECK(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, &name,
                                                     &length) == 0);
  CHECK(std::string(name) == "KERNEL_REPLAY");
  CHECK(length == 13);
  CHECK(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, &name,
                                                     nullptr) == 0);
  CHECK(std::string(name) == "KERNEL_DISPATCH");
  CHECK(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_NONE, nullptr, &length) ==
        0);
  CHECK(length == 4);
  CHECK(rocprofiler_query_callback_tracing_kind_name(static_cast<Kind>(27), &name, &length) ==
        ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  std::vector<int> kinds;
  CHECK(rocprofiler_iterate_callback_tracing_kinds(
            [](Kind kind, void* data) {
              static_cast<std::vector<int>*>(data)->push_back(kind);
              return 0;
            },
            &kinds) == 0);
  CHECK(kinds.size() == 26);
  CHECK(kinds.front() == 0);
  CHECK(kinds.back() == 25);
  int calls = 0;
  rocprofiler_iterate_callback_tracing_kinds(
      [](Kind, void* data) { return ++*static_cast<int*>(data) == 3 ? 1 : 0; }, &calls);
  CHECK(calls == 3);
}

TEST_CASE("callback_operation_names") {
  Scene scene;
  const char* name = "unset";
  uint64_t length = 9;
  const auto query = [&](int kind, int operation) {
    return rocprofiler_query_callback_tracing_kind_operation_name(static_cast<Kind>(kind), operation, &name,
                                                                  &length);
  };
  CHECK(query(25, ROCPROFILER_KERNEL_REPLAY_CONFIG) == 0);
  CHECK(std::string(name) == "KERNEL_REPLAY_CONFIG");
  CHECK(length == strlen("KERNEL_REPLAY_CONFIG"));
  CHECK(query(25, ROCPROFILER_KERNEL_REPLAY_PASS) == 0);
  CHECK(std::string(name) == "KERNEL_REPLAY_PASS");
  CHECK(query(12, 1) == 0);
  CHECK(std::string(name) == "KERNEL_DISPATCH_ENQUEUE");
  CHECK(query(10, 1) == 0);
  CHECK(std::string(name) == "CODE_OBJECT_LOAD");
  CHECK(query(25, 3) == ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
  CHECK(name == nullptr);
  CHECK(length == 0);
  CHECK(query(25, -1) == ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
  CHECK(query(0, 0) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(query(27, 0) == ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  std::vector<int> operations;
  const auto collect = [](Kind, rocprofiler_tracing_operation_t operation, void* data) {
    static_cast<std::vector<int>*>(data)->push_back(operation);
    return 0;
  };
  CHECK(rocprofiler_iterate_callback_tracing_kind_operations(static_cast<Kind>(25), collect, &operations) ==
        0);
  CHECK(operations == std::vector<int>{0, 1, 2});
  CHECK(rocprofiler_iterate_callback_tracing_kind_operations(static_cast<Kind>(0), collect, &operations) ==
        ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(rocprofiler_iterate_callback_tracing_kind_operations(static_cast<Kind>(26), collect, &operations) ==
        ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(rocprofiler_iterate_callback_tracing_kind_operations(static_cast<Kind>(99), collect, &operations) ==
        ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  CHECK(rocprofiler_iterate_callback_tracing_kind_operation_args({}, nullptr, 0, nullptr) ==
        ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
}

TEST_CASE("buffer_kind_names") {
  Scene scene;
  const char* name = nullptr;
  CHECK(rocprofiler_query_buffer_tracing_kind_name(ROCPROFILER_BUFFER_TRACING_HIP_EVENT, &name, nullptr) ==
        0);
  CHECK(std::string(name) == "HIP_EVENT");
  CHECK(rocprofiler_query_buffer_tracing_kind_name(ROCPROFILER_BUFFER_TRACING_LAST, &name, nullptr) ==
        ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  CHECK(rocprofiler_query_buffer_tracing_kind_operation_name(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, 2, &name,
                                                             nullptr) == 0);
  CHECK(std::string(name) == "MEMORY_COPY_HOST_TO_DEVICE");
  int kinds = 0, operations = 0;
  rocprofiler_iterate_buffer_tracing_kinds(
      [](BufferKind, void* data) { return ++*static_cast<int*>(data), 0; }, &kinds);
  CHECK(kinds == 39);
  CHECK(rocprofiler_iterate_buffer_tracing_kind_operations(
            ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
            [](BufferKind, rocprofiler_tracing_operation_t, void* data) {
              return ++*static_cast<int*>(data), 0;
            },
            &operations) == 0);
  CHECK(operations == 3);
}

TEST_CASE("a_callback_that_throws_does_not_leave_an_exported_function") {
  Scene scene;
  CHECK(rocprofiler_iterate_callback_tracing_kinds([](Kind, void*) -> int { throw 1; }, nullptr) ==
        ROCPROFILER_STATUS_ERROR);
}

TEST_CASE("external_correlation_stack") {
  inside_initialize([](rocprofiler_context_id_t context) {
    const auto tid = static_cast<rocprofiler_thread_id_t>(getpid());
    rocprofiler_user_data_t out = {9};
    CHECK(rocprofiler_pop_external_correlation_id(context, tid, &out) == 0);
    CHECK(out.value == 0);
    CHECK(rocprofiler_push_external_correlation_id(context, tid, {1}) == 0);
    CHECK(rocprofiler_push_external_correlation_id(context, tid, {2}) == 0);
    CHECK(rocprofiler_push_external_correlation_id(context, tid + 1, {3}) == 0);
    CHECK(Registry::current().external_correlation().top(context.handle, tid).value == 2);
    CHECK(rocprofiler_pop_external_correlation_id(context, tid, &out) == 0);
    CHECK(out.value == 2);
    CHECK(rocprofiler_pop_external_correlation_id(context, tid, &out) == 0);
    CHECK(out.value == 1);
    CHECK(rocprofiler_pop_external_correlation_id(context, tid + 1, &out) == 0);
    CHECK(out.value == 3);
    CHECK(rocprofiler_push_external_correlation_id(context, tid - 1, {1}) ==
          ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(rocprofiler_push_external_correlation_id({1}, tid, {1}) ==
          ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
  });
}

TEST_CASE("external_correlation_requests_are_checked_and_then_refused_by_name") {
  inside_initialize([](rocprofiler_context_id_t context) {
    const auto request = [](rocprofiler_thread_id_t, rocprofiler_context_id_t,
                            rocprofiler_external_correlation_id_request_kind_t,
                            rocprofiler_tracing_operation_t, uint64_t, rocprofiler_user_data_t*,
                            void*) { return 0; };
    const auto ask = [&](rocprofiler_context_id_t id, std::vector<int> kinds, bool callback = true) {
      return rocprofiler_configure_external_correlation_id_request_service(
          id, reinterpret_cast<const rocprofiler_external_correlation_id_request_kind_t*>(kinds.data()),
          kinds.size(), callback ? +request : nullptr, nullptr);
    };
    CHECK(ask({1}, {11}) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK(ask(context, {11}, false) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(ask(context, {99}) == ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    CHECK(ask(context, {11}) == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
  });
  const char* name = nullptr;
  CHECK(rocprofiler_query_external_correlation_id_request_kind_name(
            ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH, &name, nullptr) == 0);
  CHECK(std::string(name) == "KERNEL_DISPATCH");
}

namespace {

int g_handler_calls = 0;
int count_table(const char* name, uint64_t version, uint64_t instance, void** tables, uint64_t n) {
  g_handler_calls +=
      std::string(name) == "hsa" && version == 10500 && instance == 0 && n == 1 && tables[0] != nullptr;
  return 6;
}

}  // namespace

TEST_CASE("set_api_table") {
  Scene scene({configure<0>});
  int table = 0;
  void* tables[] = {&table};
  g_handler_calls = 0;
  CHECK(rocprofiler_set_api_table("unknown", 1, 0, tables, 1) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(rocprofiler_set_api_table(nullptr, 1, 0, tables, 1) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(scene.events.empty());
  CHECK(rocprofiler_set_api_table("hip", 60000, 0, tables, 1) == 0);
  CHECK(scene.events == std::vector<std::string>{"configure 0", "initialize 0"});
  set_api_table_handler(count_table);
  CHECK(rocprofiler_set_api_table("hsa", 10500, 0, tables, 1) == 6);
  CHECK(g_handler_calls == 1);
  std::vector<std::string> rows;
  CHECK(rocprofiler_iterate_runtime_registration_info(
            [](rocprofiler_runtime_registration_info_t* info, void* data) {
              static_cast<std::vector<std::string>*>(data)->emplace_back(info->common_name);
              return 0;
            },
            &rows) == 0);
  CHECK(rows == std::vector<std::string>{"hip", "hsa"});
  scene.registry.finalize();
  CHECK(rocprofiler_set_api_table("hsa", 10500, 0, tables, 1) == 0);  // nothing is done any more
  CHECK(g_handler_calls == 1);
  set_api_table_handler(nullptr);
}

TEST_CASE("services_that_do_not_exist_say_so") {
  inside_initialize([](rocprofiler_context_id_t context) {
    constexpr auto kMissing = ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    rocprofiler_counter_config_id_t config = {0};
    rocprofiler_counter_id_t counter = {0};
    size_t size = 0;
    CHECK(rocprofiler_at_intercept_table_registration(nullptr, 1, nullptr) == kMissing);
    CHECK(rocprofiler_iterate_agent_supported_counters({1}, nullptr, nullptr) ==
          ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    CHECK(rocprofiler_create_counter_config({1}, nullptr, 0, &config) ==
          ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    CHECK(rocprofiler_query_counter_instance_count({1}, {1}, &size) ==
          ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    CHECK(rocprofiler_create_counter(nullptr, 0, nullptr, 0, {1}, nullptr, 0, &counter) ==
          ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    CHECK(rocprofiler_query_counter_info({0}, ROCPROFILER_COUNTER_INFO_VERSION_0, nullptr) ==
          ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
    CHECK(rocprofiler_iterate_counter_dimensions({0}, nullptr, nullptr) ==
          ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
    CHECK(rocprofiler_load_counter_definition("", 0, ROCPROFILER_COUNTER_FLAG_NONE) == kMissing);
    CHECK(rocprofiler_configure_callback_dispatch_counting_service({1}, nullptr, nullptr, nullptr, nullptr) ==
          ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
    CHECK(rocprofiler_query_pc_sampling_agent_configurations({1}, nullptr, nullptr) == kMissing);
    CHECK(rocprofiler_configure_pc_sampling_service(context, {1}, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
                                                    ROCPROFILER_PC_SAMPLING_UNIT_TIME, 1, {1},
                                                    0) == kMissing);
    CHECK(rocprofiler_configure_dispatch_thread_trace_service(context, {1}, nullptr, 0, nullptr, nullptr,
                                                              nullptr) == kMissing);
    CHECK(rocprofiler_configure_dispatch_thread_trace_service(
              {1}, {1}, nullptr, 0, nullptr, nullptr, nullptr) == ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK(rocprofiler_spm_configure_callback_dispatch_service(context, nullptr, nullptr, nullptr, nullptr) ==
          kMissing);
    CHECK(rocprofiler_spm_iterate_agent_supported_counters({1}, nullptr, nullptr) == kMissing);
    CHECK(rocprofiler_spm_create_counter_config({1}, nullptr, 0, nullptr, 0, &config) == kMissing);
    CHECK(rocprofiler_spm_destroy_counter_config({1}) == kMissing);
    CHECK(rocprofiler_spm_query_agent_configurations({1}, nullptr, nullptr) == kMissing);
  });
}
