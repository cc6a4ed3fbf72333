// Statements about callbacks, on the whole stack: who is called, when, on which thread, with what.
#include "support/stack/stage.hpp"

using namespace stack;  // NOLINT(google-build-using-namespace): test code

TEST_CASE("K02_second_subscription_is_refused_on_the_stack") {
  Stage stage;
  CHECK(stage.tool.second == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
}

TEST_CASE("K02a_K03_a_stopped_context_costs_no_callback_no_replay_and_no_record") {
  Stage stage;
  stage.plan(passes<3>);
  REQUIRE(stage.tool.stop_context(stage.tool.context) == ROCPROFILER_STATUS_SUCCESS);
  stage.dispatch();
  CHECK(stage.tool.take_seen().empty());
  CHECK(stage.executions() == 1);
  CHECK(stage.m.take_records().empty());
  REQUIRE(stage.tool.start_context(stage.tool.context) == ROCPROFILER_STATUS_SUCCESS);
  stage.dispatch();  // the next one already
  CHECK(stage.executions() == 1 + 3);
  CHECK(stage.tool.take_seen().size() == 8);
  CHECK(stage.result() == 2);
}

TEST_CASE("K04_config_for_every_candidate_replayed_opted_out_or_declined") {
  Stage stage;
  SECTION("opted out: ENTER and EXIT, nothing else") {
    stage.plan(nullptr);
    stage.dispatch();
    CHECK(Stage::names(stage.tool.take_seen()) == std::vector<std::string>{"CONFIG enter", "CONFIG exit"});
    const auto records = stage.m.take_records();
    REQUIRE(records.size() == 1);
    CHECK(records[0]["outcome"] == "opted_out");
  }
  SECTION("declined, as something ahead waits for the host") {
    stage.plan(passes<3>);
    const hsa_signal_t host = e2e::make_signal(1);
    stage.m.queue->barrier(HSA_PACKET_TYPE_BARRIER_AND, {host}, {});
    const hsa_signal_t done = e2e::make_signal(1);
    stage.m.queue->dispatch(stage.count_passes, 64, 64, done, stage.executed, stage.launched);
    CHECK(Stage::names(stage.tool.take_seen()) == std::vector<std::string>{"CONFIG enter", "CONFIG exit"});
    hsa_signal_store_screlease(host, 0);
    e2e::wait_below(done, 1, "the declined dispatch");
    CHECK(stage.executions() == 1);
    const auto records = stage.m.take_records();
    REQUIRE(records.size() == 1);
    CHECK(records[0]["outcome"] == "declined");
    CHECK(records[0]["reason"] == "dependency");
    HSA_OK(hsa_signal_destroy(host));
    HSA_OK(hsa_signal_destroy(done));
  }
  SECTION("several packets under one doorbell: no CONFIG at all, a record each") {
    stage.plan(passes<3>);
    const hsa_signal_t done = e2e::make_signal(2);
    e2e::Queue& queue = *stage.m.queue;
    const uint64_t first = queue.reserve();
    const uint64_t second = queue.reserve();
    for (const uint64_t slot : {first, second}) {
      queue.fill_dispatch(slot, stage.count_passes, 64, 64, done, stage.executed, stage.launched);
      e2e::Queue::publish(queue.slot(slot), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    }
    queue.ring(second);
    e2e::wait_below(done, 1, "both");
    CHECK(stage.tool.take_seen().empty());
    CHECK(stage.executions() == 2);
    const auto records = stage.m.take_records();
    REQUIRE(records.size() == 2);
    for (const auto& record : records) CHECK(record["reason"] == "multi_packet");
    HSA_OK(hsa_signal_destroy(done));
  }
  CHECK(stage.result() == stage.executions());
}

TEST_CASE("K05_callbacks_around_submit_and_completion_on_the_submitting_thread") {
  Stage stage;
  std::vector<unsigned> counts;  // executions so far, at every callback
  g_continue = [&](uint64_t, uint64_t, rocprofiler_user_data_t) {
    counts.push_back(stage.executions());
    return 1;
  };
  std::vector<std::thread::id> continue_threads;
  stage.plan(passes<3>, asked,
             [&](Record, Payload&, rocprofiler_user_data_t*) { counts.push_back(stage.executions()); });
  std::thread::id submitter;
  std::thread thread([&] {
    submitter = std::this_thread::get_id();
    stage.dispatch();
  });
  thread.join();
  const auto seen = stage.tool.take_seen();
  CHECK(Stage::names(seen) == std::vector<std::string>{"CONFIG enter", "PASS enter 0", "PASS exit 0",
                                                       "PASS enter 1", "PASS exit 1", "PASS enter 2",
                                                       "PASS exit 2", "CONFIG exit"});
  for (const Seen& s : seen) CHECK(s.thread == submitter);
  // config, {enter, exit, continue} twice, {enter, exit}, config: an ENTER precedes the pass, an EXIT follows
  // it.
  CHECK(counts == std::vector<unsigned>{0, 0, 1, 1, 1, 2, 2, 2, 3, 3});
}

TEST_CASE("K06_a_thread_local_of_pass_enter_belongs_to_that_pass") {
  static thread_local int current = -1;
  Stage stage;
  std::vector<int> at_continue;
  g_continue = [&](uint64_t, uint64_t, rocprofiler_user_data_t) {
    at_continue.push_back(current);
    return 1;
  };
  stage.plan(passes<3>, asked, [](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true)) current = static_cast<int>(payload.current_pass);
    if (is(record, false, false)) {
      CHECK(current == static_cast<int>(payload.current_pass));
      current = -1;
    }
  });
  stage.dispatch();
  CHECK(at_continue == std::vector<int>{-1, -1});
  CHECK(current == -1);
}

TEST_CASE("K07_K08_dispatch_info_describes_the_dispatch_and_is_the_same_in_all_callbacks") {
  Stage stage;
  stage.plan(passes<2>, nullptr, [](Record, Payload& payload, rocprofiler_user_data_t*) {
    payload.size = 3;  // K08: writes without effect
    payload.dispatch_info = {};
    payload.current_pass = 99;
    payload.total_passes = 99;
  });
  std::vector<uint64_t> gpus;
  REQUIRE(stage.tool.query_available_agents(
              ROCPROFILER_AGENT_INFO_VERSION_0,
              [](rocprofiler_agent_version_t, const void** agents, size_t count, void* data) {
                for (size_t i = 0; i < count; ++i) {
                  const auto* agent = static_cast<const rocprofiler_agent_t*>(agents[i]);
                  if (agent->type == ROCPROFILER_AGENT_TYPE_GPU)
                    static_cast<std::vector<uint64_t>*>(data)->push_back(agent->id.handle);
                }
                return ROCPROFILER_STATUS_SUCCESS;
              },
              sizeof(rocprofiler_agent_t), &gpus) == ROCPROFILER_STATUS_SUCCESS);
  REQUIRE_FALSE(gpus.empty());
  stage.dispatch();
  const auto seen = stage.tool.take_seen();
  REQUIRE(seen.size() == 6);
  CHECK(stage.executions() == 2);
  const auto& first = seen[0].payload.dispatch_info;
  CHECK(first.dispatch_id != 0);
  CHECK(first.kernel_id != 0);
  CHECK(first.queue_id.handle != 0);
  CHECK(first.agent_id.handle == gpus[0]);
  CHECK(first.workgroup_size.x == 64);
  CHECK(first.grid_size.x == 64);
  CHECK(first.grid_size.y == 1);
  for (const Seen& s : seen) {
    CHECK(s.payload.size == sizeof(Payload));
    CHECK(s.payload.dispatch_info.size == 72);
    CHECK(std::memcmp(&s.payload.dispatch_info, &first, sizeof first) == 0);
    CHECK(s.payload.total_passes == (s.config() ? 0 : 2));
  }
}

TEST_CASE("K09_K10_K13_pass_counts_as_executions_of_the_kernel") {
  struct Row {
    rocprofiler_kernel_replay_pass_count_cb_t count;
    int stop_after;  ///< replay_continue says stop after this pass; -1: not set; 1000: never
    unsigned executions;
    unsigned asked;
  };
  const Row rows[] = {
      {nullptr, -1, 1, 0},   {passes<1>, -1, 1, 0},   {passes<1>, 1000, 1, 0}, {passes<2>, -1, 2, 0},
      {passes<5>, -1, 5, 0}, {passes<5>, 1000, 5, 4}, {passes<5>, 0, 1, 1},    {passes<5>, 2, 3, 3},
      {passes<0>, 0, 1, 1},  {passes<0>, 3, 4, 4},    {passes<0>, -1, 1, 0},
  };
  for (const Row& row : rows) {
    Stage stage;
    INFO("row " << (&row - rows));
    unsigned times = 0;
    g_continue = [&](uint64_t pass, uint64_t total, rocprofiler_user_data_t) {
      CHECK(pass == times);
      CHECK(total == (row.count == passes<0> ? 0 : 5));
      ++times;
      return static_cast<int>(pass) < row.stop_after ? 1 : 0;
    };
    stage.plan(row.count, row.stop_after < 0 ? nullptr : asked);
    stage.dispatch();
    CHECK(stage.executions() == row.executions);
    CHECK(times == row.asked);
    CHECK(stage.result() == 1);
    const size_t pairs = row.executions == 1 && row.asked == 0 ? 0 : row.executions;
    CHECK(stage.tool.take_seen().size() == 2 + 2 * pairs);
  }
}

TEST_CASE("K11_continue_is_asked_after_pass_exit_and_before_the_restore") {
  Stage stage;
  std::vector<unsigned> at_continue, at_enter;
  g_continue = [&](uint64_t, uint64_t, rocprofiler_user_data_t) {
    at_continue.push_back(stage.result());
    return 1;
  };
  stage.plan(passes<3>, asked, [&](Record record, Payload&, rocprofiler_user_data_t*) {
    if (is(record, false, true)) at_enter.push_back(stage.result());
  });
  stage.dispatch();
  CHECK(at_continue == std::vector<unsigned>{1, 1});  // the pass's result is still there
  CHECK(at_enter == std::vector<unsigned>{0, 0, 0});  // every pass begins with what was saved
  CHECK(stage.result() == 1);
}

TEST_CASE("K12_continue_overwritten_in_pass_exit_counts_for_that_pass") {
  Stage stage;
  g_continue = [](uint64_t, uint64_t, rocprofiler_user_data_t) { return 0; };  // would stop after pass 0
  stage.plan(passes<4>, asked, [](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, false) && payload.current_pass == 0) payload.replay_continue = nullptr;  // go on
  });
  stage.dispatch();
  CHECK(stage.executions() == 2);  // pass 1 is decided by the CONFIG value again
  CHECK(stage.result() == 1);
}

TEST_CASE("K14_K15_K16_user_data_reaches_each_reader_as_the_table_says") {
  Stage stage;
  std::vector<uint64_t> at_continue;
  g_continue = [&](uint64_t, uint64_t, rocprofiler_user_data_t user) {
    at_continue.push_back(user.value);
    return 1;
  };
  stage.plan(passes<2>, asked, [](Record record, Payload&, rocprofiler_user_data_t* user) {
    if (is(record, true, true)) user->value = 100;
    if (is(record, false, true)) user->value += 1;
    if (is(record, false, false)) user->value += 10;
  });
  stage.dispatch();
  std::vector<uint64_t> on_entry;
  for (const Seen& s : stage.tool.take_seen()) on_entry.push_back(s.user.value);
  CHECK(on_entry == std::vector<uint64_t>{0, 100, 101, 100, 101, 100});
  CHECK(at_continue == std::vector<uint64_t>{111});  // what PASS EXIT left, not the CONFIG value
}

TEST_CASE("K17_K18_toggles_inside_pass_enter_and_kept_ones_later") {
  Stage stage;
  rocprofiler_kernel_replay_context_cb_t stop = nullptr;
  std::vector<int> inside, later;
  stage.plan(passes<2>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true)) {
      stop = payload.replay_stop_context;
      inside.push_back(stop(stage.tool.context));
      inside.push_back(payload.replay_start_context(stage.tool.context));
      inside.push_back(stop(stage.tool.idle));
    } else if (stop != nullptr) {
      later.push_back(stop(stage.tool.context));
    }
  });
  stage.dispatch();
  CHECK(inside == std::vector<int>{0, 0, 11, 0, 0, 11});
  CHECK(later == std::vector<int>{9, 9, 9});
  CHECK(stop(stage.tool.context) == ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR);
  CHECK(stage.executions() == 2);
}

TEST_CASE("K19_a_local_stop_changes_nothing_for_the_next_dispatch") {
  Stage stage;
  stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true) && payload.current_pass == 0) {
      CHECK(payload.replay_stop_context(stage.tool.context) == ROCPROFILER_STATUS_SUCCESS);
      int active = 0;
      stage.tool.context_is_active(stage.tool.context, &active);
      CHECK(active == 1);
    }
  });
  stage.dispatch();
  stage.dispatch();
  CHECK(stage.executions() == 6);
  CHECK(stage.tool.take_seen().size() == 16);
}

TEST_CASE("K20_a_local_start_does_not_undo_a_global_stop") {
  Stage stage;
  std::vector<int> local, active;
  const auto is_active = [&] {
    int value = -1;
    stage.tool.context_is_active(stage.tool.context, &value);
    return value;
  };
  stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (!is(record, false, true)) return;
    if (payload.current_pass == 0) {
      local.push_back(payload.replay_start_context(stage.tool.idle));  // globally stopped: nothing to undo
      local.push_back(payload.replay_stop_context(stage.tool.context));
      active.push_back(is_active());
    } else if (payload.current_pass == 1) {
      local.push_back(payload.replay_start_context(stage.tool.context));
      active.push_back(is_active());
    } else {
      stage.tool.stop_context(stage.tool.context);
      (void)payload.replay_start_context(stage.tool.context);
      active.push_back(is_active());
    }
  });
  stage.dispatch();
  CHECK(local == std::vector<int>{ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED, ROCPROFILER_STATUS_SUCCESS,
                                  ROCPROFILER_STATUS_SUCCESS});
  CHECK(active == std::vector<int>{1, 1, 0});
  CHECK(stage.executions() == 3);  // what had begun is ended
  (void)stage.tool.take_seen();
  stage.dispatch();  // stopped stays stopped
  CHECK(stage.tool.take_seen().empty());
  CHECK(stage.executions() == 4);
  int idle = -1;
  stage.tool.context_is_active(stage.tool.idle, &idle);
  CHECK(idle == 0);
  REQUIRE(stage.tool.start_context(stage.tool.context) == ROCPROFILER_STATUS_SUCCESS);
}

TEST_CASE("K21_a_service_that_is_not_here_cannot_be_configured_and_its_contexts_toggle_is_harmless") {
  Stage stage;
  CHECK(stage.tool.sampling == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
  REQUIRE(stage.tool.start_context(stage.tool.idle) == ROCPROFILER_STATUS_SUCCESS);
  std::vector<int> answers;
  stage.plan(passes<2>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true)) answers.push_back(payload.replay_stop_context(stage.tool.idle));
  });
  stage.dispatch();
  CHECK(answers == std::vector<int>{0, 0});
  CHECK(stage.executions() == 2);
  CHECK(stage.result() == 1);
  REQUIRE(stage.tool.stop_context(stage.tool.idle) == ROCPROFILER_STATUS_SUCCESS);
}

TEST_CASE("K22_a_callback_that_knows_only_the_first_168_bytes_works") {
  struct Older {
    uint64_t size;
    rocprofiler_kernel_dispatch_info_t dispatch_info;
    uint64_t current_pass;
    uint64_t total_passes;
    rocprofiler_kernel_replay_pass_count_cb_t replay_pass_count;
    rocprofiler_kernel_replay_continue_cb_t replay_continue;
  };
  STATIC_REQUIRE(sizeof(Older) == 168);
  Stage stage;
  std::vector<uint64_t> seen;
  stage.tool.on_callback = [&](Record record, Payload&, rocprofiler_user_data_t*) {
    auto* older = static_cast<Older*>(record.payload);
    if (is(record, true, true)) older->replay_pass_count = passes<2>;
    if (is(record, false, true)) {
      seen.push_back(older->current_pass);
      seen.push_back(older->total_passes);
    }
  };
  stage.dispatch();
  CHECK(seen == std::vector<uint64_t>{0, 2, 1, 2});
  CHECK(stage.executions() == 2);
  CHECK(stage.result() == 1);
}

TEST_CASE("K01_the_subscription_of_a_tool_library_echoes_its_kind_number") {
  Stage stage;
  CHECK(stage.tool.subscribed == ROCPROFILER_STATUS_SUCCESS);
  stage.plan(nullptr);
  stage.dispatch();
  const auto seen = stage.tool.take_seen();
  REQUIRE(seen.size() == 2);
  for (const Seen& each : seen) {
    CHECK(static_cast<int>(each.record.kind) == 25);
    CHECK(each.record.context_id.handle == stage.tool.context.handle);
  }
}

TEST_CASE("K28_an_extended_dispatch_is_a_candidate_whose_grid_counts_clusters") {
  // No packet processor of this GPU knows the format: the runtime's error comes, as without the library.
  Stage stage;
  std::atomic<int> errors{0};
  e2e::Queue queue(
      stage.m.agents, 256, HSA_QUEUE_TYPE_MULTI,
      [](hsa_status_t, hsa_queue_t*, void* data) { ++*static_cast<std::atomic<int>*>(data); }, &errors);
  stage.plan(nullptr);  // once
  struct Extended {
    uint16_t header;
    uint8_t format, setup;
    uint16_t workgroup[3], reserved;
    uint32_t clusters_x;
    uint16_t clusters_y, clusters_z;
    uint8_t cluster[3], hint;
    uint32_t private_bytes, group_bytes;
    uint64_t object, kernarg, dependency, completion;
  } packet = {};
  STATIC_REQUIRE(sizeof packet == 64);
  packet.workgroup[0] = 64;
  packet.workgroup[1] = packet.workgroup[2] = 1;
  packet.clusters_x = 7;
  packet.clusters_y = 3;
  packet.clusters_z = 1;
  packet.cluster[0] = 4;
  packet.cluster[1] = packet.cluster[2] = 2;
  packet.object = stage.count_passes.object;
  const uint64_t index = queue.reserve();
  std::memcpy(static_cast<char*>(queue.slot(index)) + 4, reinterpret_cast<const char*>(&packet) + 4, 60);
  constexpr uint16_t kFormatAndSetup = 3 | 3 << 8;
  e2e::Queue::publish(queue.slot(index), e2e::packet_header(HSA_PACKET_TYPE_VENDOR_SPECIFIC),
                      kFormatAndSetup);
  queue.ring(index);
  const auto seen = stage.tool.take_seen();
  REQUIRE(seen.size() == 2);
  const auto& info = seen[0].payload.dispatch_info;
  CHECK(info.workgroup_size.x == 64);
  CHECK(info.grid_size.x == 7 * 4 * 64);
  CHECK(info.grid_size.y == 3 * 2);
  CHECK(info.grid_size.z == 2);
  for (int i = 0; i < 60'000 && errors == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(errors == 1);
  CHECK(stage.executions() == 0);
  const auto records = stage.m.take_records();
  REQUIRE(records.size() == 1);
  CHECK(records[0]["outcome"] == "opted_out");
  stage.dispatch();  // the other queue goes on
  CHECK(stage.executions() == 1);
}
