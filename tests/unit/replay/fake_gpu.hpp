// A runtime with one CPU agent and some GPU agents whose memory is host memory and whose kernels are host
// functions. Each queue has a packet processor thread that behaves as the AQL rules say: in order, barrier
// packets wait for their signals, the completion signal is decremented last. It checks what it is given: a
// packet published before its body, a reserved type, a doorbell beyond the write index are problems.
//
// One instance at a time. Everything it hands out lives until it is destroyed.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hsa/aql.hpp"
#include "hsa/hsa_api.hpp"

class FakeGpu {
 public:
  static constexpr uint64_t kCpu = 0x10;
  static uint64_t gpu(unsigned i) { return 0x20 + i; }
  enum Pool : uint64_t { kHostPool = 0x100, kKernargPool = 0x101, kDevicePool = 0x200 };  // + i per GPU

  explicit FakeGpu(unsigned gpus = 1);
  ~FakeGpu();
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  /// Ends all threads; asynchronous handlers that are left are called. Before anything they use is destroyed.
  void stop();

  kreplay::hsa::HsaApi api;

  /// @param kernel called by the packet processor with the dispatch packet's kernarg address
  void set_kernel(uint64_t kernel_object, std::function<void(void* kernarg)> kernel);

  struct Executed {
    hsa_queue_t* queue = nullptr;
    kreplay::hsa::Packet packet = {};
  };
  /// Packets in the order they were finished, all queues.
  std::vector<Executed> executed() const;
  std::vector<std::string> problems() const;

  std::atomic<uint64_t> live_signals{0};
  std::atomic<uint64_t> created_signals{0};
  std::atomic<uint64_t> pool_allocations{0};
  std::atomic<uint64_t> async_copies{0};
  std::atomic<uint64_t> signal_waits{0};  ///< calls that may block
  std::vector<void*> freed() const;
  std::vector<hsa_queue_t*> destroyed() const;

  // Faults and delays.
  std::atomic<uint64_t> fail_copy_at{UINT64_MAX};  ///< async copies are counted from 1
  std::atomic<bool> fail_sync_copies{false};
  std::atomic<bool> fail_signal_create{false};
  std::atomic<bool> hold_copies{false};  ///< asynchronous copies stay in flight while set
  /// Puts a queue into error: its processor stops, the callback is called with `status`.
  void fail_queue(hsa_queue_t* queue, hsa_status_t status);

  static int64_t value(hsa_signal_t signal) {
    return __atomic_load_n(&reinterpret_cast<amd_signal_t*>(signal.handle)->value, __ATOMIC_ACQUIRE);
  }
  hsa_signal_t make_signal(int64_t initial);

 private:
  struct FakeQueue;
  struct Handler {
    hsa_signal_t signal;
    hsa_signal_condition_t condition;
    hsa_signal_value_t value;
    bool (*function)(hsa_signal_value_t, void*);
    void* data;
  };
  struct Copy {
    void* to;
    const void* from;
    size_t size;
    std::vector<hsa_signal_t> dependencies;
    hsa_signal_t completion;
    bool fails;
  };
  void fill();
  void process(FakeQueue& queue);
  void run_packet(FakeQueue& queue, const kreplay::hsa::Packet& packet);
  void service();
  void problem(const std::string& what);
  static void subtract(hsa_signal_t signal);
  bool stopping() const { return stop_.load(std::memory_order_acquire); }

  static FakeGpu* self;
  const unsigned gpus_;
  mutable std::mutex mutex_;
  std::atomic<bool> stop_{false};
  std::map<uint64_t, std::function<void(void*)>> kernels_;
  std::vector<Executed> executed_;
  std::vector<std::string> problems_;
  std::vector<std::unique_ptr<FakeQueue>> queues_;
  std::vector<Handler> handlers_;
  std::deque<Copy> copies_;
  std::vector<void*> allocations_;
  std::vector<void*> freed_;
  std::vector<hsa_queue_t*> destroyed_;
  std::vector<amd_signal_t*> signals_;
  std::atomic<uint64_t> ticks_{1000};
  std::thread service_;
};

/// A dispatch packet. @param completion may be null
kreplay::hsa::Packet dispatch_packet(uint64_t kernel_object, void* kernarg, hsa_signal_t completion,
                                     bool barrier = true);
/// The vendor's packet with one cluster of one work item, and one signal to wait for (or null).
kreplay::hsa::Packet extended_dispatch_packet(uint64_t kernel_object, void* kernarg, hsa_signal_t completion,
                                              hsa_signal_t waits_for);
