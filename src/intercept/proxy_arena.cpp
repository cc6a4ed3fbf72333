#include "intercept/proxy_arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <deque>

#include "base/check.hpp"
#include "base/mutex.hpp"

namespace kreplay::intercept::arena {

uintptr_t g_base = 0;
size_t g_size = 0;

namespace {

constexpr size_t kSlots = 4096;

/// Created by the first take(), never destroyed.
struct State {
  Mutex mutex;       // guards the two below and the reservation
  size_t fresh = 0;  // slots never used start here
  std::deque<ProxySlot*> free;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

bool reserve() {
  if (g_size != 0) return true;
  void* memory = mmap(nullptr, kSlots * kSlotBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  g_base = reinterpret_cast<uintptr_t>(memory);
  __atomic_store_n(&g_size, kSlots * kSlotBytes, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

ProxySlot* take() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!reserve()) return nullptr;
  ProxySlot* slot = nullptr;
  if (s.fresh < kSlots) {
    slot = reinterpret_cast<ProxySlot*>(g_base + kSlotBytes * s.fresh++);
  } else if (!s.free.empty()) {
    slot = s.free.front();
    s.free.pop_front();
  }
  KR_CHECK(slot == nullptr || slot->proxy == nullptr, "a slot that is handed out is free");
  return slot;
}

void give_back(ProxySlot* slot) {
  State& s = state();
  const uintptr_t offset = reinterpret_cast<uintptr_t>(slot) - g_base;
  if (!KR_HOLDS(offset < g_size && offset % kSlotBytes == 0, "a slot of the arena comes back to it")) return;
  slot->proxy = nullptr;
  // Queues that come and go take 4096 slots before one is used again: let go of the page, it reads as zero.
  if (madvise(slot, kSlotBytes, MADV_DONTNEED) != 0) std::memset(static_cast<void*>(slot), 0, sizeof *slot);
  const std::lock_guard lock(s.mutex);
  KR_CHECK(s.free.size() < s.fresh, "no more slots come back than were handed out");
  s.free.push_back(slot);
}

}  // namespace kreplay::intercept::arena
