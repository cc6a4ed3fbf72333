#include "base/handshake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace kreplay {

void handshake_note(const std::string& path, std::string_view event, std::string_view detail) noexcept {
  if (path.empty()) return;
  const int saved_errno = errno;
  try {
    std::string line = fmt::format("{} {} {}", ::getpid(), event, detail);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd >= 0) {
      ssize_t n = 0;
      do {
        n = ::write(fd, line.data(), line.size());
      } while (n < 0 && errno == EINTR);
      ::close(fd);
    }
  } catch (...) {  // a missing note is a warning of the launcher, not a failure of the application
  }
  errno = saved_errno;
}

std::string format_ended(const EndedNote& note) {
  return fmt::format("{} {} {} {} {}", note.dispatches, note.replayed, note.skipped, note.lost, note.reason);
}

EndedNote parse_ended(const std::string& detail) {
  EndedNote note;
  std::istringstream text(detail);
  text >> note.dispatches >> note.replayed >> note.skipped >> note.lost >> note.reason;
  return note;
}

std::vector<HandshakeNote> read_handshake(const std::string& path) {
  std::vector<HandshakeNote> notes;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // no newline: cut off
    const size_t first = line.find(' ');
    const size_t second = first == std::string::npos ? first : line.find(' ', first + 1);
    if (second == std::string::npos) continue;
    HandshakeNote note;
    note.pid = std::strtoll(line.c_str(), nullptr, 10);
    note.event = line.substr(first + 1, second - first - 1);
    note.detail = line.substr(second + 1);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace kreplay
