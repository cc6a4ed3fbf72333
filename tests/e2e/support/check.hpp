// Checks of the end-to-end programs. Every check prints one line on stdout,
//
//   check NAME ok count=N fnv=HASH
//
// where HASH covers the bytes the program got from the device. The runner compares these lines between a
// plain, an idle and a replayed run, so a value that is within tolerance but not bit-identical is found too.
// A program ends with `return checks.finish();`: 0 when all checks passed, 1 otherwise.
// Threads: a Checks object belongs to one thread. Programs with several threads check after joining them.
#pragma once

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace e2e {

/// FNV-1a, 64 bit.
inline uint64_t checksum(const void* data, size_t size_bytes) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size_bytes; ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  }
  return hash;
}

/// SplitMix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high).
  double real(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
  }

 private:
  uint64_t state_;
};

/// Numbers of any arithmetic type: integers over their whole range, reals in [-8, 8).
template <class T>
std::vector<T> random_values(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (auto& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(random.real(-8, 8));
    } else {
      value = static_cast<T>(random.next());
    }
  }
  return values;
}

/// Distance of two finite reals in units of the last place of the type; NaN against NaN is 0, NaN against a
/// number is infinite.
template <class T>
double ulp_distance(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  }
  Bits x;
  Bits y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  const auto ordered = [](Bits v) {
    return v < 0 ? -static_cast<double>(v & std::numeric_limits<Bits>::max()) : static_cast<double>(v);
  };
  return std::fabs(ordered(x) - ordered(y));
}

class Checks {
 public:
  explicit Checks(const char* program) : program_(program) {
    // Line by line, so that output is whole and in order when the program is meant to abort.
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
  }

  /// Bitwise equality of two arrays.
  template <class T>
  void equal(const char* name, const T* got, const T* want, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
      if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0 && wrong++ < kShown) {
        show(name, i, got[i], want[i]);
      }
    }
    line(name, wrong, got, count);
  }
  template <class T>
  void equal(const char* name, const std::vector<T>& got, const std::vector<T>& want) {
    if (got.size() != want.size()) {
      std::printf("check %s: got %zu elements, want %zu\n", name, got.size(), want.size());
      ++failed_;
      return;
    }
    equal(name, got.data(), want.data(), got.size());
  }
  template <class T>
  void value(const char* name, T got, T want) {
    equal(name, &got, &want, 1);
  }

  /// Equality of reals within `ulps` units of the last place.
  template <class T>
  void close(const char* name, const std::vector<T>& got, const std::vector<T>& want, double ulps) {
    size_t wrong = got.size() == want.size() ? 0 : 1;
    for (size_t i = 0; i < got.size() && i < want.size(); ++i) {
      if (!(ulp_distance(got[i], want[i]) <= ulps) && wrong++ < kShown) {
        show(name, i, got[i], want[i]);
      }
    }
    line(name, wrong, got.data(), got.size());
  }

  void that(const char* name, bool holds) {
    const unsigned char byte = holds ? 1 : 0;
    line(name, holds ? 0 : 1, &byte, 1);
  }

  /// Prints the verdict. @return the program's exit status
  int finish() {
    std::printf("%s %s: %u checks, %u failed\n", failed_ == 0 && run_ != 0 ? "PASS" : "FAIL", program_, run_,
                failed_);
    std::fflush(stdout);
    return failed_ == 0 && run_ != 0 ? 0 : 1;
  }

 private:
  static constexpr size_t kShown = 4;

  template <class T>
  static void show(const char* name, size_t index, const T& got, const T& want) {
    if constexpr (std::is_floating_point_v<T>) {
      std::printf("check %s: [%zu] got %.17g (%a), want %.17g (%a)\n", name, index, static_cast<double>(got),
                  static_cast<double>(got), static_cast<double>(want), static_cast<double>(want));
    } else if constexpr (std::is_integral_v<T>) {
      std::printf("check %s: [%zu] got %lld, want %lld\n", name, index, static_cast<long long>(got),
                  static_cast<long long>(want));
    } else {
      std::printf("check %s: [%zu] differs\n", name, index);
    }
  }

  template <class T>
  void line(const char* name, size_t wrong, const T* got, size_t count) {
    ++run_;
    failed_ += wrong != 0 ? 1 : 0;
    std::printf("check %s %s count=%zu fnv=%016" PRIx64 "\n", name, wrong == 0 ? "ok" : "WRONG", count,
                checksum(got, count * sizeof(T)));
  }

  const char* program_;
  unsigned run_ = 0;
  unsigned failed_ = 0;
};

}  // namespace e2e
