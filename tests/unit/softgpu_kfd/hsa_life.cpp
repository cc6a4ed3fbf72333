// Parts about the life of the process: again, forked, idle, gone.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "hsa_program.hpp"

namespace {

void one_barrier(const Machine& machine) {
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  const hsa_signal_t done = make_signal(1);
  submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {}, done);
  wait_done(done);
  CHECK_HSA(hsa_signal_destroy(done));
  CHECK_HSA(hsa_queue_destroy(queue));
}

int status_of(pid_t child) {
  int status = 0;
  CHECK_THAT(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

void part_reinit() {
  for (int i = 0; i < 200; ++i) {
    CHECK_HSA(hsa_init());
    CHECK_HSA(hsa_shut_down());
  }
  for (int i = 0; i < 20; ++i) {
    one_barrier(start_hsa());
    CHECK_HSA(hsa_shut_down());
  }
}

// A child that opens the device anew gets a GPU of its own, whether or not the parent had one.
void part_fork() {
  one_barrier(start_hsa());
  CHECK_HSA(hsa_shut_down());
  const pid_t child = fork();
  CHECK_THAT(child >= 0);
  if (child == 0) {
    one_barrier(start_hsa());
    CHECK_HSA(hsa_shut_down());
    _exit(17);
  }
  one_barrier(start_hsa());
  CHECK_THAT(status_of(child) == 17);
  // A child forked while the parent's GPU is live, which only leaves.
  const pid_t idle = fork();
  CHECK_THAT(idle >= 0);
  if (idle == 0) std::exit(0);
  CHECK_THAT(status_of(idle) == 0);
  one_barrier(start_hsa());
}

void part_exit_without_shutdown() {
  const Machine machine = start_hsa();
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, {make_signal(1)}, {0});  // never satisfied
  submit_barrier(make_queue(machine.gpus[0], 64), HSA_PACKET_TYPE_BARRIER_AND, {}, {0});
}

// Ends on its own; tools that count system calls or CPU time look at the pause.
void part_idle() {
  const Machine machine = start_hsa();
  one_barrier(machine);
  hsa_queue_t* queue = make_queue(machine.gpus[0], 64);
  const char* seconds = std::getenv("IDLE_SECONDS");
  sleep(seconds != nullptr ? static_cast<unsigned>(std::atoi(seconds)) : 0);
  CHECK_HSA(hsa_queue_destroy(queue));
  CHECK_HSA(hsa_shut_down());
}

void part_killed() {
  one_barrier(start_hsa());
  raise(SIGKILL);
}
