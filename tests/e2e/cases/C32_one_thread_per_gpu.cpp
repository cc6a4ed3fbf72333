// C32: four threads, four GPUs, every launch of the same kernel name replayed, code objects loaded
// meanwhile.
//
// e2e-replayed: ^in_place 80
// e2e-env: KREPLAY_SOFTGPU_GPUS=4
#include <thread>

#include "cases/gpus.hpp"

int main() {
  e2e::Checks checks("C32_one_thread_per_gpu");
  HSA_OK(hsa_init());
  const std::vector<e2e::Agents> gpus = e2e::find_all_gpus();
  checks.value("gpus", gpus.size(), size_t{4});
  const unsigned count = 300;
  std::vector<std::vector<unsigned>> x(4), got(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < gpus.size(); ++t)
    threads.emplace_back([&, t] {
      const e2e::Agents& agents = gpus[t];
      x[t] = e2e::random_values<unsigned>(count, 320 + t);
      const auto y = e2e::random_values<unsigned>(count, 330 + t);
      unsigned* dev_x = e2e::to_device(agents, x[t]);
      unsigned* dev_y = e2e::to_device(agents, y);
      for (int load = 0; load < 4; ++load) {
        const e2e::CodeObject code(agents);
        e2e::Queue queue(agents);
        const hsa_signal_t done = e2e::make_signal(5);
        for (int launch = 0; launch < 5; ++launch) {
          queue.dispatch(code.kernel("in_place"), count, 64, done, dev_x, dev_y, count);
          e2e::in_place_host(x[t], y);
        }
        e2e::wait_below(done, 1, "five launches");
        HSA_OK(hsa_signal_destroy(done));
      }
      got[t] = e2e::from_device(agents, dev_x, count);
      HSA_OK(hsa_amd_memory_pool_free(dev_x));
      HSA_OK(hsa_amd_memory_pool_free(dev_y));
    });
  for (auto& thread : threads) thread.join();
  for (size_t t = 0; t < gpus.size(); ++t) checks.equal("x", got[t], x[t]);
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
