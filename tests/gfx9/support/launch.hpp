// Launches kernels of grid/kernels.hex on a Grid, with memory laid out by hand.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "gfx9/grid.hpp"
#include "support/case_file.hpp"
#include "support/fake_memory.hpp"

namespace gfx9_test {

constexpr uint64_t kObject = 0x10000;   ///< kernel descriptor; code 256 bytes behind it
constexpr uint64_t kKernarg = 0x20000;  ///< 4 KiB
constexpr uint64_t kOutput = 0x100000;  ///< 1 MiB
constexpr uint64_t kSlots = 0x800000;   ///< scratch, 64 KiB

/// Kernel descriptor fields a test may set. Defaults: kernarg in s[0:1], then the workgroup ids x, y, z.
struct KernelFields {
  uint16_t properties = 0x8;
  uint32_t user_sgprs = 2;
  bool scratch_offset = false;
  uint32_t vgpr_ids = 2;  ///< 0: x, 1: x y, 2: x y z
  bool workgroup_info = false;
  uint32_t mode = 0xf0;
};

class Launcher {
 public:
  explicit Launcher(const softgpu::gfx9::DeviceConfig& config = {}) : grid(config) {
    kernels_ = read_words(std::string(GFX9_CASES) + "/grid/kernels.hex");
    memory.add(kObject, 0x2000);
    memory.add(kKernarg, 0x1000);
    memory.add(kOutput, 0x100000);
    host.memory = &memory;
    dispatch.kernel_object = softgpu::gfx9::GpuVa(kObject);
    dispatch.kernarg = softgpu::gfx9::GpuVa(kKernarg);
    memory.write<uint64_t>(kKernarg, kOutput);
  }
  /// Puts a kernel in place; without invalidating decoded code.
  void place(const std::string& kernel, const KernelFields& fields = {}) {
    std::byte* object = memory.at(kObject, 0x2000);
    const int64_t entry = 256;
    const uint32_t rsrc1 = 15 | fields.mode << 12 | 1u << 21 | 1u << 23;  // 64 VGPRs, DX10 clamp, IEEE
    const uint32_t rsrc2 = uint32_t{fields.scratch_offset} | fields.user_sgprs << 1 | 7u << 7 |
                           uint32_t{fields.workgroup_info} << 10 | fields.vgpr_ids << 11;
    std::memcpy(object + 16, &entry, 8);
    std::memcpy(object + 48, &rsrc1, 4);
    std::memcpy(object + 52, &rsrc2, 4);
    std::memcpy(object + 56, &fields.properties, 2);
    const std::vector<uint32_t>& words = kernels_.at(kernel);
    std::memset(object + entry, 0, 0x1000);
    std::memcpy(object + entry, words.data(), words.size() * 4);
  }
  softgpu::gfx9::GridResult run(const std::string& kernel, const KernelFields& fields = {}) {
    place(kernel, fields);
    grid.invalidate_code();
    return grid.run(dispatch, host);
  }
  void size(std::vector<uint32_t> grid_size, std::vector<uint16_t> workgroup) {
    for (unsigned n = 0; n < 3; ++n) {
      dispatch.grid_size[n] = n < grid_size.size() ? grid_size[n] : 1;
      dispatch.workgroup_size[n] = n < workgroup.size() ? workgroup[n] : uint16_t{1};
    }
  }
  uint32_t out(unsigned n) const { return memory.read<uint32_t>(kOutput + 4 * n); }

  FakeMemory memory;
  softgpu::gfx9::Grid grid;
  softgpu::gfx9::GridDispatch dispatch;
  softgpu::gfx9::GridHost host;

 private:
  std::map<std::string, std::vector<uint32_t>> kernels_;
};

}  // namespace gfx9_test
