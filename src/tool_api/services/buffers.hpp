// Buffers: records collected in memory and handed to the tool in batches, on a thread of ours. Each has two
// halves: one is written while the other is delivered.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/services/worker_thread.hpp"

namespace kreplay::tool_api {

/// A record to be copied into a buffer.
struct BufferItem {
  uint32_t category = 0;  ///< rocprofiler_buffer_category_t
  uint32_t kind = 0;
  const void* payload = nullptr;
  size_t bytes = 0;
};

struct BufferSetup {
  rocprofiler_context_id_t context = {0};
  size_t bytes = 0;      ///< of payloads, in one half
  size_t watermark = 0;  ///< records, as upstream compares it; 0 as 1
  bool lossless = false;
  rocprofiler_buffer_tracing_cb_t callback = nullptr;
  void* data = nullptr;
};

/// Threads: any. No lock is held while the tool is called.
class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  /// @param thread delivers it; must outlive the buffer
  Buffer(rocprofiler_buffer_id_t id, const BufferSetup& setup, WorkerThread& thread);

  rocprofiler_buffer_id_t id() const { return id_; }
  /// Writes records that stay together, in this order, or none of them. A full buffer is delivered; a
  /// lossless one waits for that, the other drops and counts.
  void write(std::span<const BufferItem> items) noexcept;
  /// Delivers what was written before, and returns after it. BUFFER_BUSY on the buffer's own thread.
  rocprofiler_status_t flush() noexcept;
  void assign(WorkerThread& thread);
  /// No delivery begins any more; one that runs is waited for.
  rocprofiler_status_t close() noexcept;
  uint64_t dropped() const;

 private:
  struct Half {
    std::vector<std::byte> memory;
    size_t used = 0;
    std::vector<rocprofiler_record_header_t> headers;
  };
  /// A writer does not wait longer for room than this.
  static constexpr std::chrono::seconds kLongestWait{60};

  bool fits(size_t bytes) const { return halves_[writing_].used + bytes <= halves_[writing_].memory.size(); }
  void put(const BufferItem& item);
  bool make_room(std::unique_lock<std::mutex>& lock, size_t bytes);
  /// @return whether a delivery is on its way
  bool post_delivery() noexcept;
  void deliver();
  WorkerThread& thread() const;

  const rocprofiler_buffer_id_t id_;
  const BufferSetup setup_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable room_;
  WorkerThread* thread_;
  Half halves_[2];
  unsigned writing_ = 0;
  uint64_t dropped_ = 0;
  bool delivering_ = false;
  bool delivery_posted_ = false;
  bool closed_ = false;
  bool told_too_small_ = false;
};

/// The buffers of a process and the threads that deliver them.
class BufferTable {
 public:
  explicit BufferTable(const InternalThreads& notices) : notices_(notices) {}
  ~BufferTable();

  rocprofiler_status_t create(const BufferSetup& setup, rocprofiler_buffer_id_t* id);
  rocprofiler_status_t destroy(rocprofiler_buffer_id_t id);
  rocprofiler_status_t create_thread(rocprofiler_callback_thread_t* id);
  rocprofiler_status_t assign(rocprofiler_buffer_id_t id, rocprofiler_callback_thread_t thread);
  std::shared_ptr<Buffer> find(rocprofiler_buffer_id_t id) const;

 private:
  const InternalThreads& notices_;
  mutable std::mutex mutex_;  // guards everything below
  /// The first one serves buffers without a thread of their own. Never removed.
  std::vector<std::unique_ptr<WorkerThread>> threads_;
  std::vector<std::shared_ptr<Buffer>> buffers_;  ///< by id - 1; null: destroyed
};

}  // namespace kreplay::tool_api
