// Whether a dispatch talked to the host: device printf, malloc and the like go through a host-call buffer
// whose address is a hidden kernel argument. The host acts on every call, so a kernel that made one must not
// run again.
//
// Declaring the buffer is not using it: its header (stacks of free and of ready packets, each with a tag that
// counts up) is compared before and after a pass. No layout is assumed beyond "the header changes".
// Source: device-libs host-call buffer; the stacks' tags change with every call, also after it was served.
#pragma once

#include <array>
#include <cstdint>

#include "hsa/code_object.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// Threads: one; lives for one window.
class HostServices {
 public:
  /// Looks the buffer up. Reads the kernarg segment only where it is host memory the table knows.
  HostServices(const hsa::KernelMetadata* kernel, uint64_t kernarg_address,
               const snapshot::ExtentTable& extents);
  /// Whether the header differs from what it was at construction. Always false without a buffer.
  bool used() const;
  bool watching() const { return header_ != 0; }

 private:
  using Header = std::array<uint64_t, 8>;
  Header read() const;

  uint64_t header_ = 0;  ///< host address; 0: no buffer
  Header before_ = {};
};

}  // namespace kreplay::replay
