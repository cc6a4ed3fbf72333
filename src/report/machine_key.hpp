// What tells one machine's results from another's: facts that survive a reboot and are the same for two nodes
// of one kind. Results of different keys have no common baseline.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/sink.hpp"

namespace kreplay::report {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Agents in the order of their nodes (target, product, memory rounded down to 256 MiB, compute units) and
/// the version of the kernel driver. No names of hosts, no clock readings, no bus addresses.
/// @param root prepended to /sys, for tests
Facts machine_facts(const RunInfo& info, const std::string& root = "");
/// 16 hexadecimal digits over the facts, whatever their order.
std::string machine_key(Facts facts);

}  // namespace kreplay::report
