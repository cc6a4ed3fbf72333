// C30: callbacks of the tool that throw, launch, allocate, free, or ask for a nested replay. The
// application's data is right and one completion comes, whatever the tool does.
#include <map>
#include <stdexcept>

#include "support/stack/stage.hpp"

using namespace stack;  // NOLINT(google-build-using-namespace): test code

namespace {

struct Moment {
  const char* name;
  bool config, enter;
  uint64_t pass;
};
const Moment kMoments[] = {{"CONFIG enter", true, true, 0},  {"PASS enter 0", false, true, 0},
                           {"PASS exit 0", false, false, 0}, {"PASS enter 1", false, true, 1},
                           {"PASS exit 1", false, false, 1}, {"CONFIG exit", true, false, 0}};

/// Runs `what` once, at this moment of the next dispatch.
Stage::Callback once_at(const Moment& moment, const std::function<void()>& what) {
  auto done = std::make_shared<bool>(false);
  return [=](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (*done || !is(record, moment.config, moment.enter) || payload.current_pass != moment.pass) return;
    *done = true;
    what();
  };
}

/// After whatever happened, the next dispatch is replayed as if nothing had.
void check_next(Stage& stage, unsigned launches_before) {
  const unsigned executions = stage.executions();
  stage.plan(passes<3>);
  stage.dispatch();
  CHECK(stage.executions() == executions + 3);
  CHECK(stage.result() == launches_before + 1);
}

}  // namespace

TEST_CASE("C30_a_callback_throws") {
  for (const Moment& moment : kMoments) {
    INFO(moment.name);
    Stage stage;
    stage.plan(passes<3>, nullptr, once_at(moment, [] { throw std::runtime_error("from a tool"); }));
    stage.dispatch();
    CHECK(stage.result() == 1);
    const auto seen = stage.tool.take_seen();
    REQUIRE(seen.size() >= 2);
    CHECK(seen.back().is(true, false));  // CONFIG EXIT comes, once
    CHECK(stage.m.take_records().size() == 1);
    check_next(stage, 1);
  }
}

TEST_CASE("C30_pass_count_and_continue_throw") {
  Stage stage;
  stage.plan([](rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) -> uint64_t { throw 1; });
  stage.dispatch();
  CHECK(stage.executions() == 1);
  CHECK(stage.result() == 1);
  stage.plan(passes<0>,
             [](rocprofiler_kernel_dispatch_info_t, uint64_t, uint64_t, rocprofiler_user_data_t) -> int {
               throw 1;
             });
  stage.dispatch();
  CHECK(stage.executions() == 2);
  CHECK(stage.result() == 2);
  check_next(stage, 2);
}

TEST_CASE("C30_a_callback_launches_on_the_same_agent") {
  for (const bool same_queue : {true, false})
    for (const Moment& moment : kMoments) {
      INFO(moment.name << (same_queue ? ", same queue" : ", another queue"));
      Stage stage;
      e2e::Queue other(stage.m.agents);
      unsigned* nested_executed = stage.m.host(1);
      unsigned* nested = stage.m.device({0});
      const hsa_signal_t nested_done = e2e::make_signal(1);
      // The nested dispatch asks for a replay, too.
      stage.plan(passes<3>, nullptr, once_at(moment, [&] {
                   e2e::Queue& queue = same_queue ? *stage.m.queue : other;
                   queue.dispatch(stage.count_passes, 64, 64, nested_done, nested_executed, nested);
                   // On the queue of the dispatch itself it runs behind it; elsewhere it can be waited for,
                   // but where the window is open only.
                   if (!same_queue) e2e::wait_below(nested_done, 1, "the nested dispatch");
                 }));
      stage.dispatch();
      e2e::wait_below(nested_done, 1, "the nested dispatch");
      CHECK(hsa_signal_load_scacquire(nested_done) == 0);
      const auto records = stage.m.take_records();
      REQUIRE(records.size() == 2);
      const bool inside = !moment.config;
      unsigned declined = 0;
      for (const auto& record : records) {
        INFO(record.dump());
        if (inside) CHECK(record["reason"] == "reentrant");  // both: one is declined, one not trustworthy
        declined += record["outcome"] == "declined" ? 1 : 0;
      }
      if (inside) {
        CHECK(declined == 1);
        CHECK(__atomic_load_n(nested_executed, __ATOMIC_ACQUIRE) == 1);
      }
      CHECK(stage.result() == 1);
      // Inside the passes, what the nested dispatch wrote is put back with everything else by the next
      // restore.
      if (moment.config) CHECK(stage.m.value(nested) == 1);
      check_next(stage, 1);
      HSA_OK(hsa_signal_destroy(nested_done));
      HSA_OK(hsa_amd_memory_pool_free(nested));
      HSA_OK(hsa_amd_memory_pool_free(nested_executed));
    }
}

TEST_CASE("C30_a_callback_allocates_and_frees") {
  for (const Moment& moment : kMoments) {
    INFO(moment.name);
    Stage stage;
    unsigned* fresh = nullptr;
    unsigned* old = stage.m.device(std::vector<unsigned>(5000, 3));
    stage.plan(passes<3>, nullptr, once_at(moment, [&] {
                 HSA_OK(hsa_amd_memory_pool_free(old));
                 fresh = stage.m.device(std::vector<unsigned>(5000, 42));
               }));
    stage.dispatch();
    CHECK(stage.result() == 1);
    REQUIRE(fresh != nullptr);
    CHECK(e2e::from_device(stage.m.agents, fresh, 5000) == std::vector<unsigned>(5000, 42));
    check_next(stage, 1);
    CHECK(e2e::from_device(stage.m.agents, fresh, 5000) == std::vector<unsigned>(5000, 42));
    HSA_OK(hsa_amd_memory_pool_free(fresh));
  }
}

TEST_CASE("C30_a_callback_makes_and_destroys_queues_and_signals") {
  for (const Moment& moment : kMoments) {
    INFO(moment.name);
    Stage stage;
    auto victim = std::make_unique<e2e::Queue>(stage.m.agents);
    stage.m.run_on(*victim, stage.count_passes, stage.executed, stage.launched);
    stage.plan(passes<3>, nullptr, once_at(moment, [&] {
                 victim.reset();
                 victim = std::make_unique<e2e::Queue>(stage.m.agents);
                 const hsa_signal_t signal = e2e::make_signal(1);
                 HSA_OK(hsa_signal_destroy(signal));
               }));
    stage.dispatch();
    CHECK(stage.result() == 2);
    stage.m.run_on(*victim, stage.count_passes, stage.executed, stage.launched);
    CHECK(stage.result() == 3);
    check_next(stage, 3);
  }
}

TEST_CASE("C30_a_callback_loads_and_unloads_code") {
  for (const Moment& moment : kMoments) {
    INFO(moment.name);
    Stage stage;
    auto victim = std::make_unique<e2e::CodeObject>(stage.m.agents);
    std::unique_ptr<e2e::CodeObject> fresh;
    stage.plan(passes<3>, nullptr, once_at(moment, [&] {
                 victim.reset();
                 fresh = std::make_unique<e2e::CodeObject>(stage.m.agents);
               }));
    stage.dispatch();
    CHECK(stage.result() == 1);
    REQUIRE(fresh != nullptr);
    stage.m.run(fresh->kernel("count_up"), 1u);
    CHECK(stage.m.value(static_cast<unsigned*>(fresh->variable("counter"))) == 64);
    check_next(stage, 1);
  }
}

TEST_CASE("C30_a_callback_stops_and_starts_the_context") {
  for (const Moment& moment : kMoments) {
    INFO(moment.name);
    Stage stage;
    stage.plan(passes<3>, nullptr, once_at(moment, [&] {
                 CHECK(stage.tool.stop_context(stage.tool.context) == ROCPROFILER_STATUS_SUCCESS);
               }));
    stage.dispatch();
    CHECK(stage.result() == 1);
    CHECK(stage.tool.take_seen().back().is(true, false));  // what began is ended
    const unsigned executions = stage.executions();
    stage.dispatch();  // stopped: runs once
    CHECK(stage.executions() == executions + 1);
    REQUIRE(stage.tool.start_context(stage.tool.context) == ROCPROFILER_STATUS_SUCCESS);
    check_next(stage, 2);
  }
}

TEST_CASE("C30_initialize_waits_for_a_thread_that_uses_the_runtime") {
  Stage stage;  // comes up: the thread's call was not kept waiting for ever
  CHECK(stage.tool.called_in_initialize);
  check_next(stage, 0);
}

TEST_CASE("queue_error_in_pass_k") {
  // The kernel traps once the tool has set a flag before pass k.
  for (const unsigned k : {0u, 1u, 2u}) {
    INFO("pass " << k);
    Stage stage;
    struct Error {
      std::atomic<int> calls{0};
      std::atomic<hsa_queue_t*> source{nullptr};
    } error;
    auto queue = std::make_unique<e2e::Queue>(
        stage.m.agents, 256, HSA_QUEUE_TYPE_MULTI,
        [](hsa_status_t, hsa_queue_t* source, void* data) {
          static_cast<Error*>(data)->source = source;
          static_cast<Error*>(data)->calls.fetch_add(1);
        },
        &error);
    unsigned* flag = stage.m.host(1);
    stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (is(record, false, true) && payload.current_pass == k) __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
    });
    const hsa_signal_t done = e2e::make_signal(1);
    queue->dispatch(stage.m.kernel("trap_when"), 64, 64, done, flag, stage.launched);  // comes back
    for (int i = 0; i < 60'000 && error.calls == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(error.calls == 1);
    CHECK(error.source == queue->get());
    // What is submitted afterwards reaches the dead queue as without us; nothing is tried with it.
    queue->dispatch(stage.count_passes, 64, 64, {0}, stage.executed, stage.launched);
    const auto records = stage.m.take_records();
    REQUIRE(records.size() == 2);
    CHECK(records[0]["outcome"] == "stopped");
    CHECK(records[0]["reason"] == "queue_error");
    CHECK(records[0]["passes_run"] == k);
    const auto detail = records[0]["detail"].get<std::string>();
    INFO(detail);
    CHECK(detail.find("in pass " + std::to_string(k) + " queue ") != std::string::npos);
    CHECK(detail.find("HSA_STATUS_ERROR_") != std::string::npos);
    CHECK(records[1]["outcome"] == "declined");
    CHECK(records[1]["reason"] == "queue_error");
    CHECK(hsa_signal_load_scacquire(done) == 1);  // completes for nobody, as without us
    CHECK(error.calls == 1);
    // The other queue goes on; the application sees what the failed pass left.
    CHECK(stage.result() == 1);
    stage.dispatch();
    CHECK(stage.result() == 2);
  }
}

TEST_CASE("C27_pass_k_never_ends_is_handed_over") {
  Stage stage;
  unsigned* flag = stage.m.host(1);
  *flag = 1;
  stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true) && payload.current_pass == 1) __atomic_store_n(flag, 0u, __ATOMIC_RELEASE);
  });
  const hsa_signal_t done = e2e::make_signal(1);
  stage.m.queue->dispatch(stage.m.kernel("wait_for_host"), 64, 64, done, flag, stage.launched);  // comes back
  CHECK(hsa_signal_load_scacquire(done) == 1);
  const auto records = stage.m.take_records();
  REQUIRE(records.size() == 1);
  CHECK(records[0]["outcome"] == "stopped");
  CHECK(records[0]["reason"] == "pass_timeout");
  CHECK(records[0]["passes_run"] == 1);
  __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  e2e::wait_below(done, 1, "the handed over pass");
  CHECK(stage.result() == 1);
  stage.dispatch();
  CHECK(stage.result() == 2);
}
