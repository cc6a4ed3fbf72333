// HIP side of the end-to-end programs: error check, device array, launch check.
#pragma once

#include <hip/hip_runtime.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "support/check.hpp"

#define HIP_OK(call) e2e::hip_ok((call), #call, __FILE__, __LINE__)

/// After a <<<>>> launch.
#define HIP_LAUNCHED() HIP_OK(hipGetLastError())

namespace e2e {

/// Ends the program with status 2 and the failing call's text when a HIP call did not succeed.
inline void hip_ok(hipError_t status, const char* call, const char* file, int line) {
  if (status != hipSuccess) {
    std::printf("error %s: %s\n", call, hipGetErrorName(status));
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, hipGetErrorString(status));
    std::_Exit(2);
  }
}

/// Device memory of `count` elements of T, freed with the object.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { upload(values); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    if (data_ != nullptr) {
      HIP_OK(hipFree(data_));
    }
  }

  T* get() const { return data_; }
  size_t count() const { return count_; }
  size_t size_bytes() const { return count_ * sizeof(T); }

  void upload(const std::vector<T>& values) {
    HIP_OK(hipMemcpy(data_, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  void clear() { HIP_OK(hipMemset(data_, 0, size_bytes())); }
  /// Waits for the device's default stream, as hipMemcpy does.
  std::vector<T> download() const {
    std::vector<T> values(count_);
    HIP_OK(hipMemcpy(values.data(), data_, size_bytes(), hipMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_ = 0;
};

/// After a kernel that ends its queue. HIP up to 6 aborts the process; HIP 7 returns an error from here on,
/// which is printed, and the program ends with status 5.
[[noreturn]] inline void end_with_gpu_error() {
  hipError_t status = hipSuccess;
  for (int look = 0; look < 1000 && status == hipSuccess; ++look) {
    status = hipDeviceSynchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(status == hipSuccess ? 1 : 0));
  }
  std::printf("the GPU's error: %s\n", hipGetErrorName(status));
  std::exit(status == hipSuccess ? 1 : 5);
}

inline unsigned groups_for(size_t count, unsigned group) {
  return static_cast<unsigned>((count + group - 1) / group);
}

}  // namespace e2e
