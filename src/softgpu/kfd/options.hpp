// KREPLAY_SOFTGPU_*: what the emulated machine looks like. A name that is not in the table, or a value that
// is malformed, is an error: the process then runs without a software GPU (/dev/kfd is absent).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softgpu::kfd {

constexpr uint32_t kMaxGpus = 8;

struct Options {
  uint32_t gpus = 1;
  uint32_t compute_units = 8;
  uint64_t vram_bytes = uint64_t{16} << 30;
  bool large_bar = true;                ///< device memory may be mapped by the CPU
  uint32_t gfx_target_version = 90006;  ///< as the topology writes it
  bool trace = false;                   ///< a line per ioctl, mapping and packet on stderr
};

struct ParsedOptions {
  Options options;
  std::vector<std::string> errors;  ///< one sentence each: variable, value, what is accepted
};

/// @param environment as `environ`: null-terminated "NAME=value" strings; may itself be null
ParsedOptions parse_options(const char* const* environment);

}  // namespace softgpu::kfd
