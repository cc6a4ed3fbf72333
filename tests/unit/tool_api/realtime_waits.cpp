// Stands before the C library's function, which is what a wait on the system clock ends in.
#include "realtime_waits.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace {

std::atomic<uint64_t> g_waits{0};

}  // namespace

uint64_t tool_test::realtime_waits() { return g_waits; }

extern "C" int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                      const timespec* until) {
  static const auto next = reinterpret_cast<decltype(&pthread_cond_timedwait)>(
      dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2"));
  ++g_waits;
  return next(condition, mutex, until);
}
