// C09: what kernels reach besides buffers: the value of a signal, memory of the argument pool, and, by a
// stale pointer, memory that another thread registers and unmaps all the time. Each launch counts once.
//
// e2e-candidates: ^count_passes 6
// e2e-candidates: ^bump_beside 300
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "support/hsa_check.hpp"

namespace {

constexpr size_t kLockedBytes = 1 << 20;

/// Registers fresh pages, says where agents see them, and takes them away again, until told to stop.
class Churn {
 public:
  explicit Churn(const e2e::Agents& agents) : thread_([this, &agents] { run(agents); }) {
    while (rounds_.load() == 0) {
      std::this_thread::yield();
    }
  }
  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;
  ~Churn() {
    stop_ = true;
    thread_.join();
  }
  /// Where the pages are, or were.
  const unsigned* last() const { return last_.load(); }
  unsigned rounds() const { return rounds_.load(); }

 private:
  void run(const e2e::Agents& agents) {
    hsa_agent_t gpu = agents.gpu;
    while (!stop_) {
      void* pages = mmap(nullptr, kLockedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (pages == MAP_FAILED) {
        std::abort();
      }
      std::memset(pages, 1, kLockedBytes);
      void* seen = nullptr;
      HSA_OK(hsa_amd_memory_lock(pages, kLockedBytes, &gpu, 1, &seen));
      last_ = static_cast<unsigned*>(seen);
      std::this_thread::yield();
      HSA_OK(hsa_amd_memory_unlock(pages));
      munmap(pages, kLockedBytes);
      ++rounds_;
    }
  }
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> rounds_{0};
  std::atomic<unsigned*> last_{nullptr};
  std::thread thread_;
};

}  // namespace

int main() {
  e2e::Checks checks("C09_reached_memory");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel count_passes = code.kernel("count_passes");
    const e2e::Kernel bump_beside = code.kernel("bump_beside");
    e2e::Queue queue(agents);
    const hsa_signal_t done = e2e::make_signal(1);
    const auto run = [&](const e2e::Kernel& kernel, auto... arguments) {
      hsa_signal_store_relaxed(done, 1);
      queue.dispatch(kernel, 64, 64, done, arguments...);
      e2e::wait_below(done, 1, "a dispatch");
    };
    unsigned* x = e2e::to_device(agents, std::vector<unsigned>{0});

    hsa_signal_t counted{};
    HSA_OK(hsa_amd_signal_create(10, 0, nullptr, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &counted));
    volatile hsa_signal_value_t* value = nullptr;
    HSA_OK(hsa_amd_signal_value_pointer(counted, &value));
    auto* ring = e2e::allocate<unsigned>(agents, agents.kernarg, 1024);
    std::memset(ring, 0, 1024 * sizeof(unsigned));
    for (int launch = 0; launch < 3; ++launch) {
      run(count_passes, const_cast<hsa_signal_value_t*>(value), x);
      run(count_passes, ring + 512, x);
    }
    checks.value("signal", static_cast<unsigned>(hsa_signal_load_scacquire(counted)), 13u);
    checks.value("argument_pool", ring[512], 3u);
    checks.equal("beside_both", e2e::from_device(agents, x, 1), {6u});

    {
      const Churn churn(agents);
      for (int launch = 0; launch < 300; ++launch) {
        run(bump_beside, x, churn.last());
      }
      checks.that("the_other_thread_ran", churn.rounds() > 1);
    }
    checks.equal("stale_pointer", e2e::from_device(agents, x, 1), {306u});
    HSA_OK(hsa_signal_destroy(counted));
    HSA_OK(hsa_signal_destroy(done));
    HSA_OK(hsa_amd_memory_pool_free(ring));
    HSA_OK(hsa_amd_memory_pool_free(x));
  }
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
