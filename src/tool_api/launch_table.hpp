// Launches counted per kernel and agent, with what a tool decided about that pair. Insert-only: a lookup
// takes no lock and allocates nothing once the pair is known, so it can stand on the path of every candidate.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "report/outcome.hpp"

namespace kreplay::tool_api {

class LaunchTable {
 public:
  struct Entry {
    const report::KernelInfo* kernel = nullptr;  ///< null: all unknown kernel objects together
    uint64_t agent = 0;
    report::Reason verdict = report::Reason::none;  ///< none: wanted
    std::atomic<uint64_t> launches{0};
    Entry* next = nullptr;
  };

  LaunchTable() = default;
  LaunchTable(const LaunchTable&) = delete;
  LaunchTable& operator=(const LaunchTable&) = delete;
  ~LaunchTable();

  /// The entry of the pair, made on first sight.
  /// @param decide called once per new pair, under the table's lock, as Reason(const KernelInfo*)
  /// Threads: any. Throws only what `decide` or the allocation of a new entry throws.
  template <typename Decide>
  Entry& entry(const report::KernelInfo* kernel, uint64_t agent, Decide&& decide) {
    std::atomic<Entry*>& bucket = buckets_[index_of(kernel, agent)];
    if (Entry* known = find(bucket, kernel, agent)) return *known;
    const std::lock_guard lock(insert_mutex_);
    if (Entry* known = find(bucket, kernel, agent)) return *known;
    auto made = std::make_unique<Entry>();
    made->kernel = kernel;
    made->agent = agent;
    made->verdict = decide(kernel);
    made->next = bucket.load(std::memory_order_relaxed);
    bucket.store(made.get(), std::memory_order_release);
    return *made.release();
  }

 private:
  static constexpr size_t kBuckets = 1024;
  static size_t index_of(const report::KernelInfo* kernel, uint64_t agent) {
    const uint64_t key = reinterpret_cast<uint64_t>(kernel) ^ (agent * 0x9e3779b97f4a7c15u);
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 54) % kBuckets;
  }
  static Entry* find(const std::atomic<Entry*>& bucket, const report::KernelInfo* kernel, uint64_t agent) {
    for (Entry* e = bucket.load(std::memory_order_acquire); e != nullptr; e = e->next)
      if (e->kernel == kernel && e->agent == agent) return e;
    return nullptr;
  }

  std::array<std::atomic<Entry*>, kBuckets> buckets_{};
  std::mutex insert_mutex_;  ///< guards insertion; entries are freed by the destructor only
};

inline LaunchTable::~LaunchTable() {
  for (auto& bucket : buckets_)
    for (Entry* e = bucket.load(std::memory_order_relaxed); e != nullptr;) delete std::exchange(e, e->next);
}

}  // namespace kreplay::tool_api
