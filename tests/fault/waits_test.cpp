// Waits that never end: what is ahead, another queue, a pass; and the runtime's refusal to watch a signal.
#include "fault/faults.hpp"

using namespace fault;  // NOLINT(google-build-using-namespace): test code

namespace {

/// A kernel that runs until `release`.
struct Endless {
  Machine& m = Machine::get();
  unsigned* flag = m.host(1);
  unsigned* x = m.device({0});
  hsa_signal_t done = e2e::make_signal(1);

  void start(e2e::Queue& queue) { queue.dispatch(m.kernel("wait_for_host"), 64, 64, done, flag, x); }
  void release() { __atomic_store_n(flag, 1u, __ATOMIC_RELEASE); }
  void finish() {
    release();
    e2e::wait_below(done, 1, "the released kernel");
    CHECK(hsa_signal_load_scacquire(done) == 0);
    CHECK(m.value(x) == 1);
  }
};

json only_record(Machine& m, const char* outcome) {
  json found;
  for (const json& record : m.take_records())
    if (record["outcome"] == outcome) found = record;
  REQUIRE_FALSE(found.is_null());
  return found;
}

}  // namespace

TEST_CASE("C26_another_queue_never_drains_declines_when_told_to") {
  Machine& m = Machine::get();
  e2e::Queue other(m.agents);
  Endless endless;
  endless.start(other);  // not selected, so nobody knows that it may not end
  unsigned* x = m.device({0});
  unsigned* passes = m.host(1);
  m.run(m.kernel("count_passes"), passes, x);  // runs beside the endless one
  CHECK(m.value(x) == 1);
  CHECK(*passes == 1);
  const json record = only_record(m, "declined");
  CHECK(record["reason"] == "agent_drain");
  // A run of them waits once.
  constexpr unsigned kMore = 20;
  for (unsigned i = 0; i < kMore; ++i) m.run(m.kernel("count_passes"), passes, x);
  unsigned looked = 0;
  for (const json& each : m.take_records())
    if (each["reason"] == "agent_drain" &&
        text(each, "detail").find("has not come to rest since") != std::string::npos)
      ++looked;
  CHECK(looked == kMore);
  CHECK(*passes == 1 + kMore);
  endless.finish();
  // Over: the barrier behind it has retired when a packet of ours behind that one has.
  other.drain();
  (void)m.take_records();
  m.run(m.kernel("count_passes"), passes, x);
  CHECK(only_record(m, "replayed")["passes_run"] == 3);
  CHECK(m.value(x) == 2 + kMore);
}

TEST_CASE("C25_own_queue_never_drains_declines_when_told_to") {
  Machine& m = Machine::get();
  Endless endless;
  endless.start(*m.queue);  // not selected
  unsigned* x = m.device({0});
  unsigned* passes = m.host(1);
  const hsa_signal_t done = e2e::make_signal(1);
  m.queue->dispatch(m.kernel("count_passes"), 64, 64, done, passes, x);
  CHECK(only_record(m, "declined")["reason"] == "queue_drain");
  CHECK(hsa_signal_load_scacquire(done) == 1);  // behind the endless one, as without us
  endless.finish();
  e2e::wait_below(done, 1, "the declined dispatch");
  CHECK(m.value(x) == 1);
  CHECK(*passes == 1);
}

TEST_CASE("C26_another_queue_never_drains_ends_the_process") {
  Machine& m = Machine::get();
  e2e::Queue other(m.agents);
  Endless endless;
  endless.start(other);
  m.run(m.kernel("count_passes"), m.host(1), m.device({0}));
  FAIL("the default is to end the process");
}

TEST_CASE("C26_work_behind_a_kernel_that_was_handed_over_is_not_waited_for") {
  Machine& m = Machine::get();
  e2e::Queue other(m.agents);
  Endless endless;
  endless.start(other);  // handed over after KREPLAY_PASS_TIMEOUT
  (void)m.take_records();
  unsigned* x = m.device({0});
  m.run(m.kernel("count_passes"), m.host(1), x);  // a drain that is stuck would end the process
  CHECK(m.value(x) == 1);
  const json record = only_record(m, "declined");
  CHECK(record["reason"] == "dependency");
  CHECK(text(record, "detail").find("is of a kernel that did not end in time before") != std::string::npos);
  endless.finish();
  m.run(m.kernel("count_passes"), m.host(1), x);
  CHECK(only_record(m, "replayed")["passes_run"] == 3);
  CHECK(m.value(x) == 2);
}

TEST_CASE("C27_pass_0_never_ends_is_handed_over_and_remembered") {
  Machine& m = Machine::get();
  Endless endless;
  endless.start(*m.queue);  // comes back
  CHECK(only_record(m, "stopped")["reason"] == "pass_timeout");
  CHECK(hsa_signal_load_scacquire(endless.done) == 1);
  endless.finish();
  Endless again;
  again.start(*m.queue);
  CHECK(only_record(m, "declined")["reason"] == "learned");
  again.finish();
}

TEST_CASE("a_pass_that_nobody_can_watch_is_waited_for") {
  Machine& m = Machine::get();
  Endless endless;
  set("hsa_amd_signal_async_handler:1-");
  arm();
  std::thread host([&] {  // lets the kernel go once the handler was refused
    while (calls("hsa_amd_signal_async_handler") == 0) std::this_thread::yield();
    endless.release();
  });
  endless.start(*m.queue);
  host.join();
  disarm();
  const json record = only_record(m, "stopped");
  CHECK(record["reason"] == "pass_timeout");
  CHECK(text(record, "detail").find("no asynchronous handler") != std::string::npos);
  endless.finish();
}

TEST_CASE("a_pass_that_nobody_can_watch_and_that_does_not_end_ends_the_process") {
  Endless endless;
  set("hsa_amd_signal_async_handler:1-");
  arm();
  endless.start(*endless.m.queue);
  FAIL("nobody can tell the application when its dispatch has ended");
}

TEST_CASE("C39_an_application_copy_never_completes") {
  Machine& m = Machine::get();
  unsigned* x = m.device({0});
  unsigned* passes = m.host(1);
  unsigned* y = m.device({0});
  unsigned* source = m.host(1);
  const hsa_signal_t copied = e2e::make_signal(1);
  set("hsa_amd_memory_async_copy:1:lost");
  arm();
  HSA_OK(hsa_amd_memory_async_copy(y, m.agents.gpu, source, m.agents.cpu, sizeof *y, 0, nullptr, copied));
  disarm();
  (void)m.take_records();
  m.run(m.kernel("count_passes"), passes, x);
  CHECK(only_record(m, "declined")["reason"] == "agent_drain");
  CHECK(*passes == 1);
  hsa_signal_store_screlease(copied, 0);  // somebody gives the copy up
  m.run(m.kernel("count_passes"), passes, x);
  CHECK(only_record(m, "replayed")["passes_run"] == 3);
  // from_device copies: the device value counts launches, the host value executions.
  CHECK(m.value(x) == 2);
}

TEST_CASE("start_without_agents_leaves_the_application_alone") {
  set("hsa_iterate_agents:1");
  arm();
  Machine& m = Machine::get();
  CHECK(injected() == 1);
  disarm();
  unsigned* x = m.device({0});
  unsigned* passes = m.host(1);
  m.run(m.kernel("count_passes"), passes, x);
  CHECK(*passes == 1);
  CHECK(m.value(x) == 1);
}
