#include "cp/queue.hpp"

#include <fmt/format.h>

#include <utility>

#include "cp/thread.hpp"

namespace softgpu::cp {

Queue::~Queue() {
  poller_.unwatch(doorbell_);
  worker_.stop_and_join();
}

void Queue::start(std::unique_ptr<Engine> engine, bool suspended) {
  engine_ = std::move(engine);
  suspended_ = suspended;
  worker_.start(fmt::format("softgpu-q{}", id_), [this] { run(); });
  poller_.watch(doorbell_, &worker_);
}

void Queue::update(const std::optional<Ring>& ring, bool suspended) {
  {
    const std::lock_guard lock(mutex_);
    if (ring) new_ring_ = ring;
    suspended_ = suspended;
  }
  worker_.wake();
}

/// @return false while suspended
bool Queue::take_update() {
  const std::lock_guard lock(mutex_);
  if (new_ring_) engine_->set_ring(*new_ring_);
  new_ring_.reset();
  return !suspended_;
}

/// After running dry, a short look at our own doorbell saves two thread switches per packet.
bool Queue::rings_soon(uint64_t seen) const {
  for (unsigned i = 0; i < PollSchedule::kSpins; ++i) {
    if (doorbell_->load(std::memory_order_acquire) != seen) return true;
    cpu_pause();
  }
  return false;
}

void Queue::run() {
  PollSchedule blocked;
  while (!worker_.stopping()) {
    if (!take_update()) {
      worker_.wait_for_work();
      continue;
    }
    const uint64_t seen = doorbell_->load(std::memory_order_acquire);  // before the look at the ring
    switch (engine_->step()) {
      case Step::progress:
        blocked.reset();
        break;
      case Step::blocked:
        worker_.pause(blocked);
        break;
      case Step::idle:
        if (rings_soon(seen)) break;
        poller_.expect_soon();
        worker_.wait_for_work();
        break;
      case Step::halted:
        worker_.wait_for_work();
        break;
    }
  }
}

}  // namespace softgpu::cp
