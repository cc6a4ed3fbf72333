// Deferred cancellation (pthread_cancel) unwinds a thread from inside open, write, a wait and the like.
// Bodies of ours are noexcept, hold locks, and stand in functions that are no cancellation points: there it
// would end the process. Under a guard the request stays pending until the application's next cancellation
// point.
#pragma once

#include <pthread.h>

namespace kreplay {

class CancelGuard {
 public:
  CancelGuard() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelGuard() {
    int ours;
    pthread_setcancelstate(before_, &ours);
  }
  CancelGuard(const CancelGuard&) = delete;
  CancelGuard& operator=(const CancelGuard&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace kreplay
