// C07, C25: a kernel behind a barrier that only a later submission, or the host, releases. Legal, and a
// deadlock for whoever waits for the queue inside the submit. Signals are used again, as runtimes do.
//
// e2e-candidates: ^in_place 12
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C07_later_submission_releases");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 71);
  const auto y = e2e::random_values<unsigned>(count, 72);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  unsigned* dev_z = e2e::to_device(agents, x);
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel in_place = code.kernel("in_place");
    e2e::Queue first(agents);
    e2e::Queue second(agents);
    auto z = x;
    const hsa_signal_t released = e2e::make_signal(1);
    const hsa_signal_t done = e2e::make_signal(1);
    for (int round = 0; round < 3; ++round) {
      hsa_signal_store_relaxed(released, 1);
      hsa_signal_store_relaxed(done, 1);
      first.barrier(HSA_PACKET_TYPE_BARRIER_AND, {released}, {});
      first.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
      second.dispatch(in_place, count, 64, released, dev_z, dev_y, count);
      e2e::wait_below(done, 1, "the kernel behind the barrier");
      e2e::in_place_host(x, y);
      e2e::in_place_host(z, y);

      // The same with the host as the one that releases, on a signal that a finished dispatch had carried.
      hsa_signal_store_relaxed(released, 1);
      hsa_signal_store_relaxed(done, 1);
      first.dispatch(in_place, count, 64, released, dev_x, dev_y, count);
      e2e::wait_below(released, 1, "a plain dispatch");
      hsa_signal_store_relaxed(released, 1);
      first.barrier(HSA_PACKET_TYPE_BARRIER_OR, {released}, {});
      first.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
      hsa_signal_store_screlease(released, 0);
      e2e::wait_below(done, 1, "the kernel that waited for the host");
      e2e::in_place_host(x, y);
      e2e::in_place_host(x, y);
    }
    checks.equal("x", e2e::from_device(agents, dev_x, count), x);
    checks.equal("z", e2e::from_device(agents, dev_z, count), z);
    HSA_OK(hsa_signal_destroy(released));
    HSA_OK(hsa_signal_destroy(done));
  }
  for (unsigned* data : {dev_x, dev_y, dev_z}) HSA_OK(hsa_amd_memory_pool_free(data));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
