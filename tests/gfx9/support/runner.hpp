// Runs one case on the interpreter's own parts (no grid), so that every register can be looked at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gfx9/env.hpp"
#include "gfx9/gws.hpp"
#include "gfx9/memory_access.hpp"
#include "gfx9/valu.hpp"
#include "gfx9/workgroup.hpp"
#include "support/case_file.hpp"
#include "support/fake_memory.hpp"

namespace gfx9_test {

constexpr uint64_t kCodeVa = 0x10000;
constexpr uint64_t kDataVa = 0x100000;      ///< 64 KiB, writable
constexpr uint64_t kReadOnlyVa = 0x300000;  ///< 4 KiB
constexpr uint64_t kScratchVa = 0x400000;   ///< one slot of 64 bytes per lane
constexpr uint32_t kScratchLaneBytes = 64;
constexpr uint32_t kLdsBytes = 4096;

class Runner {
 public:
  explicit Runner(const softgpu::gfx9::ValuHooks& valu);
  /// Runs the case. @return what differs from its expectations, one sentence each; empty if nothing
  std::vector<std::string> run(const Case& c);

 private:
  void apply(const Setting& s);
  void check(const Setting& s, std::vector<std::string>& differences) const;

  const softgpu::gfx9::ValuHooks& valu_;
  FakeMemory memory_;
  std::vector<std::byte> lds_;
  std::unique_ptr<softgpu::gfx9::Wave> wave_;
};

}  // namespace gfx9_test
