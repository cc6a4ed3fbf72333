// Lines of a file, of standard input ("-") or of either compressed with gzip, in memory that does not grow
// with their number.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace kreplay::cli {

class LineSource {
 public:
  /// Bytes after a line that may be read, though not looked at; what simdjson asks for.
  static constexpr size_t kPadding = 64;

  /// @param path "-" is standard input
  explicit LineSource(const std::string& path);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// The path, or "standard input".
  const std::string& name() const { return name_; }
  /// @return Error::io when it cannot be opened
  Status open();
  /// @param line without its newline; valid until the next call
  /// @param cut the line has no newline: the input ends in it
  /// @return false at the end, and when reading fails (status())
  bool next(std::string_view* line, bool* cut);
  /// Error::io when the input could not be read to its end or its compression is broken.
  const Status& status() const { return status_; }
  /// The compressed data stop in the middle, as when the program that writes them was killed.
  bool ends_early() const;

 private:
  class Inflater;

  bool fill();
  /// @return bytes read, 0 at the end or after a failure
  size_t read_some(char* to, size_t most);
  size_t read_bytes(char* to, size_t most);

  std::string path_, name_;
  int fd_ = -1;
  Status status_;
  std::unique_ptr<Inflater> inflater_;
  std::string buffer_;  ///< kPadding bytes longer than what may be in it
  size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
};

}  // namespace kreplay::cli
