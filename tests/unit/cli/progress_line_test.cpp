#include "cli/progress_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::has;

TEST_CASE("the progress line has time, counts and the kernel, and fits the terminal") {
  const auto page = std::make_unique<ProgressPage>();
  page->dispatches = 340;
  page->passes = 6800;
  set_progress_kernel(*page, "void axpy<float>(float*, float*, int)");
  const std::string text = progress_text(*page, 12'700'000'000, 80);
  CHECK(text == "kreplay: 12 s, 340 launches, 6800 passes, axpy<float>");
  CHECK(progress_text(*page, 0, 20).size() < 20);
  CHECK(progress_text(*page, 0, 0).empty());
}

TEST_CASE("the line is painted when it changes and taken away") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  const auto page = std::make_unique<ProgressPage>();
  const auto written = [&ends] {
    std::string text(4096, '\0');
    const ssize_t n = ::read(ends[0], text.data(), text.size());
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
  };
  {
    ProgressLine line(ends[1]);
    line.paint(*page, 0);
    CHECK(written().empty());  // nothing to tell yet
    page->passes = 1;
    line.paint(*page, 0);
    CHECK(has(written(), "1 passes"));
    line.paint(*page, 0);
    CHECK(written().empty());
  }
  CHECK(written() == "\r\033[K");
  ::close(ends[0]);
  ::close(ends[1]);
}
