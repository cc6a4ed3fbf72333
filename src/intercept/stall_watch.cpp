#include "intercept/stall_watch.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/check.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "intercept/proxy_queue.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::intercept::stall_watch {
namespace {

constexpr std::chrono::nanoseconds kFirstNap = std::chrono::microseconds(50);
constexpr std::chrono::nanoseconds kLongestNap = std::chrono::milliseconds(2);

struct Watch {
  Mutex mutex;  // guards the rest, and each queue's StallEntry
  std::condition_variable_any tried;
  ProxyQueue* first = nullptr;
  ProxyQueue* trying = nullptr;  ///< by the thread, which has let go of the mutex
  bool running = false;
};

/// Leaked: the thread may still be at it when static objects are destroyed.
Watch& watch() {
  static Watch& it = *new Watch;
  return it;
}

void unlink(Watch& it, ProxyQueue& proxy) {
  if (!proxy.stall_entry().listed) return;
  ProxyQueue** at = &it.first;
  while (*at != nullptr && *at != &proxy) at = &(*at)->stall_entry().next;
  if (!KR_HOLDS(*at == &proxy, "a queue that counts as listed is in the list")) return;
  *at = proxy.stall_entry().next;
  proxy.stall_entry() = {};
}

void* run(void*) {
  const replay::OursScope ours;
  Watch& it = watch();
  std::chrono::nanoseconds nap = kFirstNap;
  std::unique_lock lock(it.mutex);
  KR_CHECK(it.running && it.trying == nullptr, "one thread tries stalled queues");
  while (it.first != nullptr) {
    ProxyQueue* next = nullptr;
    for (ProxyQueue* at = it.first; at != nullptr; at = next) {
      it.trying = at;
      lock.unlock();
      KR_CHECK_UNLOCKED();
      const bool still = at->try_again();
      lock.lock();
      it.trying = nullptr;
      it.tried.notify_all();
      if (!still) nap = kFirstNap;
      // Nobody waits to destroy a queue that is still listed. Asked again under the lock: whoever stalls it
      // from here on comes to add() later.
      next = at->stall_entry().listed ? at->stall_entry().next : nullptr;
      if (at->stall_entry().listed && !at->stalled()) unlink(it, *at);
    }
    if (it.first == nullptr) break;
    lock.unlock();
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, kLongestNap);
    lock.lock();
  }
  it.running = false;
  return nullptr;
}

/// With all signals blocked: the application's handlers run on its own threads.
int start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, &run, nullptr);
  if (error == 0) pthread_setname_np(thread, "kreplay-stall");
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

void add(ProxyQueue& proxy) noexcept {
  KR_CHECK_UNLOCKED();
  const int saved = errno;
  const replay::OursScope ours;
  Watch& it = watch();
  int error = 0;
  {
    const std::lock_guard lock(it.mutex);
    KR_CHECK(proxy.stall_entry().listed || proxy.stall_entry().next == nullptr,
             "who is not listed has no next");
    if (!proxy.stall_entry().listed) {
      proxy.stall_entry() = {it.first, true};
      it.first = &proxy;
    }
    if (!it.running) {
      error = start();
      it.running = error == 0;
    }
  }
  if (error != 0)
    log::error(
        "hsa_signal_store",
        "queue {}: its ring is full and no thread could be started (error {}); what is left in it goes on "
        "when the program rings the doorbell or loads the read index",
        proxy.queue().id(), error);
  errno = saved;
}

void remove(ProxyQueue& proxy) noexcept {
  Watch& it = watch();
  std::unique_lock lock(it.mutex);
  unlink(it, proxy);
  it.tried.wait(lock, [&] { return it.trying != &proxy; });
  KR_CHECK(!proxy.stall_entry().listed, "a queue that ends is not tried again");
}

void remove_all() noexcept {
  Watch& it = watch();
  std::unique_lock lock(it.mutex);
  while (it.first != nullptr) unlink(it, *it.first);
  it.tried.wait(lock, [&] { return it.trying == nullptr; });
}

}  // namespace kreplay::intercept::stall_watch
