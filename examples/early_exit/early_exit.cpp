// A tool that repeats a dispatch until repeating it no longer helps: it stops when the fastest pass has not
// been beaten for EARLY_EXIT_PATIENCE passes (default 3), at the latest after EARLY_EXIT_MAX (default 32).
//
// It shows an indefinite loop (pass count 0) ended by replay_continue, with the state of one dispatch behind
// user_data.ptr: the pointer is set in CONFIG ENTER and never rewritten, so it means the same under every
// published reading of the user-data rules. Page: docs/examples/early-exit.md
#include <rocprofiler-sdk/rocprofiler.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>

namespace {

uint64_t g_patience = 3;
uint64_t g_max_passes = 32;
std::atomic<uint64_t> g_dispatches{0}, g_passes{0}, g_fewest{UINT64_MAX}, g_most{0};

/// One dispatch, from CONFIG ENTER to CONFIG EXIT. Used by the submitting thread only.
struct Dispatch {
  uint64_t passes = 0;
  uint64_t entered_ns = 0;
  uint64_t best_ns = UINT64_MAX;
  uint64_t since_best = 0;
};

Dispatch& dispatch_of(rocprofiler_user_data_t user_data) { return *static_cast<Dispatch*>(user_data.ptr); }

uint64_t now_ns() {
  rocprofiler_timestamp_t now = 0;
  rocprofiler_get_timestamp(&now);
  return now;
}

uint64_t until_stopped(rocprofiler_kernel_dispatch_info_t, rocprofiler_user_data_t) { return 0; }

int keep_going(rocprofiler_kernel_dispatch_info_t, uint64_t, uint64_t, rocprofiler_user_data_t user_data) {
  const Dispatch& dispatch = dispatch_of(user_data);
  return dispatch.since_best < g_patience && dispatch.passes < g_max_passes ? 1 : 0;
}

template <typename Better>
void update(std::atomic<uint64_t>& best, uint64_t value, Better better) {
  uint64_t seen = best.load();
  while (better(value, seen) && !best.compare_exchange_weak(seen, value)) {
  }
}

void on_config(rocprofiler_callback_phase_t phase, rocprofiler_callback_tracing_kernel_replay_data_t& data,
               rocprofiler_user_data_t& user_data) {
  if (phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
    user_data.ptr = new (std::nothrow) Dispatch;
    if (user_data.ptr == nullptr) return;  // no plan: the dispatch runs once
    data.replay_pass_count = until_stopped;
    data.replay_continue = keep_going;
    return;
  }
  if (user_data.ptr == nullptr) return;
  const Dispatch& dispatch = dispatch_of(user_data);
  if (dispatch.passes > 0) {  // none: the replay was declined
    g_dispatches += 1;
    g_passes += dispatch.passes;
    update(g_fewest, dispatch.passes, std::less<>());
    update(g_most, dispatch.passes, std::greater<>());
  }
  delete &dispatch;
}

void on_pass(rocprofiler_callback_phase_t phase, Dispatch& dispatch) {
  if (phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
    dispatch.entered_ns = now_ns();
    return;
  }
  const uint64_t took_ns = now_ns() - dispatch.entered_ns;
  dispatch.passes += 1;
  dispatch.since_best = took_ns < dispatch.best_ns ? 0 : dispatch.since_best + 1;
  dispatch.best_ns = std::min(dispatch.best_ns, took_ns);
}

void on_replay(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data, void*) {
  auto& data = *static_cast<rocprofiler_callback_tracing_kernel_replay_data_t*>(record.payload);
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG)
    on_config(record.phase, data, *user_data);
  else if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS)
    on_pass(record.phase, dispatch_of(*user_data));
}

bool check(rocprofiler_status_t status, const char* what) {
  if (status == ROCPROFILER_STATUS_SUCCESS) return true;
  std::fprintf(stderr, "early_exit: %s: %s\n", what, rocprofiler_get_status_string(status));
  return false;
}

int initialize(rocprofiler_client_finalize_t, void*) {
  rocprofiler_context_id_t context = {0};
  const bool good =
      check(rocprofiler_create_context(&context), "context") &&
      check(rocprofiler_configure_callback_tracing_service(
                context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, nullptr, 0, on_replay, nullptr),
            "kernel replay") &&
      check(rocprofiler_start_context(context), "start");
  return good ? 0 : -1;
}

void finalize(void*) {
  const uint64_t dispatches = g_dispatches.load();
  std::fprintf(stderr, "early_exit: %lu dispatches, %lu passes, %lu to %lu per dispatch\n", dispatches,
               g_passes.load(), dispatches > 0 ? g_fewest.load() : 0, g_most.load());
}

/// @return false after a message when the variable is set and is no number from 1
bool read_number(const char* name, uint64_t& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return true;
  char* end = nullptr;
  value = std::strtoull(text, &end, 10);
  if (end != text && *end == '\0' && value > 0) return true;
  std::fprintf(stderr, "early_exit: %s='%s' is not a number from 1\n", name, text);
  return false;
}

}  // namespace

extern "C" rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t, const char*, uint32_t,
                                                                      rocprofiler_client_id_t* id) {
  if (!read_number("EARLY_EXIT_PATIENCE", g_patience) || !read_number("EARLY_EXIT_MAX", g_max_passes))
    return nullptr;
  id->name = "early_exit";
  static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize, nullptr};
  return &result;
}
