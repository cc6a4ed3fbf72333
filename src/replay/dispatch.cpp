#include "replay/dispatch.hpp"

#include <fmt/format.h>

namespace kreplay::replay {

using report::Reason;
using snapshot::MemoryClass;

report::Reason Dispatch::shares_memory(uint64_t agent, bool signals, std::string& detail) const {
  if (arguments.state() == Arguments::State::no_memory) {
    detail = "no memory to list what its arguments point at";
    return Reason::snapshot_failed;
  }
  for (const Pointee& pointee : arguments.pointees()) {
    const snapshot::Extent& extent = pointee.extent;
    if (extent.memory_class == MemoryClass::signal) {
      if (!signals) continue;
      detail =
          fmt::format("an argument points at signal 0x{:x}, which others wait for and cannot be put back",
                      extent.base.value);
      return Reason::host_write;
    }
    const bool shared =
        extent.memory_class == MemoryClass::ipc_import || extent.memory_class == MemoryClass::device_shared;
    if (!shared && (extent.agent == 0 || extent.agent == agent)) continue;
    detail = fmt::format("an argument points {} {} at 0x{:x} ({} bytes)", pointee.inside ? "into" : "beside",
                         shared ? "memory shared with another process or device" : "memory of another GPU",
                         extent.base.value, extent.size);
    return Reason::collective;
  }
  return Reason::none;
}

}  // namespace kreplay::replay
