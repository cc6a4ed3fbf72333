#include "device/signal_pool.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/check.hpp"
#include "base/mutex.hpp"

namespace kreplay::device {

struct SignalPool::Abandoned {
  SignalPool* pool;
  hsa_signal_t signal;
};

Result<hsa_signal_t> SignalPool::acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      const hsa_signal_t signal = idle_.back();
      idle_.pop_back();
      return signal;
    }
  }
  KR_CHECK_UNLOCKED();
  hsa_signal_t signal = {0};
  const hsa_status_t status = api_.hsa_signal_create(0, 0, nullptr, &signal);
  if (status != HSA_STATUS_SUCCESS || signal.handle == 0)
    return Status(Error::runtime,
                  fmt::format("hsa_signal_create failed with 0x{:x}", static_cast<unsigned>(status)));
  const std::lock_guard lock(mutex_);
  ++created_;
  if (idle_.capacity() < created_) idle_.reserve(2 * created_ + 8);  // so that release() never allocates
  return signal;
}

void SignalPool::release(hsa_signal_t signal) {
  KR_CHECK(signal.handle != 0, "a signal is given back once");
  const std::lock_guard lock(mutex_);
  KR_CHECK(idle_.size() < created_, "no more signals are given back than were made");
  KR_CHECK(idle_.size() < idle_.capacity(), "giving a signal back needs no memory");
  idle_.push_back(signal);
}

void SignalPool::abandon(hsa_signal_t signal) {
  KR_CHECK(signal.handle != 0, "what is given up is a signal");
  KR_CHECK_UNLOCKED();
  auto owned = std::make_unique<Abandoned>(Abandoned{this, signal});
  const hsa_status_t status = api_.hsa_amd_signal_async_handler(
      signal, HSA_SIGNAL_CONDITION_LT, 1,
      [](hsa_signal_value_t, void* data) {
        const std::unique_ptr<Abandoned> back(static_cast<Abandoned*>(data));
        back->pool->release(back->signal);
        return false;  // once
      },
      owned.get());
  // Without the handler the signal is leaked on purpose: the packet may still write to it.
  if (status == HSA_STATUS_SUCCESS) (void)owned.release();
}

void SignalPool::drop_all() {
  std::vector<hsa_signal_t> idle;
  {
    const std::lock_guard lock(mutex_);
    idle = idle_;
    idle_.clear();  // keeps its room: those that are out come back, see acquire()
  }
  KR_CHECK_UNLOCKED();
  for (const hsa_signal_t signal : idle) api_.hsa_signal_destroy(signal);
}

size_t SignalPool::created() const {
  const std::lock_guard lock(mutex_);
  return created_;
}

}  // namespace kreplay::device
