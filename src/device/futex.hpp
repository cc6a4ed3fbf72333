// Blocking on a 32-bit word. Every wait has a bound; callers loop and look at the word again.
#pragma once

#include <atomic>
#include <cstdint>

namespace kreplay::device {

/// Blocks while `word` reads `expected`, at most `timeout_ns`; may return early for no reason.
/// Leaves errno as it was.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);
void futex_wake_all(const std::atomic<uint32_t>& word);

inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace kreplay::device
