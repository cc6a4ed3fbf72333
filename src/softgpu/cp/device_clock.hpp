// The device clock: 100 MHz ticks. One per GPU; a queue places its work on it.
//
// A dispatch starts at max(host-derived tick, end of the work before it in its queue) and ends its
// deterministic number of ticks later. That end may lie ahead of the host-derived tick; the clock an
// application reads is therefore never behind a timestamp it could already have seen.
#pragma once

#include <atomic>
#include <cstdint>

namespace softgpu::cp {

constexpr uint64_t kDeviceClockHz = 100'000'000;

class DeviceClock {
 public:
  /// @param source host-derived tick; tests pass their own. Null: CLOCK_MONOTONIC_RAW, 10 ns a tick.
  explicit DeviceClock(uint64_t (*source)() = nullptr);

  /// The host-derived tick alone.
  uint64_t host_now() const { return source_(); }
  /// What the application may be told: max(host_now(), every published tick).
  uint64_t now() const;
  /// `tick` was written where the application can read it.
  void publish(uint64_t tick);

 private:
  uint64_t (*source_)();
  std::atomic<uint64_t> published_{0};
};

/// The position of one queue on the clock.
class QueueTime {
 public:
  explicit QueueTime(DeviceClock& clock) : clock_(clock) {}
  /// Work begins that was not yet there when the previous work ended: never before the host's tick.
  uint64_t begin();
  /// Work of `ticks` ends. @return its end, already published
  uint64_t advance(uint64_t ticks);
  uint64_t current() const { return current_; }

 private:
  DeviceClock& clock_;
  uint64_t current_ = 0;
};

}  // namespace softgpu::cp
