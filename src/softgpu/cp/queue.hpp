// One queue: an engine, the worker that steps it, and the words it shares with the application.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "cp/doorbell_poller.hpp"
#include "cp/engine.hpp"

namespace softgpu::cp {

class Queue {
 public:
  Queue(uint32_t id, ProgressHub& hub, DoorbellPoller& poller, const std::atomic<uint64_t>* doorbell)
      : id_(id), poller_(poller), doorbell_(doorbell), worker_(hub) {}
  /// Stops the worker, even in the middle of a kernel, and waits for it.
  ~Queue();

  /// @param suspended created with percentage 0
  void start(std::unique_ptr<Engine> engine, bool suspended);
  uint32_t id() const { return id_; }
  Engine& engine() { return *engine_; }
  const std::atomic<bool>& stop_flag() const { return worker_.stop_flag(); }

  /// Takes effect before the next packet; a packet already running is not interrupted.
  void update(const std::optional<Ring>& ring, bool suspended);

 private:
  void run();
  bool take_update();
  bool rings_soon(uint64_t seen) const;

  const uint32_t id_;
  DoorbellPoller& poller_;
  const std::atomic<uint64_t>* const doorbell_;
  std::unique_ptr<Engine> engine_;
  std::mutex mutex_;  ///< guards what follows
  std::optional<Ring> new_ring_;
  bool suspended_ = false;
  Worker worker_;  ///< last: its thread uses all of the above
};

}  // namespace softgpu::cp
