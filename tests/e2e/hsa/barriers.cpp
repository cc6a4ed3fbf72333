// Barrier-AND and barrier-OR packets around dispatches, inside a queue and between queues, one of them opened
// by work that is submitted later. The log shows which dispatch ran when, and how often.
// e2e-candidates: ^append 10
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("barriers");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  unsigned* log = e2e::to_device(agents, std::vector<unsigned>(1'024, 0));
  std::vector<unsigned> want;
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel append = code.kernel("append");
    e2e::Queue first(agents);
    e2e::Queue second(agents);
    const auto run = [&](e2e::Queue& queue, unsigned value, hsa_signal_t done = {}) {
      queue.dispatch(append, 64, 64, done, log, value);
    };

    // Barrier-AND behind a dispatch of the same queue.
    const hsa_signal_t a = e2e::make_signal(1);
    const hsa_signal_t b = e2e::make_signal(1);
    run(first, 1, a);
    first.barrier(HSA_PACKET_TYPE_BARRIER_AND, {a}, b);
    run(first, 2);
    want.insert(want.end(), {1, 2});

    // The other queue waits for that barrier.
    second.barrier(HSA_PACKET_TYPE_BARRIER_AND, {b}, {});
    second.drain();
    first.drain();
    const hsa_signal_t c = e2e::make_signal(1);
    second.barrier(HSA_PACKET_TYPE_BARRIER_AND, {a, b}, {});
    run(second, 3, c);
    first.barrier(HSA_PACKET_TYPE_BARRIER_AND, {c}, {});
    run(first, 4);
    first.drain();
    second.drain();
    want.insert(want.end(), {3, 4});

    // Barrier-OR: one of two signals is enough, the other one never fires.
    const hsa_signal_t never = e2e::make_signal(1);
    const hsa_signal_t d = e2e::make_signal(1);
    run(first, 5, d);
    second.barrier(HSA_PACKET_TYPE_BARRIER_OR, {never, d}, {});
    run(second, 6);
    second.drain();
    first.drain();
    want.insert(want.end(), {5, 6});

    // Opened later by the other queue: at the time 7 is submitted, nothing that exists can open its barrier.
    const hsa_signal_t later = e2e::make_signal(1);
    first.barrier(HSA_PACKET_TYPE_BARRIER_AND, {later}, {});
    run(first, 7);
    run(second, 8, later);
    first.drain();
    second.drain();
    want.insert(want.end(), {8, 7});

    // Opened by the host after the dispatch was submitted.
    const hsa_signal_t host = e2e::make_signal(1);
    second.barrier(HSA_PACKET_TYPE_BARRIER_AND, {host}, {});
    run(second, 9);
    run(first, 10);
    first.drain();
    hsa_signal_store_screlease(host, 0);
    second.drain();
    want.insert(want.end(), {10, 9});

    for (const hsa_signal_t signal : {a, b, c, d, never, later, host}) {
      HSA_OK(hsa_signal_destroy(signal));
    }
  }
  const auto got = e2e::from_device(agents, log, 1'024);
  checks.value("entries", got[0], static_cast<unsigned>(want.size()));
  checks.equal("order",
               std::vector<unsigned>(got.begin() + 1, got.begin() + 1 + static_cast<long>(want.size())),
               want);
  HSA_OK(hsa_amd_memory_pool_free(log));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
