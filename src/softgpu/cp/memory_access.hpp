// Access to GPU memory by the command processor itself: packets, signals, copies. Everything goes through the
// page table, so an unmapped address is a fault with an address, never a wild pointer.
#pragma once

#include <cstdint>
#include <optional>

#include "base/types.hpp"
#include "cp/interrupts.hpp"
#include "gfx9/memory.hpp"

namespace softgpu::cp {

using kreplay::GpuVa;

struct AccessFault {
  GpuVa address;
  bool write = false;
};

/// Why an access of that kind fails there.
FaultReason fault_reason(const gfx9::Memory& memory, GpuVa address, bool write);

enum class Access { read, write };

/// The host address of `size_bytes` at `va`.
/// @return null if not mapped as one range, or not writable when `access` asks for it
std::byte* host_bytes(const gfx9::Memory& memory, GpuVa va, uint64_t size_bytes, Access access);

/// The object at `va`, which must be naturally aligned. Null as for host_bytes, or when misaligned.
template <typename T>
T* host_object(const gfx9::Memory& memory, GpuVa va, Access access) {
  if (va.value % alignof(T) != 0) return nullptr;
  return reinterpret_cast<T*>(host_bytes(memory, va, sizeof(T), access));
}

/// Copies ascending, in pieces; ranges may overlap within a piece only.
std::optional<AccessFault> copy_memory(const gfx9::Memory& memory, GpuVa to, GpuVa from, uint64_t size_bytes);
/// Copies into a host buffer of the caller.
std::optional<AccessFault> read_memory(const gfx9::Memory& memory, GpuVa from, void* to, uint64_t size_bytes);
/// Writes `pattern` of `pattern_bytes` (1, 2 or 4; low bytes of the value) over and over.
std::optional<AccessFault> fill_memory(const gfx9::Memory& memory, GpuVa to, uint32_t pattern,
                                       unsigned pattern_bytes, uint64_t size_bytes);

}  // namespace softgpu::cp
