// The line about a run in progress, on a terminal only.
#pragma once

#include <cstdint>
#include <string>

#include "base/progress.hpp"

namespace kreplay::cli {

/// "kreplay: 12 s, 340 launches, 6800 passes, axpy(...)", cut to `columns`.
std::string progress_text(const ProgressPage& page, uint64_t elapsed_ns, size_t columns);

/// Paints the line in place and takes it away again.
class ProgressLine {
 public:
  /// @param fd a terminal
  explicit ProgressLine(int fd) : fd_(fd) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Paints anew if the text changed. Nothing is painted before there is something to tell.
  void paint(const ProgressPage& page, uint64_t elapsed_ns);
  void clear();

 private:
  int fd_;
  std::string shown_;
};

}  // namespace kreplay::cli
