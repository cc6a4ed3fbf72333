#include "snapshot/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace kreplay::snapshot {
namespace {

/// The number a file starts with; nothing for "max" and for what is not there.
std::optional<uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  uint64_t value = 0;
  if (!(file >> word)) return std::nullopt;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

uint64_t meminfo_available(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 13, "MemAvailable:") != 0) continue;
    std::istringstream words(line.substr(13));
    uint64_t kilobytes = 0;
    if (words >> kilobytes) return kilobytes * 1024;
  }
  return UINT64_MAX;
}

/// What one group and its ancestors leave. Page cache counts as used there although it could be dropped, so
/// this errs on the safe side.
uint64_t group_available(const std::string& mount, std::string group, const char* limit_file,
                         const char* used_file) {
  uint64_t least = UINT64_MAX;
  while (true) {
    const std::string folder = mount + (group == "/" ? "" : group);
    const auto limit = read_number(folder + "/" + limit_file);
    const auto used = read_number(folder + "/" + used_file);
    if (limit && used) least = std::min(least, *limit > *used ? *limit - *used : 0);
    const size_t slash = group.rfind('/');
    if (group == "/" || group.empty() || slash == std::string::npos) return least;
    group.resize(std::max<size_t>(slash, 1));
  }
}

}  // namespace

uint64_t available_host_bytes(const std::string& root) {
  uint64_t least = meminfo_available(root);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "0::/path" is v2; "4:cpu,memory:/path" names the controllers of a v1 hierarchy.
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, group_available(root + "/sys/fs/cgroup", path, "memory.max", "memory.current"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, group_available(root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                              "memory.usage_in_bytes"));
    }
  }
  return least;
}

}  // namespace kreplay::snapshot
