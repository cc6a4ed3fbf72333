#include "cp/thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <utility>

namespace softgpu::cp {

std::thread start_thread(std::string name, std::function<void()> body) {
  // A new thread inherits the mask of its creator: block here, so that no signal can arrive in between.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread([name = std::move(name), body = std::move(body)] {
      prctl(PR_SET_NAME, name.substr(0, 15).c_str());
      prctl(PR_SET_TIMERSLACK, 1UL);
      body();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace softgpu::cp
