// Decoded instructions by code address. Pages of 1 KiB keep the bytes they were decoded from: after
// invalidate(), a page is compared with memory when it is next entered, and decoded again only if it changed.
// Threads: one object per queue thread.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include "gfx9/fault.hpp"
#include "gfx9/inst.hpp"
#include "gfx9/memory_access.hpp"
#include "gfx9/valu.hpp"

namespace softgpu::gfx9 {

struct CodePage {
  static constexpr uint64_t kBytes = 1024;
  static constexpr unsigned kTail = 4;  ///< an instruction may reach one dword into the next page
  uint64_t base = 0;
  uint64_t epoch = 0;
  uint32_t valid_bytes = 0;  ///< of `bytes`; less than all only at the end of mapped memory
  alignas(8) std::byte bytes[kBytes + kTail];
  Inst insts[kBytes / 4];  ///< exec == nullptr: not decoded yet

  bool holds(uint64_t pc) const { return (pc ^ base) < kBytes; }
  Inst& at(uint64_t pc) { return insts[(pc & (kBytes - 1)) / 4]; }
};

class CodeCache {
 public:
  explicit CodeCache(const DeviceConfig& config, const ValuHooks& valu = valu_hooks())
      : config_(config), valu_(valu) {}
  void invalidate() { ++epoch_; }
  /// The page of `pc`, up to date; nullptr with `fault` set if no instruction memory is there or pc is odd.
  CodePage* page(uint64_t pc, MemoryAccess& memory, Fault& fault);
  /// Decodes the instruction at pc into its page. @return false with `fault` set
  bool decode_at(CodePage& page, uint64_t pc, Fault& fault);

 private:
  bool load(CodePage& page, MemoryAccess& memory);

  const DeviceConfig& config_;
  const ValuHooks& valu_;
  uint64_t epoch_ = 1;
  std::unordered_map<uint64_t, std::unique_ptr<CodePage>> pages_;
};

}  // namespace softgpu::gfx9
