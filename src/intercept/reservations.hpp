// Which packets of a ring were submitted together.
//
// A submission is what one thread reserves between two of its doorbell stores. Threads share a queue, so one
// doorbell store may find the published packets of several; only the reservation tells whose they are. Slots
// nobody was seen reserving (a program that moves the write index in memory) count as one thread's.
//
// Threads: note() by any producer, the rest by the owner of the queue. A producer that reserves more than one
// ring ahead may overwrite what is known of a packet still waiting: it then counts as nobody's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/check.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::intercept {

class Reservations {
 public:
  /// @param ring_packets power of two
  explicit Reservations(uint32_t ring_packets)
      : size_(2 * uint64_t{ring_packets}), entries_(new std::atomic<uint64_t>[size_]()) {}

  /// The calling thread reserved packets first .. first+count-1. @param submission its current number, 1 ..
  void note(uint64_t first, uint64_t count, uint32_t submission) {
    KR_CHECK(submission != 0, "a submission has a number: none would be nobody's");
    count = std::min(count, size_);
    for (uint64_t i = first; i < first + count; ++i)
      at(i).store(entry(i, submission), std::memory_order_relaxed);
  }

  /// Whether the thread whose current submission is given reserved the packet at `index`; false when nobody
  /// was seen reserving it.
  bool reserved_by(uint64_t index, uint32_t submission) {
    const uint32_t known = submission_of(load(index));
    return known != 0 && replay::same_thread(known, submission & kSubmissionMask);
  }

  /// Whether the packet at `index` came with another one: one of first .. first+count-1, which are published
  /// and include `index`, or one taken before.
  bool together(uint64_t index, uint64_t first, uint64_t count) {
    KR_CHECK(index - first < count, "a packet is one of those it may have come with");
    const uint64_t mine = load(index);
    if ((mine & kJoined) != 0) return true;
    for (uint64_t i = first; i < first + count; ++i) {
      if (i == index || submission_of(load(i)) != submission_of(mine)) continue;
      // Remembered, because they may be taken one by one with other threads' packets between them.
      join(index);
      join(i);
      return true;
    }
    return false;
  }

 private:
  // An entry: 1 bit joined, 31 bits submission, the low 32 bits of the index it is about.
  static constexpr uint64_t kJoined = uint64_t{1} << 63;
  static constexpr uint32_t kSubmissionMask = 0x7fffffff;

  static uint64_t entry(uint64_t index, uint32_t submission) {
    return uint64_t{submission & kSubmissionMask} << 32 | static_cast<uint32_t>(index);
  }
  static uint32_t submission_of(uint64_t entry) { return entry >> 32 & kSubmissionMask; }
  std::atomic<uint64_t>& at(uint64_t index) { return entries_[index & (size_ - 1)]; }
  /// @return what is known of this packet; submission 0 if nothing is
  uint64_t load(uint64_t index) {
    const uint64_t value = at(index).load(std::memory_order_relaxed);
    return static_cast<uint32_t>(value) == static_cast<uint32_t>(index) ? value : entry(index, 0);
  }
  void join(uint64_t index) { at(index).store(load(index) | kJoined, std::memory_order_relaxed); }

  const uint64_t size_;
  const std::unique_ptr<std::atomic<uint64_t>[]> entries_;
};

}  // namespace kreplay::intercept
