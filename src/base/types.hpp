// Address types of the two sides. They are distinct on purpose: host-registered memory has a GPU address
// of its own, and mixing the two is this project's most likely bug.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace kreplay {

/// An address as the GPU sees it.
struct GpuVa {
  uint64_t value = 0;
  constexpr GpuVa() = default;
  constexpr explicit GpuVa(uint64_t v) : value(v) {}
  explicit GpuVa(const void* p) : value(reinterpret_cast<uint64_t>(p)) {}
  constexpr auto operator<=>(const GpuVa&) const = default;
  constexpr GpuVa operator+(uint64_t bytes) const { return GpuVa(value + bytes); }
  constexpr uint64_t operator-(GpuVa other) const { return value - other.value; }
};

/// An address the CPU may dereference.
struct HostPtr {
  std::byte* value = nullptr;
  constexpr HostPtr() = default;
  explicit HostPtr(void* p) : value(static_cast<std::byte*>(p)) {}
  constexpr auto operator<=>(const HostPtr&) const = default;
  constexpr HostPtr operator+(size_t bytes) const {
    HostPtr moved;
    moved.value = value + bytes;
    return moved;
  }
};

}  // namespace kreplay
