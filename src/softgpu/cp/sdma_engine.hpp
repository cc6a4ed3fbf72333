// The SDMA engine: copies, fills, fences and polls from a ring of byte counts. The doorbell's value is the
// write pointer; the read pointer is published after each packet.
//
// Time: each packet costs a tick, each moved byte its share of kSdmaBytesPerTick, so a copy takes the same
// number of ticks on every run. The clock is taken anew after idling and after a poll that blocked.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "cp/engine.hpp"
#include "cp/memory_access.hpp"

namespace softgpu::cp {

/// Cost model: 16 GB/s, a PCIe 3 x16 link.
constexpr uint64_t kSdmaBytesPerTick = 160;

class SdmaEngine final : public Engine {
 public:
  /// @param doorbell write pointer in bytes, stored by the application
  /// @param read_pointer where the number of bytes consumed is published
  SdmaEngine(const EngineContext& context, const Ring& ring, const std::atomic<uint64_t>* doorbell,
             uint64_t* read_pointer);

  Step step() override;
  void set_ring(const Ring& ring) override { ring_ = ring; }

 private:
  /// What one packet did: it may also have found that it must wait, or that it cannot be.
  struct Outcome {
    bool blocked = false;
    std::optional<AccessFault> fault;
    std::string error;
    uint64_t bytes_moved = 0;
  };
  Outcome run(const uint32_t* dwords);
  Outcome copy_linear(const uint32_t* d);
  Outcome copy_window(const uint32_t* d);
  Outcome fence(const uint32_t* d);
  Outcome poll(const uint32_t* d);
  Outcome atomic(const uint32_t* d);
  Outcome fill(const uint32_t* d);
  Outcome timestamp(const uint32_t* d);
  Step halt(const std::string& why);
  uint32_t ring_dword(uint64_t byte_offset) const;

  const EngineContext context_;
  Ring ring_;
  const std::atomic<uint64_t>* const doorbell_;
  uint64_t* const read_pointer_;
  QueueTime time_;
  uint64_t read_;
  bool resync_ = true;  ///< take the host's tick before the next packet
  bool halted_ = false;
};

}  // namespace softgpu::cp
