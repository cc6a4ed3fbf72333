// The AQL packet processor: packet states and fences of the HSA system architecture document, in order and
// one packet at a time, which satisfies the barrier bit and every fence of the device side.
//
// The queue's fields are read anew for each packet: the runtime rewrites them while we wait for scratch.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include <functional>
#include <mutex>
#include <string>

#include "cp/aql_packets.hpp"
#include "cp/engine.hpp"
#include "cp/pm4.hpp"

namespace softgpu::cp {

class AqlEngine final : public Engine {
 public:
  /// @param queue mapped memory of the runtime; must stay mapped until the queue is destroyed
  AqlEngine(const EngineContext& context, amd_queue_t* queue, GpuVa queue_va, const Ring& ring);

  Step step() override;
  void set_ring(const Ring& ring) override { ring_ = ring; }
  /// The queue got global wave sync: its grids run with every workgroup resident. Threads: any.
  void set_cooperative() { cooperative_.store(true, std::memory_order_release); }
  /// For grids that start from now on. Threads: any.
  void set_cu_mask(const gfx9::CuMask& mask);

 private:
  enum class Waiting { nothing, scratch, reclaim };

  Step run_packet(std::byte* slot, AqlHeader header);
  Step dispatch(const hsa_kernel_dispatch_packet_t& packet, AqlHeader header, GpuVa packet_va);
  Step barrier(const hsa_barrier_and_packet_t& packet, bool any);
  Step barrier_value(const hsa_amd_barrier_value_packet_t& packet);
  Step pm4(const Pm4IbPacket& packet);

  Step complete(hsa_signal_t signal, uint64_t start_ticks, uint64_t end_ticks);
  Step complete_now(hsa_signal_t signal);
  Step after_grid(const gfx9::GridResult& result, hsa_signal_t signal, const gfx9::GridDispatch& grid,
                  bool use_once);
  Step fail(QueueError error, const std::string& why);
  Step memory_fault(GpuVa address, bool write, const std::string& why);
  Step ask(Waiting what, QueueError code);
  void invalidate_code_if_needed(AqlHeader header);
  void retire();
  amd_signal_t* inactive_signal() const;
  int64_t dependency_value(hsa_signal_t signal, bool* mapped) const;

  const EngineContext context_;
  amd_queue_t* const queue_;
  const GpuVa queue_va_;
  Ring ring_;
  gfx9::Grid grid_;
  QueueRegisters registers_;
  QueueTime time_;
  std::atomic<bool> cooperative_{false};
  std::mutex mask_mutex_;  ///< guards cu_mask_
  gfx9::CuMask cu_mask_;
  uint64_t read_index_;
  Waiting waiting_ = Waiting::nothing;
  bool halted_ = false;
  uint64_t seen_code_epoch_ = 0;
  uint64_t seen_generation_ = 0;
};

}  // namespace softgpu::cp
