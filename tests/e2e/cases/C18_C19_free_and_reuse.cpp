// C18, C19, C01, C03: while one thread launches (and has every launch replayed), others free buffers and
// get the addresses back at once, copy into fresh memory, and launch on queues of their own. Nobody's
// bytes are ever those of an older owner, and no launch is undone.
//
// e2e-candidates: ^in_place 60
#include <atomic>
#include <thread>

#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C18_C19_free_and_reuse");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 500;
  auto x = e2e::random_values<unsigned>(count, 181);
  const auto y = e2e::random_values<unsigned>(count, 182);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  std::atomic<unsigned> wrong{0};
  std::atomic<bool> stop{false};
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel in_place = code.kernel("in_place");
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        // 120 buffers of changing size: freed, allocated, filled, compared.
        std::vector<unsigned*> held;
        for (unsigned i = 0; i < 120; ++i) {
          const unsigned size = 1000 + 512 * ((i * 7 + t) % 5);
          unsigned* fresh = e2e::to_device(agents, std::vector<unsigned>(size, i * 2 + t));
          const auto back = e2e::from_device(agents, fresh, size);
          if (back != std::vector<unsigned>(size, i * 2 + t)) ++wrong;
          held.push_back(fresh);
          if (held.size() > 3) {
            HSA_OK(hsa_amd_memory_pool_free(held.front()));
            held.erase(held.begin());
          }
        }
        for (unsigned* data : held) HSA_OK(hsa_amd_memory_pool_free(data));
      });
    threads.emplace_back([&] {
      e2e::Queue queue(agents);
      unsigned* mine = e2e::to_device(agents, std::vector<unsigned>(64, 0));
      unsigned launches = 0;
      while (!stop.load()) {
        const hsa_signal_t done = e2e::make_signal(1);
        queue.dispatch(code.kernel("append"), 64, 64, done, mine, 1u);
        e2e::wait_below(done, 1, "append");
        HSA_OK(hsa_signal_destroy(done));
        if (++launches == 50) break;
      }
      if (e2e::from_device(agents, mine, 1)[0] != launches) ++wrong;
      HSA_OK(hsa_amd_memory_pool_free(mine));
    });
    e2e::Queue queue(agents);
    for (unsigned launch = 0; launch < 60; ++launch) {
      const hsa_signal_t done = e2e::make_signal(1);
      queue.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
      e2e::wait_below(done, 1, "in_place");
      HSA_OK(hsa_signal_destroy(done));
      e2e::in_place_host(x, y);
    }
    stop = true;
    for (auto& thread : threads) thread.join();
  }
  checks.value("wrong_in_threads", wrong.load(), 0u);
  checks.equal("x", e2e::from_device(agents, dev_x, count), x);
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
