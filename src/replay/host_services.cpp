#include "replay/host_services.hpp"

#include "device/host_access.hpp"

namespace kreplay::replay {

HostServices::HostServices(const Arguments& arguments, const snapshot::ExtentTable& extents) {
  if (arguments.hostcall_buffer() == 0) return;
  header_ = host_address(extents, GpuVa(arguments.hostcall_buffer()), sizeof(Header));
  before_ = read();
}

std::optional<HostServices::Header> HostServices::read() const {
  if (header_ == nullptr) return std::nullopt;
  return device::HostAccess().load<Header>(header_);
}

bool HostServices::used() const { return before_ && read() != before_; }

}  // namespace kreplay::replay
