// Statements K15, K21 and K22: the disputed user-data rule, toggles and the services that honour them, tools
// that know nothing of toggles.
#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/experimental/thread-trace/dispatch.h>

#include <catch2/catch.hpp>
#include <cstddef>

#include "support.hpp"

using namespace tool_test;

namespace {

bool is(const Record& record, int operation, int phase) {
  return record.operation == operation && static_cast<int>(record.phase) == phase;
}

constexpr int kConfig = ROCPROFILER_KERNEL_REPLAY_CONFIG;
constexpr int kPass = ROCPROFILER_KERNEL_REPLAY_PASS;
constexpr int kEnter = ROCPROFILER_CALLBACK_PHASE_ENTER;
constexpr int kExit = ROCPROFILER_CALLBACK_PHASE_EXIT;

std::vector<uint64_t> g_values;

uint64_t two(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) { return 2; }
int note(rocprofiler_kernel_dispatch_info_t, uint64_t, uint64_t, rocprofiler_user_data_t user) {
  g_values.push_back(user.value);
  return 1;
}

}  // namespace

TEST_CASE("K15_where_the_pages_disagree_continue_gets_the_pass_value") {
  g_values.clear();
  ReplayScene scene;
  const bool rewrites = GENERATE(false, true);
  scene.self().on_callback = [rewrites](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    if (is(record, kConfig, kEnter)) {
      user->value = 5;
      payload.replay_pass_count = two;
      payload.replay_continue = note;
    }
    if (rewrites && is(record, kPass, kExit)) user->value = 6;
  };
  CHECK(drive(scene.registry).executions == 2);
  // A tool that leaves user data alone in a pass sees the same under both rules.
  CHECK(g_values == std::vector<uint64_t>{rewrites ? 6u : 5u});
}

TEST_CASE("K21_a_service_that_is_not_here_says_so_and_a_toggle_of_a_context_without_one_is_harmless") {
  Scene scene({configure<0>});
  std::vector<int> configured;
  rocprofiler_context_id_t bare = {0};
  scene.tools[0].on_initialize = [&](auto) {
    subscribe(scene.tools[0]);
    rocprofiler_create_context(&bare);
    // Of the services that the statement names, those that do not exist must not pretend.
    configured.push_back(
        rocprofiler_configure_pc_sampling_service(bare, {1}, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
                                                  ROCPROFILER_PC_SAMPLING_UNIT_TIME, 1000, {1}, 0));
    rocprofiler_start_context(bare);
  };
  scene.registry.start();
  for (const int status : configured) CHECK(status != ROCPROFILER_STATUS_SUCCESS);
  std::vector<int> answers;
  std::vector<bool> enabled;
  ReplayCall call = make_call();
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, kConfig, kEnter)) payload.replay_pass_count = two;
    if (is(record, kPass, kEnter) && payload.current_pass == 1)
      answers.push_back(payload.replay_stop_context(bare));
    if (is(record, kPass, kExit))
      enabled.push_back(enabled_in_loop(call, *scene.registry.find_context(bare)));
  };
  CHECK(drive(*scene.registry.replay_tool(), call).executions == 2);
  CHECK(answers == std::vector<int>{ROCPROFILER_STATUS_SUCCESS});
  CHECK(enabled == std::vector<bool>{true, false});  // what a service of this context has to honour
}

TEST_CASE("K22_a_tool_that_knows_nothing_of_toggles_works") {
  // The payload as versions without toggles declare it: everything before them, at the same offsets.
  struct Older {
    uint64_t size;
    rocprofiler_kernel_dispatch_info_t dispatch_info;
    uint64_t current_pass;
    uint64_t total_passes;
    rocprofiler_kernel_replay_pass_count_cb_t replay_pass_count;
    rocprofiler_kernel_replay_continue_cb_t replay_continue;
  };
  STATIC_REQUIRE(sizeof(Older) == offsetof(Payload, replay_start_context));
  STATIC_REQUIRE(offsetof(Older, replay_continue) == offsetof(Payload, replay_continue));
  ReplayScene scene;
  std::vector<uint64_t> seen;
  scene.self().on_callback = [&](Record record, Payload&, rocprofiler_user_data_t*) {
    auto* older = static_cast<Older*>(record.payload);
    if (is(record, kConfig, kEnter)) older->replay_pass_count = two;
    if (is(record, kPass, kEnter)) seen.push_back(older->current_pass);
  };
  CHECK(drive(scene.registry).executions == 2);
  CHECK(seen == std::vector<uint64_t>{0, 1});
}
