// Statements S01 to S05 and S07 on the whole stack: an HSA program, libkreplay, a tool with services.
#include <catch2/catch.hpp>
#include <map>

#include "support/stack/stage.hpp"

using namespace stack;

namespace {

using DispatchPayload = rocprofiler_callback_tracing_kernel_dispatch_data_t;
using DispatchRecord = rocprofiler_buffer_tracing_kernel_dispatch_record_t;

struct Traced {
  Record record = {};
  DispatchPayload payload = {};
  std::thread::id thread;
};

/// Follows dispatches while it lives.
class Tracing {
 public:
  explicit Tracing(Tool& tool) : tool_(tool) {
    REQUIRE(tool.configured == std::vector<int>(5, ROCPROFILER_STATUS_SUCCESS));
    tool.on_service = [this](Record record, rocprofiler_user_data_t*) {
      const std::lock_guard lock(mutex_);
      seen_.push_back({record, *static_cast<DispatchPayload*>(record.payload), std::this_thread::get_id()});
    };
    tool.on_buffer = [this](rocprofiler_record_header_t** headers, size_t n, uint64_t dropped) {
      const std::lock_guard lock(mutex_);
      for (size_t i = 0; i < n; ++i) records_.push_back(*static_cast<DispatchRecord*>(headers[i]->payload));
      dropped_ = dropped;
    };
    REQUIRE(tool.start_context(tool.tracing) == ROCPROFILER_STATUS_SUCCESS);
    REQUIRE(tool.start_context(tool.buffered) == ROCPROFILER_STATUS_SUCCESS);
  }
  ~Tracing() {
    tool_.stop_context(tool_.tracing);
    tool_.stop_context(tool_.buffered);
    tool_.flush_buffer(tool_.buffer);
    tool_.on_service = nullptr;
    tool_.on_buffer = nullptr;
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  /// All of kernels that have ended for the application.
  std::vector<Traced> seen() {
    REQUIRE(tool_.flush_buffer(tool_.buffer) == ROCPROFILER_STATUS_SUCCESS);  // waits for callbacks, too
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::vector<DispatchRecord> records() {
    REQUIRE(tool_.flush_buffer(tool_.buffer) == ROCPROFILER_STATUS_SUCCESS);
    const std::lock_guard lock(mutex_);
    CHECK(dropped_ == 0);
    return records_;
  }

 private:
  Tool& tool_;
  std::mutex mutex_;
  std::vector<Traced> seen_;
  std::vector<DispatchRecord> records_;
  uint64_t dropped_ = 0;
};

bool is_complete(const Traced& traced) {
  return traced.record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
}

}  // namespace

TEST_CASE("S01_a_dispatch_that_is_not_replayed_is_traced_on_the_application_s_thread_and_with_times") {
  Stage stage;
  Tracing tracing(stage.tool);
  stage.dispatch();
  const auto seen = tracing.seen();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].thread == std::this_thread::get_id());
  CHECK(seen[1].thread == std::this_thread::get_id());
  CHECK(seen[2].thread != std::this_thread::get_id());
  CHECK(seen[0].record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER);
  CHECK(seen[1].record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT);
  REQUIRE(is_complete(seen[2]));
  CHECK(seen[2].payload.start_timestamp > 0);
  CHECK(seen[2].payload.end_timestamp >= seen[2].payload.start_timestamp);
  CHECK(stage.executions() == 1);
  CHECK(stage.result() == 1);
  const auto config = stage.tool.take_seen();  // CONFIG of the replay tool has the same ids
  REQUIRE(config.size() == 2);
  CHECK(config[0].payload.dispatch_info.dispatch_id == seen[0].payload.dispatch_info.dispatch_id);
  CHECK(config[0].record.correlation_id.internal == seen[2].record.correlation_id.internal);
}

TEST_CASE("S02_passes_are_traced_one_by_one_inside_their_pass") {
  Stage stage;
  Tracing tracing(stage.tool);
  std::vector<size_t> at_exit;
  stage.plan(passes<3>, nullptr, [&](Record record, Payload&, rocprofiler_user_data_t*) {
    if (is(record, false, false)) at_exit.push_back(tracing.seen().size());
  });
  stage.dispatch();
  CHECK(at_exit == std::vector<size_t>{3, 6, 9});
  const auto seen = tracing.seen();
  REQUIRE(seen.size() == 9);
  std::vector<uint64_t> starts;
  for (const Traced& each : seen) {
    CHECK(each.payload.dispatch_info.dispatch_id == seen[0].payload.dispatch_info.dispatch_id);
    CHECK(each.record.correlation_id.internal == seen[0].record.correlation_id.internal);
    if (is_complete(each)) starts.push_back(each.payload.start_timestamp);
  }
  // The outcome record's own times, pass by pass.
  const auto written = stage.m.take_records();
  REQUIRE(written.size() == 1);
  const auto records = tracing.records();
  REQUIRE(records.size() == 3);
  CHECK(starts[0] < starts[1]);
  CHECK(starts[1] < starts[2]);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(records[i].start_timestamp == starts[i]);
    CHECK(records[i].dispatch_info.dispatch_id == seen[0].payload.dispatch_info.dispatch_id);
    CHECK(records[i].start_timestamp == written[0]["passes"][i][0].get<uint64_t>());
    CHECK(records[i].end_timestamp == written[0]["passes"][i][1].get<uint64_t>());
  }
  CHECK(stage.executions() == 3);
  CHECK(stage.result() == 1);
}

TEST_CASE("S03_a_context_stopped_for_the_loop_has_no_records_of_these_passes") {
  Stage stage;
  Tracing tracing(stage.tool);
  stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (!is(record, false, true)) return;
    if (payload.current_pass == 0) CHECK(payload.replay_stop_context(stage.tool.tracing) == 0);
    if (payload.current_pass == 1) CHECK(payload.replay_stop_context(stage.tool.buffered) == 0);
    if (payload.current_pass == 2) CHECK(payload.replay_start_context(stage.tool.tracing) == 0);
  });
  stage.dispatch();
  CHECK(tracing.seen().size() == 3);     // pass 2
  CHECK(tracing.records().size() == 1);  // pass 0
  stage.tool.on_callback = nullptr;
  stage.dispatch();  // nothing global has changed
  CHECK(tracing.seen().size() == 6);
  CHECK(tracing.records().size() == 2);
}

TEST_CASE("S04_dispatches_submitted_together_are_traced_once_each") {
  Stage stage;
  Tracing tracing(stage.tool);
  stage.plan(passes<3>);
  constexpr unsigned kBatch = 5;
  const hsa_signal_t done = e2e::make_signal(kBatch);
  uint64_t index = 0;
  for (unsigned i = 0; i < kBatch; ++i) {
    index = stage.m.queue->reserve();
    stage.m.queue->fill_dispatch(index, stage.count_passes, 64, 64, done, stage.executed, stage.launched);
    e2e::Queue::publish(stage.m.queue->slot(index), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
  }
  stage.m.queue->ring(index);
  e2e::wait_below(done, 1, "a batch");
  HSA_OK(hsa_signal_destroy(done));
  const auto records = tracing.records();
  CHECK(records.size() == kBatch);
  std::map<uint64_t, int> ids;
  for (const DispatchRecord& record : records) ++ids[record.dispatch_info.dispatch_id];
  CHECK(ids.size() == kBatch);
  CHECK(tracing.seen().size() == 3 * kBatch);
  CHECK(stage.executions() == kBatch);
  CHECK(stage.result() == kBatch);
  const auto written = stage.m.take_records();
  REQUIRE(written.size() == kBatch);
  for (const auto& record : written) {
    CHECK(record["outcome"] == "declined");
    CHECK(record["reason"] == "multi_packet");
  }
}

TEST_CASE("S05_eight_threads_lose_no_record_and_mix_no_ids") {
  Stage stage;
  Tracing tracing(stage.tool);
  constexpr unsigned kThreads = 8, kEach = 20;
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<e2e::Queue>> queues;
  for (unsigned t = 0; t < kThreads; ++t) queues.push_back(std::make_unique<e2e::Queue>(stage.m.agents));
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < kEach; ++i)
        stage.m.run_on(*queues[t], stage.count_passes, stage.executed, stage.m.device({0}));
    });
  for (std::thread& thread : threads) thread.join();
  const auto records = tracing.records();
  CHECK(records.size() == kThreads * kEach);
  std::map<uint64_t, std::map<uint64_t, int>> by_thread;  // dispatch ids
  for (const DispatchRecord& record : records) {
    CHECK(++by_thread[record.thread_id][record.dispatch_info.dispatch_id] == 1);
    CHECK(record.end_timestamp >= record.start_timestamp);
  }
  CHECK(by_thread.size() == kThreads);
  for (const auto& [thread, ids] : by_thread) CHECK(ids.size() == kEach);
  CHECK(tracing.seen().size() == 3 * kThreads * kEach);
  CHECK(stage.executions() == kThreads * kEach);
}

TEST_CASE("S07_the_program_s_kernels_are_told_with_the_id_that_dispatches_carry") {
  Stage stage;
  Tracing tracing(stage.tool);
  stage.dispatch();
  const auto seen = tracing.seen();
  REQUIRE(seen.size() == 3);
  std::vector<Tool::CodeEvent> events;
  {
    const std::lock_guard lock(stage.tool.mutex);
    events = stage.tool.code_events;
  }
  unsigned objects = 0, named = 0;
  for (const auto& event : events) {
    if (event.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
      ++objects;
      CHECK_FALSE(event.name.empty());
    } else if (event.name == "count_passes.kd") {
      ++named;
      CHECK(event.kernel_id == seen[0].payload.dispatch_info.kernel_id);
      CHECK(event.kernel_object == stage.count_passes.object);
      CHECK(event.kernarg_bytes == stage.count_passes.kernarg_bytes);
    }
  }
  CHECK(objects >= 1);
  CHECK(named == 1);
  // Another copy of the code object: its own id, gone again with the executable.
  const size_t before = events.size();
  { const e2e::CodeObject again(stage.m.agents); }
  const std::lock_guard lock(stage.tool.mutex);
  events.assign(stage.tool.code_events.begin() + static_cast<std::ptrdiff_t>(before),
                stage.tool.code_events.end());
  REQUIRE(events.size() % 2 == 0);
  const size_t half = events.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    CHECK(events[i].phase == ROCPROFILER_CALLBACK_PHASE_LOAD);
    CHECK(events[half + i].phase == ROCPROFILER_CALLBACK_PHASE_UNLOAD);
    CHECK(events[half + i].name == events[i].name);
    CHECK(events[half + i].code_object == events[0].code_object);
  }
  CHECK(events[half].operation == ROCPROFILER_CODE_OBJECT_LOAD);
}
