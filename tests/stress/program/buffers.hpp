// Streams and buffers of one host thread of a random program, and what keeps the program free of races.
//
// A buffer is used by one stream at a time. Whoever uses it next, another stream or the host, first orders
// itself behind the last use (Orders::before): through an event, a wait of the host, or the legacy stream's
// own ordering.
#pragma once

#include <string>

#include "stress/program/kernels.hpp"
#include "support/hip_check.hpp"

namespace random_program {

/// A stream, or a GPU's legacy stream (null).
struct Lane {
  hipStream_t stream = nullptr;
  int gpu = 0;
  bool blocking = true;  ///< ordered against the legacy stream of its GPU
};

enum class Memory { device, pinned, managed, slice };

struct Buffer {
  Memory memory = Memory::device;
  int gpu = 0;  ///< of device memory
  Word* data = nullptr;
  Words want;
  const Lane* last = nullptr;  ///< where it was used since the host last waited for it
  std::string trail;           ///< its uses since it was last compared, for the message

  unsigned count() const { return static_cast<unsigned>(want.size()); }
  size_t size_bytes() const { return want.size() * sizeof(Word); }
  bool on_gpu() const { return memory == Memory::device || memory == Memory::slice; }
  void note(const std::string& what) {
    trail += " " + what;
    if (trail.size() > 600) trail.erase(0, trail.size() - 500);
  }
};

inline std::string name(const Lane& lane) {
  return "gpu" + std::to_string(lane.gpu) + (lane.stream == nullptr ? ".null" : lane.blocking ? ".s" : ".n");
}

class Orders {
 public:
  /// @param rely_on_legacy  whether the legacy stream's own ordering may stand in for an event
  Orders(e2e::Random& random, bool rely_on_legacy) : random_(random), rely_on_legacy_(rely_on_legacy) {}
  ~Orders() { forget_events(); }
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;

  /// The buffer's next use is in `lane`. The current device is not kept.
  void before(const Lane& lane, Buffer& buffer) {
    const Lane* last = std::exchange(buffer.last, &lane);
    if (last == nullptr || last == &lane) return;
    const bool implied = rely_on_legacy_ && last->gpu == lane.gpu && last->blocking && lane.blocking &&
                         (last->stream == nullptr || lane.stream == nullptr);
    if (implied && random_.next() % 2 == 0) return;
    switch (random_.next() % 6) {
      case 0:
        host_waits(*last);
        break;
      case 1:
        HIP_OK(hipSetDevice(last->gpu));
        HIP_OK(hipDeviceSynchronize());
        break;
      default:
        by_event(*last, lane);
        break;
    }
  }
  /// The host uses the buffer next.
  void before_host(Buffer& buffer) {
    if (const Lane* last = std::exchange(buffer.last, nullptr)) host_waits(*last);
  }
  /// No event is waited for any more.
  void forget_events() {
    for (hipEvent_t event : events_) HIP_OK(hipEventDestroy(event));
    events_.clear();
  }

 private:
  void host_waits(const Lane& lane) {
    HIP_OK(hipSetDevice(lane.gpu));
    HIP_OK(hipStreamSynchronize(lane.stream));
  }
  void by_event(const Lane& from, const Lane& to) {
    hipEvent_t event;
    HIP_OK(hipSetDevice(from.gpu));
    HIP_OK(
        hipEventCreateWithFlags(&event, random_.next() % 2 == 0 ? hipEventDefault : hipEventDisableTiming));
    HIP_OK(hipEventRecord(event, from.stream));
    HIP_OK(hipSetDevice(to.gpu));
    HIP_OK(hipStreamWaitEvent(to.stream, event, 0));
    events_.push_back(event);
  }

  e2e::Random& random_;
  const bool rely_on_legacy_;
  std::vector<hipEvent_t> events_;
};

}  // namespace random_program
