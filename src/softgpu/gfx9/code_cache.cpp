#include "gfx9/code_cache.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "gfx9/decode.hpp"
#include "gfx9/inst_class.hpp"

namespace softgpu::gfx9 {
namespace {

/// Bytes of a page that are readable at `base`, as one or two pieces; 0 if nothing is.
uint32_t read_bytes(uint64_t base, std::byte* out, MemoryAccess& memory) {
  constexpr uint32_t kAll = CodePage::kBytes + CodePage::kTail;
  if (const std::byte* host = memory.resolve(base, kAll, false)) {
    std::memcpy(out, host, kAll);
    return kAll;
  }
  uint32_t n = 0;
  for (; n < kAll; n += 4) {
    const std::byte* host = memory.resolve(base + n, 4, false);
    if (!host) break;
    std::memcpy(out + n, host, 4);
  }
  return n;
}

}  // namespace

bool CodeCache::load(CodePage& page, MemoryAccess& memory) {
  alignas(8) std::byte now[CodePage::kBytes + CodePage::kTail];
  const uint32_t size = read_bytes(page.base, now, memory);
  if (size != page.valid_bytes || std::memcmp(now, page.bytes, size) != 0) {
    std::fill(std::begin(page.insts), std::end(page.insts), Inst{});
    std::memcpy(page.bytes, now, size);
    page.valid_bytes = size;
  }
  page.epoch = epoch_;
  return size != 0;
}

CodePage* CodeCache::page(uint64_t pc, MemoryAccess& memory, Fault& fault) {
  const uint64_t base = pc & ~(CodePage::kBytes - 1);
  if ((pc & 3) == 0) {
    std::unique_ptr<CodePage>& page = pages_[base];
    if (!page) {
      page = std::make_unique<CodePage>();
      page->base = base;
    }
    if (page->epoch != epoch_) {
      memory.begin_instruction();
      load(*page, memory);
    }
    if (pc - base < page->valid_bytes) return page.get();
    if (page->valid_bytes == 0) pages_.erase(base);
  }
  fault.kind = FaultKind::memory_violation;
  fault.pc = fault.address = pc;
  fault.text = fmt::format("instruction fetch: 0x{:x} is {}", pc, pc & 3 ? "not aligned to 4" : "not mapped");
  return nullptr;
}

bool CodeCache::decode_at(CodePage& page, uint64_t pc, Fault& fault) {
  const auto offset = static_cast<uint32_t>(pc - page.base);
  DecodeContext ctx;
  ctx.config = &config_;
  ctx.valu = &valu_;
  ctx.pc = pc;
  ctx.available = (page.valid_bytes - offset) / 4;
  uint32_t dwords[4] = {};
  std::memcpy(dwords, page.bytes + offset, std::min<size_t>(ctx.available * 4, sizeof dwords));
  ctx.available = std::min(ctx.available, 4u);
  Inst& inst = page.at(pc);
  if (decode(dwords, ctx, inst)) {
    inst.counter_class = static_cast<uint8_t>(class_of(inst));
    return true;
  }
  inst = Inst{};
  fault.kind = FaultKind::illegal_instruction;
  fault.pc = pc;
  std::memcpy(fault.dwords, dwords, sizeof dwords);
  fault.text = fmt::format("illegal instruction 0x{:08x} 0x{:08x} at pc 0x{:x}: {}", dwords[0], dwords[1], pc,
                           ctx.reason);
  return false;
}

}  // namespace softgpu::gfx9
