// How much host memory a snapshot may count on.
#pragma once

#include <cstdint>
#include <string>

namespace kreplay::snapshot {

/// The lesser of MemAvailable and what the process's control groups (v2, and v1's memory controller) leave.
/// Reads a few small files; meant for the rare moment when staging grows.
/// @param root prepended to /proc and /sys, for tests
/// @return bytes; UINT64_MAX when the system does not tell
uint64_t available_host_bytes(const std::string& root = "");

}  // namespace kreplay::snapshot
