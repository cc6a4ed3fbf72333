// The program returns from main while a kernel waits for a host flag that nobody sets, without freeing or
// shutting anything down. With replay on, the submit must come back (the kernel is handed over after the pass
// time limit), and the exit status is the program's own.
// e2e-exit: 0
// e2e-candidates: ^wait_for_host 1
// e2e-replayed: ^in_place 1
// e2e-env-replayed: KREPLAY_PASS_TIMEOUT=0.5
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("exit_in_flight");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 200;
  auto x = e2e::random_values<unsigned>(count, 341);
  const auto y = e2e::random_values<unsigned>(count, 342);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  auto* flag = e2e::allocate<unsigned>(agents, agents.host, 1);
  *flag = 0;
  static const e2e::CodeObject* const code = new e2e::CodeObject(agents);
  static e2e::Queue* const queue = new e2e::Queue(agents);
  const hsa_signal_t done = e2e::make_signal(1);
  queue->dispatch(code->kernel("in_place"), count, 64, done, dev_x, dev_y, count);
  e2e::wait_below(done, 1, "in_place");
  e2e::in_place_host(x, y);
  checks.equal("before", e2e::from_device(agents, dev_x, count), x);

  const hsa_signal_t never = e2e::make_signal(1);
  queue->dispatch(code->kernel("wait_for_host"), 64, 64, never, flag, dev_x);
  checks.value("still_running", static_cast<long long>(hsa_signal_load_scacquire(never)), 1ll);
  return checks.finish();
}
