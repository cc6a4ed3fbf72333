// What tests with the tool on the whole stack share: plans for the tool, and counting of executions.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "support/stack/stack.hpp"

namespace stack {

template <uint64_t N>
uint64_t passes(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) {
  return N;
}

/// What replay_continue does; set by the test that uses `asked`.
inline std::function<int(uint64_t pass, uint64_t total, rocprofiler_user_data_t)> g_continue;
inline int asked(rocprofiler_kernel_dispatch_info_t, uint64_t pass, uint64_t total,
                 rocprofiler_user_data_t user) {
  return g_continue(pass, total, user);
}

inline bool is(const Record& record, bool config, bool enter) {
  return (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) == config &&
         (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) == enter;
}

/// One test: the tool does nothing until told, what it saw and what was recorded belongs to this test only.
struct Stage {
  Machine& m = Machine::get();
  stack::Tool& tool = *m.tool;
  e2e::Kernel count_passes = m.kernel("count_passes");
  unsigned* executed = m.host(1);      ///< executions of count_passes
  unsigned* launched = m.device({0});  ///< what the application sees of it

  Stage() {
    REQUIRE(m.tool != nullptr);
    REQUIRE(tool.subscribed == ROCPROFILER_STATUS_SUCCESS);
    tool.on_callback = nullptr;
    g_continue = nullptr;
    (void)tool.take_seen();
    (void)m.take_records();
  }
  ~Stage() {
    tool.on_callback = nullptr;
    HSA_OK(hsa_amd_memory_pool_free(executed));
    HSA_OK(hsa_amd_memory_pool_free(launched));
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  using Callback = std::function<void(Record, Payload&, rocprofiler_user_data_t*)>;
  /// Asks for this plan in CONFIG ENTER, then runs `more` at every callback.
  void plan(rocprofiler_kernel_replay_pass_count_cb_t count,
            rocprofiler_kernel_replay_continue_cb_t go_on = nullptr, const Callback& more = nullptr) {
    tool.on_callback = [=](Record record, Payload& payload, rocprofiler_user_data_t* user) {
      if (is(record, true, true)) {
        payload.replay_pass_count = count;
        payload.replay_continue = go_on;
      }
      if (more) more(record, payload, user);
    };
  }
  /// One dispatch of count_passes by this thread, waited for.
  void dispatch() { m.run(count_passes, executed, launched); }
  unsigned executions() const { return __atomic_load_n(executed, __ATOMIC_ACQUIRE); }
  unsigned result() const { return m.value(launched); }

  /// "CONFIG enter", "PASS exit 2", ... in the order seen.
  static std::vector<std::string> names(const std::vector<Seen>& seen) {
    std::vector<std::string> out;
    out.reserve(seen.size());
    for (const Seen& s : seen)
      out.push_back((s.config() ? std::string("CONFIG ") : std::string("PASS ")) +
                    (s.enter() ? "enter" : "exit") +
                    (s.config() ? "" : " " + std::to_string(s.payload.current_pass)));
    return out;
  }
};

}  // namespace stack
