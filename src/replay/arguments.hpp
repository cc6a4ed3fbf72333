// What a dispatch's explicit arguments point at: every aligned 8-byte word of them that is an address in
// known memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>

#include "hsa/aql.hpp"
#include "replay/host_writes.hpp"
#include "replay/kernels.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// Calls `visit(extent)` for each of them, until it returns false. Nothing is visited when the kernel, its
/// arguments or their memory are unknown.
/// @param packet a dispatch
template <typename Visit>
void visit_arguments(const Kernel* kernel, const hsa::Packet& packet, const snapshot::ExtentTable& extents,
                     Visit&& visit) {
  if (kernel == nullptr || kernel->metadata.explicit_bytes < sizeof(uint64_t)) return;
  const uint64_t bytes = kernel->metadata.explicit_bytes;
  const std::byte* arguments =
      host_bytes(extents, GpuVa(hsa::dispatch_fields(packet).kernarg_address), bytes);
  if (arguments == nullptr) return;
  for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, arguments + at, sizeof word);
    if (word == 0) continue;
    const std::optional<snapshot::Extent> extent = extents.find(GpuVa(word));
    if (extent && !visit(*extent)) return;
  }
}

}  // namespace kreplay::replay
