#include "replay/thread_state.hpp"

#include <unistd.h>

#include <atomic>

namespace kreplay::replay {

constinit thread_local ThreadState t_state KREPLAY_TLS_MODEL;

uint32_t thread_id() {
  if (t_state.tid == 0) t_state.tid = static_cast<uint32_t>(gettid());
  return t_state.tid;
}

uint32_t first_submission() {
  static std::atomic<uint32_t> threads{0};
  // Threads from the 32,767th on share numbers with earlier ones, which matters only while both have packets
  // in one ring: they would count as submitted together.
  const uint32_t thread = 1 + threads.fetch_add(1, std::memory_order_relaxed) % 0x7fff;
  return thread << 16;
}

}  // namespace kreplay::replay
