#include "base/handshake.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>

#include "base/files.hpp"
#include "base/log.hpp"

namespace kreplay {
namespace {

/// A note in the file: a word, then its text. The word says how far the next note is and whether the text is
/// whole; setting it is what takes the place, so processes need no lock and a killed one leaves none behind.
using Word = std::atomic<uint32_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == 4);
constexpr uint32_t kWhole = 1;
constexpr size_t kMaxText = 8192;

constexpr size_t space_of(size_t text) { return (sizeof(Word) + text + 3) & ~size_t{3}; }

/// @return where the text is; null when there is no room
unsigned char* append(unsigned char* page, std::string_view text, size_t end) noexcept {
  text = text.substr(0, kMaxText);
  const auto size = static_cast<uint32_t>(text.size() << 1);
  for (size_t at = 0; at + space_of(text.size()) <= end;) {
    auto* word = reinterpret_cast<Word*>(page + at);
    uint32_t found = 0;
    if (word->compare_exchange_strong(found, size, std::memory_order_acq_rel)) {
      std::memcpy(page + at + sizeof(Word), text.data(), text.size());
      word->store(size | kWhole, std::memory_order_release);
      return page + at + sizeof(Word);
    }
    at += space_of(found >> 1);
  }
  return nullptr;
}

/// Fills a text up so that four bytes behind it are aligned as the text is.
void pad(std::string& text) { text.append((4 - text.size() % 4) % 4, ' '); }

/// The page of this process; made once, mapped for its life.
struct Mapped {
  std::string path;
  unsigned char* page = nullptr;
  const Mapped* before = nullptr;  ///< of another path; never freed, a thread may be at it
};
std::mutex g_mutex;  // guards the making of g_mapped
std::atomic<const Mapped*> g_mapped{nullptr};

/// @param error of the attempt to map it
unsigned char* page_of(const std::string& path, int& error) {
  const Mapped* mapped = g_mapped.load(std::memory_order_acquire);
  if (mapped != nullptr && mapped->path == path) return mapped->page;
  const std::lock_guard lock(g_mutex);
  mapped = g_mapped.load(std::memory_order_acquire);
  if (mapped != nullptr && mapped->path == path) return mapped->page;
  auto* page = static_cast<unsigned char*>(map_shared(path.c_str(), kHandshakeBytes, error));
  if (page != nullptr) g_mapped.store(new Mapped{path, page, mapped}, std::memory_order_release);
  return page;
}

}  // namespace

void handshake_note(const std::string& path, std::string_view event, std::string_view detail) noexcept {
  if (path.empty()) return;
  const int saved_errno = errno;
  try {
    std::string line = fmt::format("{} {} {}", ::getpid(), event, detail);
    std::replace(line.begin(), line.end(), '\n', ' ');
    int error = 0;
    const bool first = event == handshake_event::loaded;
    if (unsigned char* page = page_of(path, error))
      // Many processes may do no more than load the library: they leave room for those that do more.
      append(page, line, first ? kHandshakeBytes / 2 : kHandshakeBytes);
    else if (!first && error != ENOENT)  // no file: nobody waits for word any more
      log::warn("KREPLAY_HANDSHAKE", "{}: {}; \"kreplay run\" does not learn what became of this process",
                path, open_failure(error));
  } catch (...) {  // a missing note is a warning of the launcher, not a failure of the application
  }
  errno = saved_errno;
}

std::atomic<uint32_t>* handshake_counter(const std::string& path, std::string_view event,
                                         std::string_view detail) noexcept {
  if (path.empty()) return nullptr;
  const int saved_errno = errno;
  unsigned char* place = nullptr;
  size_t length = 0;
  try {
    std::string line = fmt::format("{} {} {}", ::getpid(), event, detail.substr(0, kMaxText / 2));
    pad(line);
    length = line.size();
    line.append(sizeof(uint32_t), '\0');
    int error = 0;
    if (unsigned char* page = page_of(path, error)) place = append(page, line, kHandshakeBytes);
  } catch (...) {  // as in handshake_note()
  }
  errno = saved_errno;
  return place == nullptr ? nullptr : reinterpret_cast<std::atomic<uint32_t>*>(place + length);
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
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (size_t at = 0; at + sizeof(uint32_t) <= bytes.size();) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    const size_t size = word >> 1;
    if (size == 0 || size > bytes.size() - at - sizeof word) break;
    const std::string line = bytes.substr(at + sizeof word, size);
    at += space_of(size);
    const size_t first = line.find(' ');
    const size_t second = first == std::string::npos ? first : line.find(' ', first + 1);
    if ((word & kWhole) == 0 || second == std::string::npos) continue;  // its writer was killed
    HandshakeNote note;
    note.pid = std::strtoll(line.c_str(), nullptr, 10);
    note.event = line.substr(first + 1, second - first - 1);
    note.detail = line.substr(second + 1);
    if (note.event == handshake_event::tool_callbacks && note.detail.size() > sizeof note.count) {
      const size_t text_size = note.detail.size() - sizeof note.count;
      std::memcpy(&note.count, note.detail.data() + text_size, sizeof note.count);
      note.detail.resize(note.detail.find_last_not_of(' ', text_size - 1) + 1);
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace kreplay
