// Signals of ours, made once and reused. One that a packet in some ring still refers to is abandoned: it
// comes back by itself when that packet has retired, or never.
#pragma once

#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::device {

/// Threads: any. Calls the runtime without holding the lock.
class SignalPool {
 public:
  explicit SignalPool(const hsa::HsaApi& api) : api_(api) {}
  SignalPool(const SignalPool&) = delete;
  SignalPool& operator=(const SignalPool&) = delete;

  /// A signal nobody refers to; its value is whatever the last user left. Creates one when the pool is empty.
  Result<hsa_signal_t> acquire();
  void release(hsa_signal_t signal);
  /// Gives up a signal that counts down to zero at an unknown time. The pool must live for ever (it does:
  /// the replayer is leaked).
  void abandon(hsa_signal_t signal);
  /// Destroys what is idle (runtime shut down). Abandoned ones stay.
  void drop_all();
  size_t created() const;

 private:
  struct Abandoned;
  const hsa::HsaApi& api_;
  mutable Mutex mutex_;  // guards the two below
  std::vector<hsa_signal_t> idle_;
  size_t created_ = 0;
};

}  // namespace kreplay::device
