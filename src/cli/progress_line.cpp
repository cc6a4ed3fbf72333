#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/short_names.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

void put(int fd, const std::string& text) {
  ssize_t ignored = ::write(fd, text.data(), text.size());
  (void)ignored;
}

size_t columns_of(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}  // namespace

std::string progress_text(const ProgressPage& page, uint64_t elapsed_ns, size_t columns) {
  std::string text = fmt::format("kreplay: {} s, {} launches, {} passes", elapsed_ns / 1'000'000'000,
                                 page.dispatches.load(std::memory_order_relaxed),
                                 page.passes.load(std::memory_order_relaxed));
  const std::string kernel = progress_kernel(page);
  if (!kernel.empty() && text.size() + 10 < columns)
    text += ", " + report::short_name(kernel, columns - text.size() - 3);
  return text.substr(0, columns > 0 ? columns - 1 : 0);  // a full last column would wrap the cursor
}

void ProgressLine::paint(const ProgressPage& page, uint64_t elapsed_ns) {
  if (page.passes.load(std::memory_order_relaxed) == 0) return;
  std::string text = progress_text(page, elapsed_ns, columns_of(fd_));
  if (text == shown_) return;
  put(fd_, "\r\033[K" + text);
  shown_ = std::move(text);
}

void ProgressLine::clear() {
  if (!shown_.empty()) put(fd_, "\r\033[K");
  shown_.clear();
}

}  // namespace kreplay::cli
