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
#include <optional>

#include "replay/arguments.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// Threads: one; lives for one window.
class HostServices {
 public:
  HostServices(const Arguments& arguments, const snapshot::ExtentTable& extents);
  /// Whether the header differs from what it was at construction, or can no longer be read. Always false
  /// without a buffer, or when it could not be read then.
  bool used() const;
  bool watching() const { return before_.has_value(); }

 private:
  using Header = std::array<uint64_t, 8>;
  std::optional<Header> read() const;

  const std::byte* header_ = nullptr;
  std::optional<Header> before_;
};

}  // namespace kreplay::replay
