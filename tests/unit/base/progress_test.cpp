#include "base/progress.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <thread>

using namespace kreplay;

namespace {

struct PageFile {
  explicit PageFile(size_t bytes) {
    const int fd = ::mkstemp(path.data());
    REQUIRE(fd >= 0);
    REQUIRE(::ftruncate(fd, static_cast<off_t>(bytes)) == 0);
    ::close(fd);
  }
  ~PageFile() { ::unlink(path.c_str()); }
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;
  std::string path = "/tmp/kreplay-progress-XXXXXX";
};

}  // namespace

TEST_CASE("two mappings of a progress page see each other") {
  const PageFile file(kProgressBytes);
  ProgressPage* library = map_progress(file.path);
  ProgressPage* command = map_progress(file.path);
  REQUIRE(library != nullptr);
  REQUIRE(command != nullptr);
  CHECK(progress_kernel(*command).empty());
  library->passes.fetch_add(3);
  set_progress_kernel(*library, "axpy<float>(float*)");
  CHECK(command->passes.load() == 3);
  CHECK(progress_kernel(*command) == "axpy<float>(float*)");
  set_progress_kernel(*library, "b");
  CHECK(progress_kernel(*command) == "b");
  const std::string name(500, 'k');
  set_progress_kernel(*library, name);
  CHECK(progress_kernel(*command) == name.substr(0, sizeof(uint64_t) * ProgressPage::kNameWords));
}

TEST_CASE("a file that is no progress page is not mapped") {
  CHECK(map_progress("") == nullptr);
  CHECK(map_progress("/nonexistent/page") == nullptr);
  const PageFile shorter(100);
  CHECK(map_progress(shorter.path) == nullptr);
}

TEST_CASE("a name is never seen half written") {
  const PageFile file(kProgressBytes);
  ProgressPage* page = map_progress(file.path);
  REQUIRE(page != nullptr);
  const std::string a(100, 'a'), b(100, 'b');
  std::atomic<bool> stop{false};
  const auto write = [&](const std::string& name) {
    while (!stop.load(std::memory_order_relaxed)) set_progress_kernel(*page, name);
  };
  std::thread first(write, a), second(write, b);
  unsigned torn = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    const std::string seen = progress_kernel(*page);
    torn += seen.empty() || seen == a || seen == b ? 0 : 1;
  }
  stop = true;
  first.join();
  second.join();
  CHECK(torn == 0);
}
