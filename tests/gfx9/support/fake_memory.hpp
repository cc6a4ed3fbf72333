// Memory of a test: buffers at GPU addresses the test chooses.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include "gfx9/memory.hpp"

namespace gfx9_test {

class FakeMemory : public softgpu::gfx9::Memory {
 public:
  /// Adds a zeroed range. @return its first byte on the host
  std::byte* add(uint64_t va, size_t bytes, bool writable = true) {
    Buffer& b = buffers_[va];
    b.bytes.assign(bytes, std::byte{0});
    b.writable = writable;
    ++generation_;
    return b.bytes.data();
  }
  void remove(uint64_t va) {
    buffers_.erase(va);
    ++generation_;
  }
  softgpu::gfx9::MappedRange find(softgpu::gfx9::GpuVa va) const override {
    ++finds;
    auto it = buffers_.upper_bound(va.value);
    if (it == buffers_.begin()) return {};
    --it;
    const uint64_t end = it->first + it->second.bytes.size();
    if (va.value >= end) return {};
    auto* host = const_cast<std::byte*>(it->second.bytes.data());
    return {it->first, end, host, it->second.writable};
  }
  uint64_t generation() const override { return generation_; }

  std::byte* at(uint64_t va, size_t bytes) const {
    const auto range = find(softgpu::gfx9::GpuVa(va));
    if (!range.holds(va, bytes)) throw std::out_of_range("test memory");
    return range.host + (va - range.begin);
  }
  template <typename T>
  T read(uint64_t va) const {
    T value;
    std::memcpy(&value, at(va, sizeof value), sizeof value);
    return value;
  }
  template <typename T>
  void write(uint64_t va, T value) {
    std::memcpy(at(va, sizeof value), &value, sizeof value);
  }

  mutable unsigned finds = 0;

 private:
  struct Buffer {
    std::vector<std::byte> bytes;
    bool writable = true;
  };
  std::map<uint64_t, Buffer> buffers_;
  uint64_t generation_ = 1;
};

}  // namespace gfx9_test
