#include "tool_api/marker_gate.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#include "base/log.hpp"

namespace kreplay::tool_api {
namespace {

/// One bit per nested range of the thread, innermost lowest: whether its end closes the gate. Trivially
/// destructible, since other libraries' destructors may end ranges after ours.
thread_local uint64_t t_closing = 0;

}  // namespace

void MarkerGate::configure(const std::string& from, const std::string& to) {
  from_ = from;
  to_ = to;
  used_ = !from.empty() || !to.empty();
  open_.store(from.empty(), std::memory_order_relaxed);
}

void MarkerGate::mark(std::string_view text) noexcept {
  if (!used_) return;
  const bool opens = !from_.empty() && text == from_;
  const bool closes = !to_.empty() && text == to_;
  if (opens && closes)
    open_.store(!open(), std::memory_order_relaxed);
  else if (opens || closes)
    open_.store(opens, std::memory_order_relaxed);
}

bool MarkerGate::begin(std::string_view text) noexcept {
  if (!from_.empty() && text == from_) open_.store(true, std::memory_order_relaxed);
  return !to_.empty() && text == to_;
}

void MarkerGate::push(std::string_view text) noexcept {
  if (!used_) return;
  t_closing = t_closing << 1 | static_cast<uint64_t>(begin(text));
}

void MarkerGate::pop() noexcept {
  if (!used_) return;
  if ((t_closing & 1) != 0) open_.store(false, std::memory_order_relaxed);
  t_closing >>= 1;
}

void MarkerGate::started(std::string_view text, uint64_t id) noexcept {
  if (!used_ || !begin(text)) return;
  try {
    const std::lock_guard lock(mutex_);
    closing_.push_back(id);
  } catch (const std::bad_alloc&) {
    log::warn("markers", "out of memory for range {}; its end will not be seen", id);
  }
}

void MarkerGate::stopped(uint64_t id) noexcept {
  if (!used_ || to_.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto found = std::find(closing_.begin(), closing_.end(), id);
  if (found == closing_.end()) return;
  closing_.erase(found);
  open_.store(false, std::memory_order_relaxed);
}

MarkerGate& marker_gate() noexcept {
  alignas(MarkerGate) static std::byte storage[sizeof(MarkerGate)];
  static MarkerGate& instance = *new (storage) MarkerGate;
  return instance;
}

}  // namespace kreplay::tool_api
