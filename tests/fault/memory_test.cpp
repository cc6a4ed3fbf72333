// C21: allocations of the library itself that fail.
#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>

#include "fault/faults.hpp"

using namespace fault;  // NOLINT(google-build-using-namespace): test code

TEST_CASE("C21_allocation_k_of_the_library_fails") {
  // Each time in a child that starts everything anew, from the runtime's first call to its last: an
  // allocation of libkreplay fails once, and the application gets its results and its exit status.
  const auto scene = [](uint64_t k) {
    std::set_terminate([] {  // says who threw where nothing may
      void* frames[40];
      backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
      std::abort();
    });
    set("malloc:" + std::to_string(k));
    arm();
    HSA_OK(hsa_init());
    const e2e::Agents agents = e2e::find_agents();
    bool right = true;
    {
      unsigned* x = e2e::to_device(agents, std::vector<unsigned>{0});
      // Not while metadata is read: the JSON library's destructors allocate and end the process
      // (docs/limits.md).
      spare_allocations(true);
      const e2e::CodeObject code(agents);
      spare_allocations(false);
      e2e::Queue queue(agents);
      const auto* counter = static_cast<const unsigned*>(code.variable("counter"));
      unsigned* flag = e2e::allocate<unsigned>(agents, agents.host, 1);
      *flag = 0;
      const hsa_signal_t done = e2e::make_signal(4);
      for (int launch = 0; launch < 2; ++launch) {
        queue.dispatch(code.kernel("trap_when"), 64, 64, done, flag, x);
        queue.dispatch(code.kernel("count_up"), 64, 64, done, 1u);
      }
      e2e::wait_below(done, 1, "the launches");
      right = hsa_signal_load_scacquire(done) == 0 && e2e::from_device(agents, x, 1)[0] == 2 &&
              e2e::from_device(agents, counter, 1)[0] == 128;
      HSA_OK(hsa_signal_destroy(done));
      HSA_OK(hsa_amd_memory_pool_free(flag));
      HSA_OK(hsa_amd_memory_pool_free(x));
    }
    HSA_OK(hsa_shut_down());
    const bool some = injected() != 0;
    disarm();
    return !right ? 9 : some ? 7 : 8;
  };
  // All of them with KRTEST_EVERY=1; else some of them: the first ones, and then at a distance.
  const uint64_t stride = std::getenv("KRTEST_EVERY") != nullptr ? 1 : 83;
  unsigned failed = 0;
  const char* only = std::getenv("KRTEST_ONLY");  // to look at one of them in a debugger
  if (only != nullptr) std::exit(scene(std::strtoull(only, nullptr, 10)));
  for (uint64_t k = 1; k < 2000; k += k < 4 ? 1 : stride) {
    INFO("allocation " << k);
    const pid_t child = fork();
    if (child == 0) std::exit(scene(k));
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    INFO("wait status " << status);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 8) break;  // past the last one
    CHECK(WEXITSTATUS(status) == 7);
    ++failed;
  }
  CHECK(failed >= 6);  // the sweep reached the library
}

TEST_CASE("C36_memory_given_to_others_is_not_replayed_an_export_that_is_refused_changes_nothing") {
  Regions regions;  // C36: IPC. The software GPU's driver may refuse; what the runtime says decides.
  unsigned* x = regions.m.device({5});
  unsigned* passes = regions.m.host(1);
  hsa_amd_ipc_memory_t handle;
  const hsa_status_t status = hsa_amd_ipc_memory_create(x, 4096, &handle);
  INFO("hsa_amd_ipc_memory_create: 0x" << std::hex << static_cast<unsigned>(status));
  (void)regions.m.take_records();
  regions.m.run(regions.m.kernel("count_passes"), passes, x);
  const auto records = regions.m.take_records();
  REQUIRE(records.size() == 1);
  const bool shared = status == HSA_STATUS_SUCCESS;
  CHECK(records[0]["outcome"] == (shared ? "declined" : "replayed"));
  CHECK(records[0]["reason"] == (shared ? "collective" : "none"));
  CHECK(*passes == (shared ? 1 : 3));
  CHECK(regions.m.value(x) == 6);
}
