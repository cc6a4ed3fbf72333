#include "tool_api/services/buffers.hpp"

#include <cstring>

#include "base/log.hpp"

namespace kreplay::tool_api {
namespace {

constexpr size_t kAlignment = 8;
constexpr size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Buffer::Buffer(rocprofiler_buffer_id_t id, const BufferSetup& setup, WorkerThread& thread)
    : id_(id), setup_(setup), thread_(&thread) {
  for (Half& half : halves_) half.memory.resize(rounded(setup.bytes));
}

uint64_t Buffer::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

WorkerThread& Buffer::thread() const {
  const std::lock_guard lock(mutex_);
  return *thread_;
}

void Buffer::assign(WorkerThread& thread) {
  const std::lock_guard lock(mutex_);
  thread_ = &thread;
}

void Buffer::put(const BufferItem& item) {
  Half& half = halves_[writing_];
  std::byte* at = half.memory.data() + half.used;
  std::memcpy(at, item.payload, item.bytes);
  half.used += rounded(item.bytes);
  rocprofiler_record_header_t header = {};
  header.category = item.category;
  header.kind = item.kind;
  header.payload = at;
  half.headers.push_back(header);
}

/// @param lock of mutex_ @return whether there is room now; without it nothing can be written
bool Buffer::make_room(std::unique_lock<std::mutex>& lock, size_t bytes) {
  lock.unlock();
  bool posted = post_delivery();
  // The thread that makes room cannot wait for it.
  const bool wait = setup_.lossless && !thread().is_current();
  lock.lock();
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (wait && posted && !closed_ && !fits(bytes)) {
    if (!room_.wait_until(lock, end, [&] { return closed_ || fits(bytes) || !delivery_posted_; })) break;
    if (closed_ || fits(bytes)) break;
    // Others were faster and have filled the half again.
    lock.unlock();
    posted = post_delivery();
    lock.lock();
  }
  return !closed_ && fits(bytes);
}

void Buffer::write(std::span<const BufferItem> items) noexcept {
  size_t bytes = 0;
  for (const BufferItem& item : items) bytes += rounded(item.bytes);
  std::unique_lock lock(mutex_);
  if (closed_) return;
  if (bytes > halves_[writing_].memory.size()) {
    dropped_ += items.size();
    if (!told_too_small_)
      log::error("buffer",
                 "buffer {} holds {} bytes; a record of {} bytes does not fit and is dropped, as are more of "
                 "its size",
                 id_.handle, halves_[writing_].memory.size(), bytes);
    told_too_small_ = true;
    return;
  }
  if (!fits(bytes) && !make_room(lock, bytes)) {
    if (!closed_) dropped_ += items.size();
    return;
  }
  try {
    std::vector<rocprofiler_record_header_t>& headers = halves_[writing_].headers;
    if (headers.capacity() < headers.size() + items.size())
      headers.reserve(2 * headers.capacity() + items.size());  // so that a group is not left half written
    for (const BufferItem& item : items) put(item);
  } catch (...) {  // out of memory
    dropped_ += items.size();
    return;
  }
  const bool due = halves_[writing_].headers.size() >= setup_.watermark;
  lock.unlock();
  if (due) post_delivery();
}

bool Buffer::post_delivery() noexcept {
  WorkerThread* thread = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    if (delivery_posted_) return true;
    delivery_posted_ = true;
    thread = thread_;
  }
  if (thread->post([self = shared_from_this()] { self->deliver(); })) return true;
  const std::lock_guard lock(mutex_);
  delivery_posted_ = false;
  return false;
}

void Buffer::deliver() {
  unsigned full = 0;
  uint64_t dropped = 0;
  std::vector<rocprofiler_record_header_t*> list;
  {
    const std::lock_guard lock(mutex_);
    delivery_posted_ = false;
    if (closed_ || halves_[writing_].headers.empty()) return;
    for (rocprofiler_record_header_t& header : halves_[writing_].headers) list.push_back(&header);
    full = writing_;
    writing_ = 1 - writing_;
    dropped = dropped_;
    delivering_ = true;
  }
  room_.notify_all();
  try {
    setup_.callback(setup_.context, id_, list.data(), list.size(), setup_.data, dropped);
  } catch (...) {
    log::error("buffer", "the callback of buffer {} threw an exception", id_.handle);
  }
  {
    const std::lock_guard lock(mutex_);
    halves_[full].used = 0;
    halves_[full].headers.clear();
    delivering_ = false;
  }
  room_.notify_all();
}

rocprofiler_status_t Buffer::flush() noexcept {
  WorkerThread& deliverer = thread();
  if (deliverer.is_current()) return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
  post_delivery();
  return deliverer.settle(kLongestWait) ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
}

rocprofiler_status_t Buffer::close() noexcept {
  const bool inside = thread().is_current();
  std::unique_lock lock(mutex_);
  if (delivering_ && (inside || !room_.wait_for(lock, kLongestWait, [&] { return !delivering_; })))
    return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
  closed_ = true;
  room_.notify_all();
  return ROCPROFILER_STATUS_SUCCESS;
}

BufferTable::~BufferTable() = default;

rocprofiler_status_t BufferTable::create(const BufferSetup& setup, rocprofiler_buffer_id_t* id) {
  if (id == nullptr || setup.callback == nullptr || setup.bytes == 0)
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (find(*id) != nullptr) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) threads_.push_back(std::make_unique<WorkerThread>(notices_));
  const rocprofiler_buffer_id_t made = {buffers_.size() + 1};
  buffers_.push_back(std::make_shared<Buffer>(made, setup, *threads_.front()));
  *id = made;
  return ROCPROFILER_STATUS_SUCCESS;
}

std::shared_ptr<Buffer> BufferTable::find(rocprofiler_buffer_id_t id) const {
  const std::lock_guard lock(mutex_);
  return id.handle == 0 || id.handle > buffers_.size() ? nullptr : buffers_[id.handle - 1];
}

rocprofiler_status_t BufferTable::destroy(rocprofiler_buffer_id_t id) {
  const std::shared_ptr<Buffer> buffer = find(id);
  if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  const rocprofiler_status_t closed = buffer->close();
  if (closed != ROCPROFILER_STATUS_SUCCESS) return closed;
  const std::lock_guard lock(mutex_);
  buffers_[id.handle - 1] = nullptr;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t BufferTable::create_thread(rocprofiler_callback_thread_t* id) {
  if (id == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  auto made = std::make_unique<WorkerThread>(notices_);
  if (!made->start()) return ROCPROFILER_STATUS_ERROR;
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) threads_.push_back(std::make_unique<WorkerThread>(notices_));
  threads_.push_back(std::move(made));
  id->handle = threads_.size() - 1;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t BufferTable::assign(rocprofiler_buffer_id_t id, rocprofiler_callback_thread_t thread) {
  const std::shared_ptr<Buffer> buffer = find(id);
  const std::lock_guard lock(mutex_);
  if (thread.handle == 0 || thread.handle >= threads_.size())
    return ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND;
  if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  buffer->assign(*threads_[thread.handle]);
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace kreplay::tool_api
