// The result file: lines appended by one write(2) each, to a name nobody else has. Nothing here raises a
// signal, follows a link or waits for ever (base/files.hpp, base/safe_write.hpp).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.hpp"
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

/// Threads: any. Does not write in a fork child, nor to another file that got the number of a descriptor
/// which the program closed (some close all they do not know): then the file is opened again, if it is still
/// there.
class ResultFile {
 public:
  /// @param patience_ns how long a pipe may be without a reader, or not be read
  explicit ResultFile(uint64_t patience_ns = 5'000'000'000) : patience_ns_(patience_ns) {}
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  /// Creates the file; a name that exists is never opened, the next free number is used. Pipes and devices
  /// are opened as they are; a pipe may take a moment to get a reader. /dev/stdout, /dev/stderr and
  /// /dev/fd/N are the program's own descriptors, unless they are files.
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
  int usable();
  void stop(const char* why, int error);

  const uint64_t patience_ns_;
  std::atomic<int> fd_{-1};
  pid_t owner_ = 0;
  FileIdentity identity_;
  FileIdentity exact_identity_;
  std::string path_;
  std::string whole_path_;  ///< from the root: the program may change its folder
  std::mutex pieces_;       ///< held while a line is written to what is no file
};

}  // namespace kreplay::report
