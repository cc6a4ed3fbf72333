// How often to look at something that nobody announces: a doorbell, a signal the host may store to. First
// spin, then sleep longer and longer. Pure arithmetic, so that the cost of an idle process can be counted.
#pragma once

#include <chrono>

namespace softgpu::cp {

class PollSchedule {
 public:
  static constexpr unsigned kSpins = 200;
  static constexpr unsigned kStepsPerSleep = 50;  ///< looks at 20 us and at 200 us each
  static constexpr std::chrono::microseconds kShort{20};
  static constexpr std::chrono::microseconds kMedium{200};
  static constexpr std::chrono::microseconds kLong{1000};

  /// How long to wait before the next look; zero means spin.
  std::chrono::microseconds next() {
    const unsigned step = step_;
    if (step_ < kSpins + 2 * kStepsPerSleep) ++step_;
    if (step < kSpins) return std::chrono::microseconds{0};
    if (step < kSpins + kStepsPerSleep) return kShort;
    if (step < kSpins + 2 * kStepsPerSleep) return kMedium;
    return kLong;
  }
  /// Something happened: look often again.
  void reset() { step_ = 0; }
  /// Something may happen soon: look often, but do not burn the CPU for it.
  void reset_without_spin() { step_ = kSpins; }

 private:
  unsigned step_ = 0;
};

}  // namespace softgpu::cp
