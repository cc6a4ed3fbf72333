#include "cp/device_clock.hpp"

#include <time.h>

#include <algorithm>

namespace softgpu::cp {
namespace {

constexpr uint64_t kNsPerTick = 1'000'000'000 / kDeviceClockHz;

uint64_t host_tick() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec)) /
         kNsPerTick;
}

}  // namespace

DeviceClock::DeviceClock(uint64_t (*source)()) : source_(source != nullptr ? source : host_tick) {}

uint64_t DeviceClock::now() const { return std::max(source_(), published_.load(std::memory_order_acquire)); }

void DeviceClock::publish(uint64_t tick) {
  uint64_t seen = published_.load(std::memory_order_relaxed);
  while (seen < tick && !published_.compare_exchange_weak(seen, tick, std::memory_order_acq_rel)) {
  }
}

uint64_t QueueTime::begin() {
  current_ = std::max(current_, clock_.host_now());
  return current_;
}

uint64_t QueueTime::advance(uint64_t ticks) {
  current_ += ticks;
  clock_.publish(current_);
  return current_;
}

}  // namespace softgpu::cp
