#include "snapshot/host_memory.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/folder.hpp"

using kreplay::snapshot::available_host_bytes;

namespace {

struct Root : fixtures::Folder {
  void file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path + name).parent_path());
    fixtures::write_file(path + name, text);
  }
};

}  // namespace

TEST_CASE("available memory is MemAvailable where no group limits it") {
  const Root root;
  CHECK(available_host_bytes(root.path) == UINT64_MAX);
  root.file("/proc/meminfo", "MemTotal:  2000 kB\nMemFree:  10 kB\nMemAvailable:    1000 kB\n");
  CHECK(available_host_bytes(root.path) == 1000 * 1024);
  root.file("/proc/self/cgroup", "0::/\n");
  CHECK(available_host_bytes(root.path) == 1000 * 1024);
}

TEST_CASE("the tightest group on the way up counts") {
  const Root root;
  root.file("/proc/meminfo", "MemAvailable: 1000 kB\n");
  root.file("/proc/self/cgroup", "0::/a/b\n");
  root.file("/sys/fs/cgroup/a/b/memory.max", "max\n");
  root.file("/sys/fs/cgroup/a/b/memory.current", "5\n");
  CHECK(available_host_bytes(root.path) == 1000 * 1024);
  root.file("/sys/fs/cgroup/a/memory.max", "70000\n");
  root.file("/sys/fs/cgroup/a/memory.current", "30000\n");
  CHECK(available_host_bytes(root.path) == 40000);
  root.file("/sys/fs/cgroup/memory.max", "100\n");
  root.file("/sys/fs/cgroup/memory.current", "200\n");
  CHECK(available_host_bytes(root.path) == 0);
}

TEST_CASE("groups of the first version are read too") {
  const Root root;
  root.file("/proc/meminfo", "MemAvailable: 1000 kB\n");
  root.file("/proc/self/cgroup", "5:cpuset:/x\n4:cpu,memory:/job\nbroken\n");
  root.file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9000\n");
  root.file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000\n");
  CHECK(available_host_bytes(root.path) == 8000);
}

TEST_CASE("this system tells what it has") {
  const uint64_t bytes = available_host_bytes();
  CHECK(bytes > 0);
  CHECK(bytes < uint64_t{1} << 50);
}
