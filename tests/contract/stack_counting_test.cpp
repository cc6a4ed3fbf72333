// Statements S09 and S10 on the whole stack: dispatch counting through aqlprofile (the stand-in or the real
// one, which is printed) and the software GPU's counters.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "support/stack/stage.hpp"

using namespace stack;

namespace {

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
  CHECK(run.sums.at("TA_FLAT_WRITE_WAVEFRONTS") == 1);     // the one store; the atomic is none
  CHECK(run.records.at("TA_FLAT_WRITE_WAVEFRONTS") == 9);  // 8 compute units, and the instance without one
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

TEST_CASE("S09_an_unknown_set_is_an_error_line_and_an_uncounted_run") {
  Stage stage;
  Counting counting(stage);
  counting.choose = [](const Tool::CountingData&) { return rocprofiler_counter_config_id_t{4711}; };
  stage.dispatch();
  counting.settle();
  CHECK(counting.runs.empty());
  CHECK(stage.executions() == 1);
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
  CHECK(instances == 9);
  rocprofiler_counter_info_v1_t info = {};
  REQUIRE(stage.tool.query_counter_info(counting.id("TA_FLAT_READ_WAVEFRONTS"),
                                        ROCPROFILER_COUNTER_INFO_VERSION_1, &info) == 0);
  CHECK(info.size == sizeof info);
  CHECK(std::string(info.block) == "TA");
  CHECK(info.dimensions_instances_count == 9);
  CHECK(info.dimensions_instances[8]->counter_id.handle == counting.id("TA_FLAT_READ_WAVEFRONTS").handle);
  CHECK((info.dimensions_instances[8]->instance_id >> 36 & 63) == 8);

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
