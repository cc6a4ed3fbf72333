// Statements S09 and S10 on the whole stack: dispatch counting through aqlprofile (the stand-in or the real
// one, which is printed) and the software GPU's counters.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>

#include "support/stack/stage.hpp"

using namespace stack;

namespace {

unsigned compute_units() {
  const char* set = std::getenv("KREPLAY_SOFTGPU_CUS");
  return set == nullptr ? 8 : static_cast<unsigned>(std::atoi(set));
}
unsigned engines() { return (compute_units() + 15) / 16; }
/// Per engine of at most 16 units, one more than there are, 16 at the most.
unsigned ta_instances() {
  const unsigned each = (compute_units() + engines() - 1) / engines();
  return engines() * (each < 16 ? each + 1 : 16);
}

struct Run {
  uint64_t dispatch = 0;
  uint64_t start = 0, end = 0;
  uint64_t user = 0;
  std::map<std::string, double> sums;  ///< over all instances
  std::map<std::string, size_t> records;
  std::thread::id thread;
};

/// Counts while it lives.
class Counting {
 public:
  explicit Counting(Stage& stage) : tool_(stage.tool) {
    print_library();
    find_counters();
    REQUIRE(tool_.counting_configured == std::vector<int>(2, ROCPROFILER_STATUS_SUCCESS));
    tool_.on_dispatch = [this](const Tool::CountingData& data, rocprofiler_counter_config_id_t* config,
                               rocprofiler_user_data_t* user) {
      ++dispatch_calls;
      CHECK(data.start_timestamp == 0);
      CHECK(data.size == 168);
      submitters.push_back(std::this_thread::get_id());
      *config = choose(data);
      user->value = 100 + dispatch_calls;
    };
    tool_.on_counters = [this](const Tool::CountingData& data,
                               std::vector<rocprofiler_counter_record_t> records,
                               rocprofiler_user_data_t user) {
      Run run;
      run.dispatch = data.dispatch_info.dispatch_id;
      run.start = data.start_timestamp;
      run.end = data.end_timestamp;
      run.user = user.value;
      run.thread = std::this_thread::get_id();
      for (const auto& record : records) {
        const std::string name = names_.at(record.id >> 48);
        run.sums[name] += record.counter_value;
        ++run.records[name];
        CHECK(record.dispatch_id == run.dispatch);
      }
      runs.push_back(run);
    };
    REQUIRE(tool_.start_context(tool_.counting) == ROCPROFILER_STATUS_SUCCESS);
  }
  ~Counting() {
    tool_.stop_context(tool_.counting);
    tool_.on_dispatch = nullptr;
    tool_.on_counters = nullptr;
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  int create(const std::vector<std::string>& counters, rocprofiler_counter_config_id_t* config) const {
    std::vector<rocprofiler_counter_id_t> list;
    for (const std::string& name : counters) list.push_back(ids_.at(name));
    return tool_.create_counter_config(agent_, list.data(), list.size(), config);
  }
  rocprofiler_counter_config_id_t config(const std::vector<std::string>& counters) const {
    rocprofiler_counter_config_id_t made = {0};
    REQUIRE(create(counters, &made) == ROCPROFILER_STATUS_SUCCESS);
    return made;
  }
  rocprofiler_counter_id_t id(const std::string& name) const { return ids_.at(name); }
  rocprofiler_agent_id_t agent() const { return agent_; }
  /// Everything that ended was delivered.
  void settle() const { REQUIRE(tool_.flush_buffer(tool_.buffer) == ROCPROFILER_STATUS_SUCCESS); }
  void find_counters() {
    agent_ = {};
    tool_.query_available_agents(
        ROCPROFILER_AGENT_INFO_VERSION_0,
        [](rocprofiler_agent_version_t, const void** agents, size_t n, void* data) {
          for (size_t i = 0; i < n; ++i) {
            const auto* each = static_cast<const rocprofiler_agent_v0_t*>(agents[i]);
            if (each->type == ROCPROFILER_AGENT_TYPE_GPU)
              *static_cast<rocprofiler_agent_id_t*>(data) = each->id;
          }
          return ROCPROFILER_STATUS_SUCCESS;
        },
        sizeof(rocprofiler_agent_v0_t), &agent_);
    REQUIRE(tool_.iterate_counters(
                agent_,
                [](rocprofiler_agent_id_t, rocprofiler_counter_id_t* counters, size_t n, void* data) {
                  auto& self = *static_cast<Counting*>(data);
                  for (size_t i = 0; i < n; ++i) {
                    rocprofiler_counter_info_v0_t info = {};
                    CHECK(self.tool_.query_counter_info(counters[i], ROCPROFILER_COUNTER_INFO_VERSION_0,
                                                        &info) == 0);
                    self.ids_[info.name] = counters[i];
                    self.names_[counters[i].handle] = info.name;
                  }
                  return ROCPROFILER_STATUS_SUCCESS;
                },
                this) == ROCPROFILER_STATUS_SUCCESS);
  }

  std::function<rocprofiler_counter_config_id_t(const Tool::CountingData&)> choose;
  std::vector<Run> runs;
  std::vector<std::thread::id> submitters;
  uint64_t dispatch_calls = 0;

 private:
  static void print_library() {
    void* library = dlopen("libhsa-amd-aqlprofile64.so.1", RTLD_NOW);
    REQUIRE(library != nullptr);
    Dl_info info = {};
    REQUIRE(dladdr(dlsym(library, "aqlprofile_pmc_create_packets"), &info) != 0);
    std::printf("aqlprofile: %s\n", info.dli_fname);
  }

  Tool& tool_;
  rocprofiler_agent_id_t agent_ = {};
  std::map<std::string, rocprofiler_counter_id_t> ids_;
  std::map<uint64_t, std::string> names_;
};

}  // namespace

TEST_CASE("S09_a_dispatch_is_counted_once_with_times_and_the_tool_s_word") {
  Stage stage;
  Counting counting(stage);
  const auto set = counting.config({"SQ_WAVES", "SQ_ITEMS", "GRBM_GUI_ACTIVE", "TA_FLAT_WRITE_WAVEFRONTS"});
  counting.choose = [&](const Tool::CountingData&) { return set; };
  stage.dispatch();
  counting.settle();
  REQUIRE(counting.runs.size() == 1);
  const Run& run = counting.runs[0];
  CHECK(counting.submitters == std::vector<std::thread::id>{std::this_thread::get_id()});
  CHECK(run.thread != std::this_thread::get_id());
  CHECK(run.user == 101);
  CHECK(run.start > 0);
  CHECK(run.end >= run.start);
  CHECK(run.sums.at("SQ_WAVES") == 1);  // 64 work-items
  CHECK(run.sums.at("SQ_ITEMS") == 64);
  CHECK(run.sums.at("GRBM_GUI_ACTIVE") > 0);
  CHECK(run.sums.at("TA_FLAT_WRITE_WAVEFRONTS") == 1);  // the one store; the atomic is none
  CHECK(run.records.at("TA_FLAT_WRITE_WAVEFRONTS") == ta_instances());
  CHECK(stage.result() == 1);
  CHECK(stage.executions() == 1);
}

TEST_CASE("S09_each_pass_has_its_own_set_and_its_own_values_before_it_ends") {
  Stage stage;
  Counting counting(stage);
  const rocprofiler_counter_config_id_t sets[] = {
      counting.config({"SQ_WAVES", "SQ_INSTS_VALU"}),
      counting.config({"SQ_INSTS_SALU", "SQ_INSTS_SMEM", "SQ_ITEMS"}),
      counting.config({"SQ_WAVES", "SQ_INSTS_VALU"})};
  counting.choose = [&](const Tool::CountingData&) { return sets[0]; };
  stage.dispatch();  // without a replay
  counting.settle();
  REQUIRE(counting.runs.size() == 1);
  const Run alone = counting.runs[0];
  counting.runs.clear();

  uint64_t current = 0;
  std::vector<size_t> delivered;
  stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (is(record, false, true)) current = payload.current_pass;
    if (is(record, false, false)) delivered.push_back(counting.runs.size());
  });
  counting.choose = [&](const Tool::CountingData&) { return sets[current]; };
  stage.dispatch();
  CHECK(delivered == std::vector<size_t>{1, 2, 3});
  REQUIRE(counting.runs.size() == 3);
  const auto& runs = counting.runs;
  CHECK(runs[1].dispatch == runs[0].dispatch);
  CHECK(runs[0].start < runs[1].start);
  CHECK(runs[1].start < runs[2].start);
  CHECK(runs[0].sums == alone.sums);  // counts with and without replay agree
  CHECK(runs[2].sums == runs[0].sums);
  CHECK(runs[1].sums.count("SQ_WAVES") == 0);
  CHECK(runs[1].sums.at("SQ_ITEMS") == 64);
  CHECK(stage.executions() == 4);
  CHECK(stage.result() == 2);
}

TEST_CASE("S09_a_pass_without_a_set_and_a_context_stopped_for_the_loop_are_not_counted") {
  Stage stage;
  Counting counting(stage);
  const auto set = counting.config({"SQ_WAVES"});
  uint64_t current = 0;
  stage.plan(passes<4>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
    if (!is(record, false, true)) return;
    current = payload.current_pass;
    if (current == 2) CHECK(payload.replay_stop_context(stage.tool.counting) == 0);
    if (current == 3) CHECK(payload.replay_start_context(stage.tool.counting) == 0);
  });
  counting.choose = [&](const Tool::CountingData&) {
    return current == 1 ? rocprofiler_counter_config_id_t{0} : set;
  };
  stage.dispatch();
  CHECK(counting.dispatch_calls == 3);  // not asked in pass 2
  CHECK(counting.runs.size() == 2);
  for (const Run& run : counting.runs) CHECK(run.sums.at("SQ_WAVES") == 1);
  CHECK(stage.executions() == 4);
}

TEST_CASE("S09_the_buffered_form_writes_a_header_and_the_values_behind_it_for_each_pass") {
  Stage stage;
  rocprofiler_counter_config_id_t set = {0};
  {
    Counting callbacks(stage);
    set = callbacks.config({"SQ_WAVES", "SQ_ITEMS"});
    // One context counts at a time.
    CHECK(stage.tool.start_context(stage.tool.counting_buffered) ==
          ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT);
  }
  std::vector<std::vector<double>> groups;
  std::vector<uint64_t> dispatches, announced;
  stage.tool.on_dispatch = [&](const Tool::CountingData&, rocprofiler_counter_config_id_t* config,
                               rocprofiler_user_data_t*) { *config = set; };
  stage.tool.on_buffer = [&](rocprofiler_record_header_t** headers, size_t n, uint64_t) {
    for (size_t i = 0; i < n; ++i) {
      CHECK(headers[i]->category == ROCPROFILER_BUFFER_CATEGORY_COUNTERS);
      if (headers[i]->kind == ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER) {
        const auto& header =
            *static_cast<rocprofiler_dispatch_counting_service_record_t*>(headers[i]->payload);
        CHECK(header.size == 176);
        CHECK(header.end_timestamp >= header.start_timestamp);
        announced.push_back(header.num_records);
        dispatches.push_back(header.dispatch_info.dispatch_id);
        groups.emplace_back();
      } else {
        REQUIRE(headers[i]->kind == ROCPROFILER_COUNTER_RECORD_VALUE);
        REQUIRE_FALSE(groups.empty());
        groups.back().push_back(
            static_cast<rocprofiler_counter_record_t*>(headers[i]->payload)->counter_value);
      }
    }
  };
  REQUIRE(stage.tool.start_context(stage.tool.counting_buffered) == ROCPROFILER_STATUS_SUCCESS);
  stage.plan(passes<2>);
  stage.dispatch();
  REQUIRE(stage.tool.flush_buffer(stage.tool.buffer) == ROCPROFILER_STATUS_SUCCESS);
  REQUIRE(stage.tool.stop_context(stage.tool.counting_buffered) == ROCPROFILER_STATUS_SUCCESS);
  stage.tool.on_buffer = nullptr;
  stage.tool.on_dispatch = nullptr;
  const size_t values = 2 * engines();
  CHECK(announced == std::vector<uint64_t>{values, values});
  REQUIRE(groups.size() == 2);
  for (const auto& group : groups) {
    REQUIRE(group.size() == values);
    CHECK(std::accumulate(group.begin(), group.begin() + engines(), 0.0) == 1);  // SQ_WAVES
    CHECK(std::accumulate(group.begin() + engines(), group.end(), 0.0) == 64);   // SQ_ITEMS
  }
  REQUIRE(dispatches.size() == 2);
  CHECK(dispatches[0] == dispatches[1]);
}

TEST_CASE("S09_an_unknown_set_is_an_error_line_and_an_uncounted_run") {
  Stage stage;
  Counting counting(stage);
  counting.choose = [](const Tool::CountingData&) { return rocprofiler_counter_config_id_t{4711}; };
  stage.dispatch();
  counting.settle();
  CHECK(counting.runs.empty());
  CHECK(stage.executions() == 1);
}

TEST_CASE("S09_every_compute_unit_s_work_is_in_the_sum") {
  Stage stage;
  Counting counting(stage);
  const auto set = counting.config({"SQ_WAVES", "SQ_ITEMS", "SQ_INSTS_VMEM_WR", "TA_FLAT_WRITE_WAVEFRONTS"});
  counting.choose = [&](const Tool::CountingData&) { return set; };
  // Two workgroups of one wave for each unit, all storing.
  const unsigned items = compute_units() * 2 * 64;
  unsigned* x = stage.m.device(std::vector<unsigned>(items, 1));
  unsigned* y = stage.m.device(std::vector<unsigned>(items, 2));
  const hsa_signal_t done = e2e::make_signal(1);
  stage.m.queue->dispatch(stage.m.kernel("in_place"), items, 64, done, x, y, items);
  e2e::wait_below(done, 1, "a dispatch");
  HSA_OK(hsa_signal_destroy(done));
  counting.settle();
  REQUIRE(counting.runs.size() == 1);
  const Run& run = counting.runs[0];
  CHECK(run.sums.at("SQ_WAVES") == items / 64);
  CHECK(run.sums.at("SQ_ITEMS") == items);
  CHECK(run.sums.at("SQ_INSTS_VMEM_WR") == items / 64);  // one store per wave
  CHECK(run.sums.at("TA_FLAT_WRITE_WAVEFRONTS") == items / 64);
  CHECK(run.records.at("SQ_WAVES") == engines());  // per shader engine
  CHECK(e2e::from_device(stage.m.agents, x, 1)[0] == 5);
  HSA_OK(hsa_amd_memory_pool_free(x));
  HSA_OK(hsa_amd_memory_pool_free(y));
}

TEST_CASE("S09_dispatches_of_several_threads_do_not_mix_their_counts") {
  Stage stage;
  Counting counting(stage);
  const auto set = counting.config({"SQ_WAVES", "SQ_ITEMS"});
  std::mutex mutex;
  counting.choose = [&](const Tool::CountingData&) { return set; };
  auto inner = stage.tool.on_dispatch;
  stage.tool.on_dispatch = [&](const Tool::CountingData& data, rocprofiler_counter_config_id_t* config,
                               rocprofiler_user_data_t* user) {
    const std::lock_guard lock(mutex);
    inner(data, config, user);
  };
  constexpr unsigned kThreads = 4, kEach = 5;
  std::vector<std::unique_ptr<e2e::Queue>> queues;
  for (unsigned t = 0; t < kThreads; ++t) queues.push_back(std::make_unique<e2e::Queue>(stage.m.agents));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < kEach; ++i)
        stage.m.run_on(*queues[t], stage.count_passes, stage.executed, stage.m.device({0}));
    });
  for (std::thread& thread : threads) thread.join();
  counting.settle();
  CHECK(counting.runs.size() == kThreads * kEach);
  for (const Run& run : counting.runs) {
    CHECK(run.sums.at("SQ_WAVES") == 1);
    CHECK(run.sums.at("SQ_ITEMS") == 64);
  }
  CHECK(stage.executions() == kThreads * kEach);
}

TEST_CASE("S10_sets_dimensions_and_derived_counters_on_a_gpu") {
  Stage stage;
  Counting counting(stage);
  rocprofiler_counter_config_id_t made = {0};
  std::vector<std::string> eight = {"SQ_WAVES",      "SQ_ITEMS",      "SQ_INSTS_VALU",   "SQ_INSTS_SALU",
                                    "SQ_INSTS_SMEM", "SQ_INSTS_FLAT", "SQ_INSTS_BRANCH", "SQ_INSTS_LDS"};
  CHECK(counting.create(eight, &made) == ROCPROFILER_STATUS_SUCCESS);
  eight.push_back("SQ_CYCLES");
  made = {0};
  CHECK(counting.create(eight, &made) == ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT);
  rocprofiler_counter_id_t unknown = {60000};
  CHECK(stage.tool.create_counter_config(counting.agent(), &unknown, 1, &made) ==
        ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND);
  CHECK(stage.tool.create_counter_config({1}, &unknown, 1, &made) ==
        ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);

  size_t instances = 0;
  CHECK(stage.tool.query_counter_instance_count(counting.agent(), counting.id("TA_FLAT_READ_WAVEFRONTS"),
                                                &instances) == 0);
  CHECK(instances == ta_instances());
  rocprofiler_counter_info_v1_t info = {};
  REQUIRE(stage.tool.query_counter_info(counting.id("TA_FLAT_READ_WAVEFRONTS"),
                                        ROCPROFILER_COUNTER_INFO_VERSION_1, &info) == 0);
  CHECK(info.size == sizeof info);
  CHECK(std::string(info.block) == "TA");
  CHECK(info.dimensions_instances_count == ta_instances());
  const auto& last = *info.dimensions_instances[ta_instances() - 1];
  CHECK(last.counter_id.handle == counting.id("TA_FLAT_READ_WAVEFRONTS").handle);
  CHECK((last.instance_id >> 36 & 63) == ta_instances() / engines() - 1);
  CHECK((last.instance_id >> 12 & 63) == engines() - 1);

  // One of the tool's own, and one of the table's.
  rocprofiler_counter_id_t own = {0};
  static int number = 0;
  const std::string name = "OWN_" + std::to_string(++number);
  const std::string text = "100 / reduce(SQ_ITEMS, sum) + reduce(SQ_WAVES, max)";
  REQUIRE(stage.tool.create_counter(name.c_str(), name.size(), text.c_str(), text.size(), counting.agent(),
                                    nullptr, 0, &own) == ROCPROFILER_STATUS_SUCCESS);
  counting.find_counters();
  const auto set = counting.config({name, "Wavefronts"});
  counting.choose = [&](const Tool::CountingData&) { return set; };
  stage.dispatch();
  counting.settle();
  REQUIRE(counting.runs.size() == 1);
  CHECK(counting.runs[0].records.at(name) == 1);
  CHECK(counting.runs[0].sums.at(name) == 100.0 / 64 + 1);
  CHECK(counting.runs[0].sums.at("Wavefronts") == 1);
}
