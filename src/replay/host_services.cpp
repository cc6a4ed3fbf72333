#include "replay/host_services.hpp"

#include "replay/host_writes.hpp"

namespace kreplay::replay {
namespace {

/// The address the CPU reads `size_bytes` at `va` from; 0 when it may not.
uint64_t host_address(const snapshot::ExtentTable& extents, uint64_t va, uint64_t size_bytes) {
  return reinterpret_cast<uint64_t>(host_bytes(extents, GpuVa(va), size_bytes));
}

}  // namespace

HostServices::HostServices(const hsa::KernelMetadata* kernel, uint64_t kernarg_address,
                           const snapshot::ExtentTable& extents) {
  if (kernel == nullptr || kernel->hostcall_offset < 0) return;
  const uint64_t slot = host_address(
      extents, kernarg_address + static_cast<uint64_t>(kernel->hostcall_offset), sizeof(uint64_t));
  if (slot == 0) return;
  const uint64_t buffer = *reinterpret_cast<const uint64_t*>(slot);
  if (buffer == 0) return;
  header_ = host_address(extents, buffer, sizeof(Header));
  if (header_ != 0) before_ = read();
}

HostServices::Header HostServices::read() const {
  Header out;
  const auto* from = reinterpret_cast<const uint64_t*>(header_);
  for (size_t i = 0; i < out.size(); ++i) out[i] = __atomic_load_n(from + i, __ATOMIC_ACQUIRE);
  return out;
}

bool HostServices::used() const { return header_ != 0 && read() != before_; }

}  // namespace kreplay::replay
