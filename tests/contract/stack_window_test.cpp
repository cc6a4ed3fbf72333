// Statements about identity, completion, the window and what is saved, on the whole stack.
#include "support/stack/stage.hpp"

using namespace stack;  // NOLINT(google-build-using-namespace): test code

namespace {

/// Does something in PASS EXIT of pass 0: the pass has run, the restore comes next.
Stage::Callback between_passes(const std::function<void()>& what) {
  return [what](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, false) && payload.current_pass == 0) what();
  };
}

struct Times {
  uint64_t start, end;
};

Times times_of(const e2e::Agents& agents, hsa_signal_t signal) {
  hsa_amd_profiling_dispatch_time_t time{};
  HSA_OK(hsa_amd_profiling_get_dispatch_time(agents.gpu, signal, &time));
  return {time.start, time.end};
}

}  // namespace

TEST_CASE("K23_one_dispatch_id_for_all_passes_and_one_step_of_the_counter_per_dispatch") {
  Stage stage;
  stage.plan(passes<4>);
  stage.dispatch();
  stage.plan(nullptr);  // opted out: reuses the reserved id as well
  stage.dispatch();
  const hsa_signal_t host = e2e::make_signal(1);
  const hsa_signal_t done = e2e::make_signal(1);
  stage.plan(passes<4>);
  stage.m.queue->barrier(HSA_PACKET_TYPE_BARRIER_AND, {host}, {});
  stage.m.queue->dispatch(stage.count_passes, 64, 64, done, stage.executed, stage.launched);  // declined
  hsa_signal_store_screlease(host, 0);
  e2e::wait_below(done, 1, "the declined dispatch");
  const auto seen = stage.tool.take_seen();
  REQUIRE(seen.size() == 10 + 2 + 2);
  const uint64_t first = seen[0].payload.dispatch_info.dispatch_id;
  for (size_t i = 0; i < seen.size(); ++i)
    CHECK(seen[i].payload.dispatch_info.dispatch_id == first + (i < 10 ? 0 : i < 12 ? 1 : 2));
  const auto records = stage.m.take_records();
  REQUIRE(records.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(records[i]["id"] == first + i);
  HSA_OK(hsa_signal_destroy(host));
  HSA_OK(hsa_signal_destroy(done));
}

TEST_CASE("K24_thread_and_correlation_ids_in_every_record") {
  Stage stage;
  rocprofiler_thread_id_t thread = 0;
  REQUIRE(stage.tool.get_thread_id(&thread) == ROCPROFILER_STATUS_SUCCESS);
  stage.plan(passes<2>, nullptr, between_passes([&] {
               stage.tool.push_external_correlation_id(stage.tool.context, thread, {777});
             }));
  stage.dispatch();
  const auto seen = stage.tool.take_seen();
  REQUIRE(seen.size() == 6);
  for (size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i].record.thread_id == thread);
    CHECK(seen[i].record.correlation_id.internal == seen[0].record.correlation_id.internal);
    CHECK(seen[i].record.correlation_id.ancestor == seen[0].record.correlation_id.ancestor);
    CHECK(seen[i].record.correlation_id.external.value == (i < 3 ? 0 : 777));  // asked again
  }
  CHECK(seen[0].record.correlation_id.internal != 0);
  rocprofiler_user_data_t popped;
  stage.tool.pop_external_correlation_id(stage.tool.context, thread, &popped);
  CHECK(popped.value == 777);
  const auto records = stage.m.take_records();
  REQUIRE(records.size() == 1);
  CHECK(records[0]["thread"] == thread);
  CHECK(records[0]["correlation"] == seen[0].record.correlation_id.internal);
}

TEST_CASE("K25_every_pass_has_its_own_times") {
  Stage stage;
  stage.plan(passes<5>);
  stage.dispatch();
  const auto records = stage.m.take_records();
  REQUIRE(records.size() == 1);
  const auto& times = records[0]["passes"];
  REQUIRE(times.size() == 5);
  for (size_t i = 0; i < times.size(); ++i) {
    CHECK(times[i][0].get<uint64_t>() != 0);
    CHECK(times[i][1].get<uint64_t>() > times[i][0].get<uint64_t>());
    if (i != 0) CHECK(times[i][0].get<uint64_t>() >= times[i - 1][1].get<uint64_t>());
  }
}

TEST_CASE("K26_the_application_sees_one_completion_after_config_exit_with_the_last_pass_s_times") {
  Stage stage;
  const hsa_signal_t done = e2e::make_signal(7);
  std::vector<hsa_signal_value_t> values;
  stage.plan(passes<4>, nullptr, [&](Record, Payload&, rocprofiler_user_data_t*) {
    values.push_back(hsa_signal_load_scacquire(done));
  });
  stage.m.queue->dispatch(stage.count_passes, 64, 64, done, stage.executed, stage.launched);
  e2e::wait_below(done, 7, "the dispatch");
  CHECK(values ==
        std::vector<hsa_signal_value_t>(10, 7));  // held back in every callback, CONFIG EXIT included
  stage.m.queue->drain();
  CHECK(hsa_signal_load_scacquire(done) == 6);
  const auto records = stage.m.take_records();
  const Times times = times_of(stage.m.agents, done);
  bool found = false;
  for (const auto& record : records) {
    if (record["outcome"] != "replayed") continue;
    found = true;
    // Both went through the runtime's conversion of device ticks, which is kept up to date over time.
    CHECK(record["passes"].size() == 4);
    CHECK(times.end - times.start > 0);
    CHECK(times.start >= record["passes"][2][1].get<uint64_t>());
  }
  CHECK(found);
  SECTION("with no signal in the packet nothing is fired, and the kernel ran once") {
    stage.m.queue->dispatch(stage.count_passes, 64, 64, hsa_signal_t{}, stage.executed, stage.launched);
    stage.m.queue->drain();
    CHECK(stage.executions() == 8);
    CHECK(hsa_signal_load_scacquire(done) == 6);
    CHECK(stage.result() == 2);
  }
  HSA_OK(hsa_signal_destroy(done));
}

TEST_CASE("K27_memory_holds_the_last_executed_pass_also_after_an_early_end") {
  Stage stage;
  // The pass number reaches the result through host memory, which is not put back.
  g_continue = [](uint64_t pass, uint64_t, rocprofiler_user_data_t) { return pass < 2 ? 1 : 0; };
  const e2e::Kernel add_up = stage.m.kernel("add_up");
  unsigned* sum = stage.m.device({1000});
  stage.plan(passes<6>, asked, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true))
      __atomic_store_n(stage.executed, static_cast<unsigned>(payload.current_pass) + 5, __ATOMIC_RELEASE);
  });
  stage.m.run(add_up, stage.executed, 1u, sum);
  CHECK(stage.m.value(sum) == 1000 + 2 + 5);
  HSA_OK(hsa_amd_memory_pool_free(sum));
}

TEST_CASE("K29_ordinary_dispatches_wait_for_the_window_and_are_never_rolled_back") {
  Stage stage;
  e2e::Queue other(stage.m.agents);
  unsigned* plain = stage.m.device({0});
  unsigned* executed = stage.m.host(1);
  std::atomic<bool> submitting{false};
  std::atomic<bool> submitted{false};
  std::thread thread;
  bool early = false;
  unsigned early_runs = 0;
  stage.tool.on_callback = [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (payload.dispatch_info.kernel_id == 0) return;
    if (is(record, true, true) && !submitting.load()) payload.replay_pass_count = passes<4>;
    if (is(record, false, true) && payload.current_pass == 0) {
      thread = std::thread([&] {
        submitting = true;
        stage.m.run_on(other, stage.count_passes, executed, plain);
        submitted = true;
      });
      while (!submitting.load()) std::this_thread::yield();
    }
    if (is(record, false, false) && payload.current_pass == 3) {
      early = submitted.load();
      early_runs = __atomic_load_n(executed, __ATOMIC_ACQUIRE);
    }
  };
  stage.dispatch();
  thread.join();
  CHECK_FALSE(early);
  CHECK(early_runs == 0);
  CHECK(stage.m.value(plain) == 1);
  CHECK(stage.result() == 1);
  HSA_OK(hsa_amd_memory_pool_free(plain));
  HSA_OK(hsa_amd_memory_pool_free(executed));
}

TEST_CASE("K31_asynchronous_copies_are_fenced_here") {
  Stage stage;
  const size_t count = 4096;
  unsigned* target = stage.m.device(std::vector<unsigned>(count, 1));
  unsigned* source = stage.m.host(count);
  for (size_t i = 0; i < count; ++i) source[i] = static_cast<unsigned>(i) + 77;
  const hsa_signal_t copied = e2e::make_signal(1);
  std::atomic<bool> calling{false};
  std::thread thread;
  stage.plan(passes<3>, nullptr, between_passes([&] {
               thread = std::thread([&] {
                 calling = true;
                 HSA_OK(hsa_amd_memory_async_copy(target, stage.m.agents.gpu, source, stage.m.agents.cpu,
                                                  count * sizeof(unsigned), 0, nullptr, copied));
               });
               while (!calling.load()) std::this_thread::yield();
             }));
  stage.dispatch();
  thread.join();
  e2e::wait_below(copied, 1, "the copy");
  CHECK(e2e::from_device(stage.m.agents, target, count) == std::vector<unsigned>(source, source + count));
  CHECK(stage.result() == 1);
  HSA_OK(hsa_signal_destroy(copied));
  HSA_OK(hsa_amd_memory_pool_free(target));
  HSA_OK(hsa_amd_memory_pool_free(source));
}

TEST_CASE("K32_whole_regions_come_back_before_each_further_pass") {
  Stage stage;
  const unsigned count = 100'000;
  const e2e::Kernel in_place = stage.m.kernel("in_place");
  auto x = e2e::random_values<unsigned>(count, 11);
  const auto y = e2e::random_values<unsigned>(count, 12);
  unsigned* dev_x = stage.m.device(x);
  unsigned* dev_y = stage.m.device(y);
  unsigned intact = 0;
  stage.plan(passes<3>, nullptr, [&](Record record, Payload&, rocprofiler_user_data_t*) {
    if (is(record, false, true)) intact += e2e::from_device(stage.m.agents, dev_x, count) == x ? 1 : 0;
  });
  const hsa_signal_t done = e2e::make_signal(1);
  stage.m.queue->dispatch(in_place, count, 64, done, dev_x, dev_y, count);
  e2e::wait_below(done, 1, "in_place");
  CHECK(intact == 3);
  e2e::in_place_host(x, y);
  CHECK(e2e::from_device(stage.m.agents, dev_x, count) == x);
  const auto records = stage.m.take_records();
  REQUIRE_FALSE(records.empty());
  const auto& record = records.back();
  CHECK(record["bytes_saved"].get<uint64_t>() >= 2 * count * sizeof(unsigned));
  CHECK(record["bytes_restored"].get<uint64_t>() == 2 * record["bytes_saved"].get<uint64_t>());
  HSA_OK(hsa_signal_destroy(done));
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
}

TEST_CASE("K33_memory_freed_in_the_window_is_not_written_by_a_restore") {
  Stage stage;
  // Freed and allocated again by another thread while the snapshot is held: the new owner's bytes stay.
  const size_t count = 1 << 16;
  unsigned* old = stage.m.device(std::vector<unsigned>(count, 1));
  unsigned* fresh = nullptr;
  std::thread thread;
  stage.plan(
      passes<3>, nullptr, between_passes([&] {
        std::thread([&] { HSA_OK(hsa_amd_memory_pool_free(old)); }).join();  // never waits for the window
        thread = std::thread([&] {
          fresh = e2e::allocate<unsigned>(stage.m.agents, stage.m.agents.device, count);
          const std::vector<unsigned> values(count, 0x5a5a5a5a);
          e2e::copy(stage.m.agents, fresh, values.data(), count * sizeof(unsigned));
        });
      }));
  stage.dispatch();
  thread.join();
  CHECK(e2e::from_device(stage.m.agents, fresh, count) == std::vector<unsigned>(count, 0x5a5a5a5a));
  CHECK(stage.result() == 1);
  HSA_OK(hsa_amd_memory_pool_free(fresh));
}

TEST_CASE("K34_memory_of_every_allocation_call_and_module_variables_are_put_back") {
  Stage stage;
  stage.plan(passes<3>);
  SECTION("a region allocation") {
    std::vector<hsa_region_t> regions;
    HSA_OK(hsa_agent_iterate_regions(
        stage.m.agents.gpu,
        [](hsa_region_t each, void* data) {
          hsa_region_segment_t segment{};
          uint32_t flags = 0;
          bool allocates = false;
          HSA_OK(hsa_region_get_info(each, HSA_REGION_INFO_SEGMENT, &segment));
          if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
          HSA_OK(hsa_region_get_info(each, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
          HSA_OK(hsa_region_get_info(each, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allocates));
          if (allocates && (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED) != 0)
            static_cast<std::vector<hsa_region_t>*>(data)->push_back(each);
          return HSA_STATUS_SUCCESS;
        },
        &regions));
    // The list repeats the CPU's regions; the GPU's own is told by who owns what comes from it.
    void* memory = nullptr;
    for (const hsa_region_t region : regions) {
      HSA_OK(hsa_memory_allocate(region, 4096, &memory));
      hsa_amd_pointer_info_t info{};
      info.size = sizeof info;
      HSA_OK(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
      if (info.agentOwner.handle == stage.m.agents.gpu.handle) break;
      HSA_OK(hsa_memory_free(memory));
      memory = nullptr;
    }
    REQUIRE(memory != nullptr);
    auto* x = static_cast<unsigned*>(memory);
    const unsigned zero = 0;
    e2e::copy(stage.m.agents, x, &zero, sizeof zero);
    stage.m.run(stage.count_passes, stage.executed, x);
    CHECK(stage.executions() == 3);
    CHECK(stage.m.value(x) == 1);
    HSA_OK(hsa_memory_free(memory));
  }
  SECTION("a module variable") {
    auto* counter = static_cast<unsigned*>(stage.m.code->variable("counter"));
    const unsigned before = stage.m.value(counter);
    stage.m.run(stage.m.kernel("count_up"), 5u);
    CHECK(stage.m.value(counter) == before + 64 * 5);
    const auto records = stage.m.take_records();
    REQUIRE(records.size() == 1);
    CHECK(records[0]["passes_run"] == 3);
  }
}
