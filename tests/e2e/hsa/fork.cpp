// Fork at all times: a child that uses the GPU itself before the parent does, and, while the parent's runtime
// is alive, children that exit, exec, or are killed. The parent's work goes on as if there were none.
// e2e-replayed: ^in_place 6
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hsa_check.hpp"

namespace {

/// A whole life of the runtime, or a piece of one when it is already initialised.
void work(e2e::Checks& checks, const char* name, uint64_t seed) {
  const unsigned count = 300;
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  auto x = e2e::random_values<unsigned>(count, seed);
  const auto y = e2e::random_values<unsigned>(count, seed + 1);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  {
    const e2e::CodeObject code(agents);
    e2e::Queue queue(agents);
    for (int launch = 0; launch < 2; ++launch) {
      queue.dispatch(code.kernel("in_place"), count, 64, {}, dev_x, dev_y, count);
      e2e::in_place_host(x, y);
    }
    queue.drain();
  }
  checks.equal(name, e2e::from_device(agents, dev_x, count), x);
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
}

/// Runs `body` in a child. @return its wait status
template <class Body>
int in_child(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(99);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace

int main() {
  e2e::Checks checks("fork");
  const int first = in_child([] {
    e2e::Checks own("fork_child");
    work(own, "in_child", 361);
    std::exit(own.finish());
  });
  checks.that("child_of_its_own", WIFEXITED(first) && WEXITSTATUS(first) == 0);

  HSA_OK(hsa_init());
  work(checks, "parent", 371);
  const int exits = in_child([] { _exit(7); });
  checks.that("child_exits", WIFEXITED(exits) && WEXITSTATUS(exits) == 7);
  const int leaves = in_child([] { std::exit(8); });
  checks.that("child_exits_with_handlers", WIFEXITED(leaves) && WEXITSTATUS(leaves) == 8);
  const int execs = in_child([] { execl("/bin/false", "false", nullptr); });
  checks.that("child_execs", WIFEXITED(execs) && WEXITSTATUS(execs) == 1);
  const int dies = in_child([] { raise(SIGKILL); });
  checks.that("child_killed", WIFSIGNALED(dies) && WTERMSIG(dies) == SIGKILL);
  work(checks, "parent_after_children", 381);
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
