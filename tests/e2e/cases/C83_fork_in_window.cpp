// C83: one thread launches without pause, every launch replayed; another forks children that exit with and
// without handlers, are terminated, or exec. None of them hangs, writes anything, or disturbs the parent.
//
// e2e-candidates: ^in_place 30
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C83_fork_in_window");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 831);
  const auto y = e2e::random_values<unsigned>(count, 832);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  {
    const e2e::CodeObject code(agents);
    e2e::Queue queue(agents);
    std::atomic<bool> stop{false};
    std::atomic<unsigned> launches{0};
    std::thread launcher([&] {
      const e2e::Kernel in_place = code.kernel("in_place");
      while (!stop.load() || launches < 30) {
        const hsa_signal_t done = e2e::make_signal(1);
        queue.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
        e2e::wait_below(done, 1, "a launch");
        HSA_OK(hsa_signal_destroy(done));
        ++launches;
      }
    });
    while (launches < 3) std::this_thread::yield();
    unsigned right = 0;
    for (int i = 0; i < 12; ++i) {
      std::fflush(stdout);
      const pid_t child = fork();
      if (child == 0) {
        switch (i % 4) {
          case 0:
            _exit(7);
          case 1:
            std::exit(8);
          case 2:
            kill(getpid(), SIGTERM);
            _exit(99);
          default:
            execl("/bin/false", "false", nullptr);
            _exit(99);
        }
      }
      int status = -1;
      if (child < 0 || waitpid(child, &status, 0) != child) continue;
      const bool good = i % 4 == 0   ? WIFEXITED(status) && WEXITSTATUS(status) == 7
                        : i % 4 == 1 ? WIFEXITED(status) && WEXITSTATUS(status) == 8
                        : i % 4 == 2 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM
                                     : WIFEXITED(status) && WEXITSTATUS(status) == 1;
      right += good ? 1 : 0;
    }
    checks.value("children", right, 12u);
    stop = true;
    launcher.join();
    const unsigned done = launches.load();
    for (unsigned i = 0; i < done; ++i) e2e::in_place_host(x, y);
    checks.that("x", e2e::from_device(agents, dev_x, count) == x);  // how many launches there were varies
  }
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
