// The kernel of the window's tests: adds one to the integer its argument points at.
#pragma once

#include <cstdint>

#include "rig.hpp"

inline constexpr uint64_t kAddOne = 0x1000;  ///< kernel object that the tests give to add_one
inline constexpr uint64_t kOther = 0x2000;   ///< one of any other kernel

/// A limit that a test reaches once, and that later drains of the test do not reach on a busy machine.
inline constexpr uint64_t kShortDrainNs = 1'000'000'000;

struct Args {
  int64_t* target;
};

inline void add_one(void* kernarg) {
  int64_t* target = static_cast<Args*>(kernarg)->target;
  __atomic_fetch_add(target, 1, __ATOMIC_ACQ_REL);
}
