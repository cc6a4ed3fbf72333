// The result file: lines appended by one write(2) each, to a name nobody else has.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace kreplay::report {

/// Replaces %p (process id), %h (host name), %r (rank) and %% in `pattern`.
/// @param rank in a parallel job; without one %r is the process id. A pattern that has neither %p nor %r gets
///        ".r<rank>" before its extension, so that each rank has a file by its name.
std::string expand_pattern(std::string_view pattern, pid_t pid, std::string_view host,
                           std::optional<uint64_t> rank);
/// "a/b.jsonl", "x" -> "a/b.x.jsonl"; without an extension it comes last.
std::string with_infix(const std::string& path, const std::string& infix);
/// "a/b.jsonl", 2 -> "a/b.2.jsonl"; without an extension the number comes last; 0 changes nothing.
std::string numbered_name(const std::string& path, unsigned number);
/// Host name, '/' replaced; "localhost" when the system does not tell.
std::string host_name();

/// Threads: any. Does not write in a fork child, nor when the descriptor was closed or given to another file
/// behind our back (some programs close all descriptors they do not know).
class ResultFile {
 public:
  ResultFile() = default;
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  /// Creates the file; a name that exists is never opened, the next free number is used. Pipes and devices
  /// are opened as they are.
  /// @return Error::io with the name and the system's reason
  Status open(const std::string& path);
  bool is_open() const { return fd_.load(std::memory_order_relaxed) >= 0; }
  /// The name it got.
  const std::string& path() const { return path_; }
  /// Writes one line, newline included. The first failure is reported in one warning and ends writing, since
  /// a line may have been cut.
  /// @return false when the line is not in the file
  bool write_line(std::string_view line);

 private:
  void stop(const char* why, int error);

  std::atomic<int> fd_{-1};
  pid_t owner_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string path_;
};

}  // namespace kreplay::report
