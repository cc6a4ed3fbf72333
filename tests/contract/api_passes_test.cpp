// Statements K9..K22 of the replay contract: fields, pass counts, the continue rule, user data, toggles, and
// tools that throw.
#include <catch2/catch.hpp>

#include <stdexcept>
#include <thread>

#include "support.hpp"

using namespace tool_test;

namespace {

constexpr int kConfig = ROCPROFILER_KERNEL_REPLAY_CONFIG;
constexpr int kPass = ROCPROFILER_KERNEL_REPLAY_PASS;
constexpr int kEnter = ROCPROFILER_CALLBACK_PHASE_ENTER;
constexpr int kExit = ROCPROFILER_CALLBACK_PHASE_EXIT;

using CountCb = rocprofiler_kernel_replay_pass_count_cb_t;
using ContinueCb = rocprofiler_kernel_replay_continue_cb_t;

struct Asked {
  uint64_t dispatch, pass, total, user;
  bool operator==(const Asked&) const = default;
};
std::vector<Asked> g_asked;          // calls of replay_continue
std::vector<uint64_t> g_count_user;  // user data of replay_pass_count

template <uint64_t N>
uint64_t passes(rocprofiler_kernel_dispatch_info_t info, rocprofiler_user_data_t user) {
  CHECK(info.size == 72);
  g_count_user.push_back(user.value);
  return N;
}

/// Says stop after pass `Last`.
template <uint64_t Last>
int until(rocprofiler_kernel_dispatch_info_t info, uint64_t pass, uint64_t total,
          rocprofiler_user_data_t user) {
  event("continue? " + std::to_string(pass));
  g_asked.push_back({info.dispatch_id, pass, total, user.value});
  return pass < Last ? -1 : 0;  // any non-zero value means go on
}
constexpr uint64_t kNever = 1u << 20;

bool is(const Record& record, int operation, int phase) {
  return record.operation == operation && static_cast<int>(record.phase) == phase;
}

/// A scene whose tool sets these two in CONFIG ENTER.
class PlanScene : public ReplayScene {
 public:
  PlanScene(CountCb count, ContinueCb go_on) {
    g_asked.clear();
    g_count_user.clear();
    self().on_callback = [count, go_on](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (!is(record, kConfig, kEnter)) return;
      payload.replay_pass_count = count;
      payload.replay_continue = go_on;
    };
  }
  size_t pass_pairs() {
    size_t n = 0;
    for (const Seen& s : self().seen) n += s.op() == kPass && s.enter() ? 1 : 0;
    return n;
  }
  /// Runs `more` after the plan was set.
  void also(const std::function<void(Record, Payload&, rocprofiler_user_data_t*)>& more) {
    self().on_callback = [first = self().on_callback, more](Record record, Payload& payload,
                                                            rocprofiler_user_data_t* user) {
      first(record, payload, user);
      more(record, payload, user);
    };
  }
};

}  // namespace

TEST_CASE("K07_fields_are_null_or_set_as_the_table_says") {
  PlanScene scene(passes<2>, until<kNever>);
  drive(scene.registry);
  REQUIRE(scene.self().seen.size() == 6);
  for (const Seen& s : scene.self().seen) {
    const bool pass = s.op() == kPass;
    INFO("operation " << s.op() << " enter " << s.enter());
    CHECK(s.payload.total_passes == (pass ? 2 : 0));
    CHECK((s.payload.replay_pass_count != nullptr) == (!pass && !s.enter()));
    CHECK((s.payload.replay_continue != nullptr) == !s.enter());
    CHECK((s.payload.replay_start_context != nullptr) == (pass && s.enter()));
    CHECK((s.payload.replay_stop_context != nullptr) == (pass && s.enter()));
  }
  const auto& seen = scene.self().seen;
  CHECK(seen[0].payload.current_pass == 0);
  CHECK(seen[1].payload.current_pass == 0);
  CHECK(seen[2].payload.current_pass == 0);
  CHECK(seen[3].payload.current_pass == 1);
  CHECK(seen[4].payload.current_pass == 1);
  CHECK(seen[5].payload.current_pass == 0);
  CHECK(seen[5].payload.replay_pass_count == passes<2>);
  CHECK(seen[5].payload.replay_continue == until<kNever>);
}

TEST_CASE("K09_pass_count_table") {
  struct Row {
    CountCb count;
    ContinueCb go_on;
    uint64_t executions, pairs;
    bool snapshot;
  };
  const Row rows[] = {
      {nullptr, nullptr, 1, 0, false},     {nullptr, until<0>, 1, 0, false},
      {passes<1>, nullptr, 1, 0, false},   {passes<1>, until<kNever>, 1, 0, false},
      {passes<2>, nullptr, 2, 2, true},    {passes<5>, nullptr, 5, 5, true},
      {passes<17>, nullptr, 17, 17, true}, {passes<5>, until<kNever>, 5, 5, true},
      {passes<5>, until<0>, 1, 1, true},   {passes<5>, until<2>, 3, 3, true},
      {passes<0>, until<0>, 1, 1, true},   {passes<0>, until<6>, 7, 7, true},
      {passes<0>, nullptr, 1, 0, false},   {passes<UINT64_MAX>, until<1>, 2, 2, true},
  };
  for (const Row& row : rows) {
    PlanScene scene(row.count, row.go_on);
    const Driven driven = drive(scene.registry);
    INFO("row " << (&row - rows));
    CHECK(driven.executions == row.executions);
    CHECK(driven.restores == row.executions - 1);
    CHECK(scene.pass_pairs() == row.pairs);
    CHECK(driven.snapshot == row.snapshot);
    CHECK(g_count_user.size() == (row.count != nullptr ? 1u : 0u));
    CHECK(scene.self().seen.size() == 2 + 2 * row.pairs);
  }
}

TEST_CASE("K09_a_fixed_loop_is_asked_after_all_but_the_last_pass_and_never_extended") {
  PlanScene scene(passes<4>, until<kNever>);
  ReplayCall call = make_call();
  CHECK(drive(*scene.registry.replay_tool(), call).executions == 4);
  CHECK(g_asked == std::vector<Asked>{{7, 0, 4, 0}, {7, 1, 4, 0}, {7, 2, 4, 0}});
  // Even a window that asks after the last pass gets no further one.
  REQUIRE(scene.registry.replay_tool()->wants(call));
  scene.registry.replay_tool()->config_enter(call);
  CHECK_FALSE(scene.registry.replay_tool()->continue_after(call, 3));
  scene.registry.replay_tool()->config_exit(call);
}

TEST_CASE("K10_an_indefinite_loop_is_asked_after_every_pass_with_total_zero") {
  PlanScene scene(passes<0>, until<3>);
  CHECK(drive(scene.registry).executions == 4);
  CHECK(g_asked == std::vector<Asked>{{7, 0, 0, 0}, {7, 1, 0, 0}, {7, 2, 0, 0}, {7, 3, 0, 0}});
  for (const Seen& s : scene.self().seen) CHECK(s.payload.total_passes == 0);
}

TEST_CASE("K11_continue_runs_after_pass_exit") {
  PlanScene scene(passes<3>, until<1>);
  scene.also([](Record record, Payload&, rocprofiler_user_data_t*) {
    if (is(record, kPass, kExit)) event("pass exit");
  });
  scene.events.clear();
  drive(scene.registry);
  CHECK(scene.events == std::vector<std::string>{"run 0", "pass exit", "continue? 0", "restore", "run 1",
                                                 "pass exit", "continue? 1"});
}

TEST_CASE("K12_overwriting_continue_in_pass_exit_counts_for_that_pass_only") {
  SECTION("stop at pass 1 through another function; passes 0 and 1 were asked of the right one") {
    PlanScene scene(passes<5>, until<kNever>);
    scene.also([](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (is(record, kPass, kExit) && payload.current_pass == 1) payload.replay_continue = until<0>;
    });
    CHECK(drive(scene.registry).executions == 2);
  }
  SECTION("the next pass starts again from the CONFIG value") {
    PlanScene scene(passes<5>, until<0>);  // the CONFIG value stops at once
    std::vector<ContinueCb> offered;
    scene.also([&](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (!is(record, kPass, kExit)) return;
      offered.push_back(payload.replay_continue);
      if (payload.current_pass < 2) payload.replay_continue = until<kNever>;
    });
    CHECK(drive(scene.registry).executions == 3);
    CHECK(offered == std::vector<ContinueCb>{until<0>, until<0>, until<0>});
  }
  SECTION("NULL means go on") {
    PlanScene scene(passes<3>, until<0>);
    scene.also([](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (is(record, kPass, kExit)) payload.replay_continue = nullptr;
    });
    CHECK(drive(scene.registry).executions == 3);
    CHECK(g_asked.empty());
  }
  SECTION("NULL means go on in an indefinite loop too") {
    PlanScene scene(passes<0>, until<0>);
    scene.also([](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (is(record, kPass, kExit) && payload.current_pass < 4) payload.replay_continue = nullptr;
    });
    CHECK(drive(scene.registry).executions == 5);
  }
  SECTION("set where CONFIG set none") {
    PlanScene scene(passes<5>, nullptr);
    scene.also([](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (is(record, kPass, kExit) && payload.current_pass == 2) payload.replay_continue = until<0>;
    });
    CHECK(drive(scene.registry).executions == 3);
  }
  SECTION("what is written in PASS ENTER is not used") {
    PlanScene scene(passes<3>, nullptr);
    scene.also([](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (is(record, kPass, kEnter)) payload.replay_continue = until<0>;
    });
    CHECK(drive(scene.registry).executions == 3);
  }
}

TEST_CASE("K13_one_pass_means_no_replay") {
  PlanScene scene(passes<1>, nullptr);
  ReplayCall call = make_call();
  REQUIRE(scene.registry.replay_tool()->wants(call));
  CHECK(scene.registry.replay_tool()->config_enter(call).mode == PassMode::once);
  scene.registry.replay_tool()->config_exit(call);
}

TEST_CASE("K14_user_data_threading") {
  PlanScene scene(passes<3>, until<kNever>);
  scene.also([](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    if (is(record, kConfig, kEnter)) user->value = 100;
    if (is(record, kPass, kEnter)) user->value += 1 + payload.current_pass;
    if (is(record, kPass, kExit)) user->value += 1000;
    if (is(record, kConfig, kExit)) user->value = 0;
  });
  drive(scene.registry);
  std::vector<uint64_t> on_entry;
  for (const Seen& s : scene.self().seen) on_entry.push_back(s.user.value);
  //                                     config  pass 0    pass 1    pass 2    config exit
  CHECK(on_entry == std::vector<uint64_t>{0, 100, 101, 100, 102, 100, 103, 100});
  CHECK(g_count_user == std::vector<uint64_t>{100});
  CHECK(g_asked == std::vector<Asked>{{7, 0, 3, 1101}, {7, 1, 3, 1102}});
}

TEST_CASE("K14_without_pass_callbacks_continue_gets_the_config_value") {
  g_asked.clear();
  ReplayScene scene({ROCPROFILER_KERNEL_REPLAY_CONFIG});
  scene.self().on_callback = [](Record record, Payload& payload, rocprofiler_user_data_t* user) {
    if (!is(record, kConfig, kEnter)) return;
    user->value = 77;
    payload.replay_pass_count = passes<3>;
    payload.replay_continue = until<1>;
  };
  CHECK(drive(scene.registry).executions == 2);
  CHECK(g_asked == std::vector<Asked>{{7, 0, 3, 77}, {7, 1, 3, 77}});
}

TEST_CASE("K16_state_behind_a_pointer_works_under_every_reading") {
  struct State {
    int passes = 0;
  } state;
  PlanScene scene(passes<0>,
                  [](rocprofiler_kernel_dispatch_info_t, uint64_t, uint64_t, rocprofiler_user_data_t user) {
                    return static_cast<State*>(user.ptr)->passes < 4 ? 1 : 0;
                  });
  scene.also([&](Record record, Payload&, rocprofiler_user_data_t* user) {
    if (is(record, kConfig, kEnter)) user->ptr = &state;
    if (is(record, kPass, kEnter)) ++static_cast<State*>(user->ptr)->passes;
    if (is(record, kConfig, kExit)) CHECK(user->ptr == &state);
  });
  CHECK(drive(scene.registry).executions == 4);
}

TEST_CASE("K10_zero_passes_without_continue_warns_and_runs_once") {
  PlanScene scene(passes<0>, nullptr);
  for (int i = 0; i < 3; ++i) CHECK(drive(scene.registry).executions == 1);
  CHECK(scene.registry.replay_subscription()->warned_endless.load());
}

TEST_CASE("K17_toggles_act_only_inside_pass_enter_on_that_thread") {
  PlanScene scene(passes<2>, nullptr);
  rocprofiler_kernel_replay_context_cb_t start = nullptr, stop = nullptr;
  std::vector<int> inside, after;
  scene.also([&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, kPass, kEnter)) {
      start = payload.replay_start_context;
      stop = payload.replay_stop_context;
      inside.push_back(stop(scene.self().context));
      inside.push_back(start(scene.self().context));
      std::thread([&] { inside.push_back(stop(scene.self().context)); }).join();
    } else if (stop != nullptr) {
      after.push_back(stop(scene.self().context));
      after.push_back(start(scene.self().context));
    }
  });
  drive(scene.registry);
  CHECK(inside == std::vector<int>{0, 0, 9, 0, 0, 9});
  CHECK(after == std::vector<int>{9, 9, 9, 9, 9, 9});
  CHECK(stop(scene.self().context) == ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR);
}

namespace {

/// Three contexts: [0] carries the replay, [1] is started, [2] is not.
class ContextsScene : public Scene {
 public:
  ContextsScene() : Scene({configure<0>}) {
    tools[0].on_initialize = [this](auto) {
      subscribe(tools[0]);
      for (auto* context : {&running, &idle}) REQUIRE(rocprofiler_create_context(context) == 0);
      REQUIRE(rocprofiler_start_context(running) == 0);
    };
    registry.start();
  }
  const Context& of(rocprofiler_context_id_t id) { return *registry.find_context(id); }
  rocprofiler_context_id_t running = {0}, idle = {0};
};

}  // namespace

TEST_CASE("K18_a_context_that_was_not_active_when_the_loop_began_is_refused") {
  ContextsScene scene;
  std::vector<int> answers;
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, kConfig, kEnter)) payload.replay_pass_count = passes<2>;
    if (!is(record, kPass, kEnter)) return;
    answers.push_back(payload.replay_start_context(scene.idle));
    answers.push_back(payload.replay_stop_context(scene.idle));
    answers.push_back(payload.replay_stop_context(scene.running));
    answers.push_back(payload.replay_stop_context({12345}));
    rocprofiler_start_context(scene.idle);  // too late for this loop
  };
  ReplayCall call = make_call();
  drive(*scene.registry.replay_tool(), call);
  CHECK(answers == std::vector<int>{11, 11, 0, 2, 11, 11, 0, 2});
  CHECK_FALSE(enabled_in_loop(call, scene.of(scene.idle)));
}

TEST_CASE("K19_overrides_stick_for_the_loop_and_are_forgotten_after_it") {
  ContextsScene scene;
  std::vector<bool> enabled, globally;
  ReplayCall* now = nullptr;
  const auto note = [&] {
    enabled.push_back(enabled_in_loop(*now, scene.of(scene.running)));
    int active = 0;
    rocprofiler_context_is_active(scene.running, &active);
    globally.push_back(active == 1);
  };
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, kConfig, kEnter)) payload.replay_pass_count = passes<4>;
    if (is(record, kPass, kEnter) && payload.current_pass == 1) payload.replay_stop_context(scene.running);
    if (is(record, kPass, kExit)) note();
  };
  ReplayCall first = make_call(1);
  now = &first;
  drive(*scene.registry.replay_tool(), first);
  CHECK(enabled == std::vector<bool>{true, false, false, false});
  CHECK(globally == std::vector<bool>{true, true, true, true});

  enabled.clear();
  ReplayCall second = make_call(2);
  now = &second;
  drive(*scene.registry.replay_tool(), second);
  CHECK(enabled.front());
}

TEST_CASE("K20_a_local_start_only_undoes_a_local_stop") {
  ContextsScene scene;
  std::vector<bool> enabled;
  ReplayCall call = make_call();
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, kConfig, kEnter)) payload.replay_pass_count = passes<3>;
    if (is(record, kPass, kEnter)) {
      if (payload.current_pass == 0) payload.replay_start_context(scene.idle);
      if (payload.current_pass == 1) payload.replay_stop_context(scene.running);
      if (payload.current_pass == 2) payload.replay_start_context(scene.running);
    }
    if (is(record, kPass, kExit)) {
      enabled.push_back(enabled_in_loop(call, scene.of(scene.running)));
      enabled.push_back(enabled_in_loop(call, scene.of(scene.idle)));
    }
  };
  drive(*scene.registry.replay_tool(), call);
  CHECK(enabled == std::vector<bool>{true, false, false, false, true, false});
}

TEST_CASE("K19_a_nested_loop_of_another_agent_has_toggles_of_its_own") {
  ContextsScene scene;
  ReplayCall outer = make_call(1), inner = make_call(2);
  bool inner_stopped = false;
  int after_inner = -1;
  scene.tools[0].on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, kConfig, kEnter)) payload.replay_pass_count = passes<2>;
    if (!is(record, kPass, kEnter) || payload.current_pass != 0) return;
    if (payload.dispatch_info.dispatch_id == 2) {
      payload.replay_stop_context(scene.running);
    } else {
      const auto stop = payload.replay_stop_context;
      drive(*scene.registry.replay_tool(), inner);
      inner_stopped = !enabled_in_loop(inner, scene.of(scene.running));
      CHECK(enabled_in_loop(outer, scene.of(scene.running)));
      after_inner = stop(scene.running);
    }
  };
  drive(*scene.registry.replay_tool(), outer);
  CHECK(inner_stopped);
  CHECK(after_inner == ROCPROFILER_STATUS_SUCCESS);
  CHECK_FALSE(enabled_in_loop(outer, scene.of(scene.running)));
}

TEST_CASE("C60_a_tool_that_throws_stops_its_replay_and_nothing_else") {
  struct Row {
    int operation, phase;
    uint64_t executions;
  };
  // CONFIG ENTER: no plan. PASS ENTER and EXIT: the pass has run, no further one.
  for (const Row row :
       {Row{kConfig, kEnter, 1}, Row{kPass, kEnter, 1}, Row{kPass, kExit, 1}, Row{kConfig, kExit, 3}}) {
    PlanScene scene(passes<3>, nullptr);
    scene.also([row](Record record, Payload&, rocprofiler_user_data_t*) {
      if (is(record, row.operation, row.phase)) throw std::runtime_error("tool");
    });
    INFO("operation " << row.operation << " phase " << row.phase);
    CHECK(drive(scene.registry).executions == row.executions);
    CHECK(scene.self().seen.back().op() == kConfig);
    CHECK_FALSE(scene.self().seen.back().enter());
    CHECK(scene.registry.replay_subscription()->warned_throw.load());
    // Nothing is left behind: the tool can be finalised at once.
    scene.registry.finalize();
    CHECK(scene.events.back() == "finalize 0");
  }
}

TEST_CASE("C60_throwing_pass_count_and_continue") {
  {
    PlanScene scene([](rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) -> uint64_t { throw 1; },
                    nullptr);
    CHECK(drive(scene.registry).executions == 1);
    CHECK(scene.self().seen.size() == 2);
  }
  {
    PlanScene scene(passes<0>,
                    [](rocprofiler_kernel_dispatch_info_t, uint64_t, uint64_t,
                       rocprofiler_user_data_t) -> int { throw 1; });
    CHECK(drive(scene.registry).executions == 1);
    CHECK(scene.self().seen.size() == 4);
  }
}

TEST_CASE("K05_many_threads_replay_at_once") {
  PlanScene scene([](rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) -> uint64_t { return 3; },
                  nullptr);
  std::vector<std::thread> threads;
  threads.reserve(6);
  std::atomic<uint64_t> executions{0};
  // Events are not for many threads; the window is driven here without them.
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 200; ++i) {
        ReplayCall call = make_call(static_cast<uint64_t>(t) * 1000 + i + 1);
        ReplayTool& tool = *scene.registry.replay_tool();
        if (!tool.wants(call)) continue;
        const PassPlan plan = tool.config_enter(call);
        for (uint64_t pass = 0; pass < plan.passes; ++pass) {
          tool.pass_enter(call, pass);
          ++executions;
          tool.pass_exit(call, pass);
          if (pass + 1 < plan.passes && !tool.continue_after(call, pass)) break;
        }
        tool.config_exit(call);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(executions == 6u * 200u * 3u);
  CHECK(scene.self().seen.size() == 6u * 200u * 8u);
}
