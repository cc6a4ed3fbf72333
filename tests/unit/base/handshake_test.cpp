#include "base/handshake.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

using namespace kreplay;

TEST_CASE("counts at exit come back, older notes with fewer of them too") {
  kreplay::EndedNote note;
  note.dispatches = 5;
  note.replayed = 4;
  note.skipped = 3;
  note.lost = 2;
  note.reason = "multi_packet";
  const auto back = kreplay::parse_ended(kreplay::format_ended(note));
  CHECK(back.dispatches == 5);
  CHECK(back.replayed == 4);
  CHECK(back.skipped == 3);
  CHECK(back.lost == 2);
  CHECK(back.reason == "multi_packet");
  const auto fewer = kreplay::parse_ended("3 2");
  CHECK(fewer.replayed == 2);
  CHECK(fewer.lost == 0);
  CHECK(fewer.reason.empty());
}

namespace {

struct File {
  explicit File(size_t bytes = kHandshakeBytes) {
    const int fd = ::mkstemp(path.data());
    REQUIRE(fd >= 0);
    REQUIRE(::ftruncate(fd, static_cast<off_t>(bytes)) == 0);
    ::close(fd);
  }
  ~File() { ::unlink(path.c_str()); }
  std::string path = "/tmp/kreplay-test-XXXXXX";
};

}  // namespace

TEST_CASE("notes are appended and read back") {
  const File file;
  CHECK(read_handshake(file.path).empty());
  errno = 5;
  handshake_note(file.path, handshake_event::loaded);
  handshake_note(file.path, handshake_event::runtime, "/usr/lib/lib with space.so");
  handshake_note(file.path, handshake_event::passive, "two\nlines");
  handshake_note(file.path, handshake_event::no_results, std::string(20'000, 'x'));
  CHECK(errno == 5);
  const auto notes = read_handshake(file.path);
  REQUIRE(notes.size() == 4);
  CHECK(notes[0].pid == ::getpid());
  CHECK(notes[0].event == "loaded");
  CHECK(notes[0].detail.empty());
  CHECK(notes[1].detail == "/usr/lib/lib with space.so");
  CHECK(notes[2].detail == "two lines");
  CHECK(notes[3].detail.size() > 8000);
  CHECK(notes[3].detail.size() < 8192);
}

TEST_CASE("a counter in a note is read as it was left") {
  const File file;
  for (const std::string name : {"tool", "tools", "tool b", "a tool"}) {
    handshake_note(file.path, handshake_event::runtime, name);  // so that the next begins elsewhere
    std::atomic<uint32_t>* counter = handshake_counter(file.path, handshake_event::tool_callbacks, name);
    REQUIRE(counter != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(counter) % alignof(std::atomic<uint32_t>) == 0);
    CHECK(read_handshake(file.path).back().count == 0);
    counter->fetch_add(0x01020304);
    const auto notes = read_handshake(file.path);
    CHECK(notes.back().event == "tool_callbacks");
    CHECK(notes.back().detail == name);
    CHECK(notes.back().count == 0x01020304);
  }
  CHECK(read_handshake(file.path).size() == 8);
  CHECK(handshake_counter("", handshake_event::tool_callbacks, "tool") == nullptr);
  CHECK(handshake_counter("/nonexistent", handshake_event::tool_callbacks, "tool") == nullptr);
}

TEST_CASE("a note that its writer did not end is passed over") {
  const File file;
  handshake_note(file.path, handshake_event::loaded);
  handshake_note(file.path, handshake_event::runtime, "cut");
  handshake_note(file.path, handshake_event::ended, "1 1 0 0 ");
  std::string text(200, '\0');
  std::fstream stream(file.path, std::ios::in | std::ios::out | std::ios::binary);
  stream.read(text.data(), 200);
  const size_t cut = text.find("runtime") - std::to_string(::getpid()).size() - 1 - sizeof(uint32_t);
  stream.seekp(static_cast<std::streamoff>(cut));
  stream.put(static_cast<char>(text[cut] & ~1));  // the bit that says it is whole
  stream.close();
  const auto notes = read_handshake(file.path);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].event == "loaded");
  CHECK(notes[1].event == "ended");
}

TEST_CASE("notes of many processes at once are all there, and whole") {
  const File file;
  constexpr int kProcesses = 8;
  constexpr int kNotes = 100;
  for (int i = 0; i < kProcesses; ++i) {
    if (::fork() != 0) continue;
    for (int k = 0; k < kNotes; ++k)
      handshake_note(file.path, handshake_event::results, std::string(static_cast<size_t>(1 + k), 'a'));
    ::_exit(0);
  }
  for (int i = 0; i < kProcesses; ++i) ::wait(nullptr);
  std::map<int64_t, int> seen;
  for (const HandshakeNote& note : read_handshake(file.path)) {
    CHECK(note.detail == std::string(static_cast<size_t>(1 + seen[note.pid]), 'a'));
    ++seen[note.pid];
  }
  CHECK(seen.size() == kProcesses);
  for (const auto& [pid, count] : seen) CHECK(count == kNotes);
}

TEST_CASE("processes that only load the library leave room for the others") {
  const File file;
  for (size_t i = 0; i < 2 * kHandshakeBytes / 8000; ++i)
    handshake_note(file.path, handshake_event::loaded, std::string(8000, 'x'));
  handshake_note(file.path, handshake_event::ended, "1 1 0 0 ");
  const auto notes = read_handshake(file.path);
  REQUIRE(!notes.empty());
  CHECK(notes.back().event == "ended");
  for (size_t i = 0; i < 2 * kHandshakeBytes / 8000; ++i)
    handshake_note(file.path, handshake_event::results, std::string(8000, 'x'));
  CHECK(read_handshake(file.path).back().event == "results");
  struct stat info {};
  REQUIRE(::stat(file.path.c_str(), &info) == 0);
  CHECK(static_cast<size_t>(info.st_size) == kHandshakeBytes);
}

TEST_CASE("what was mapped needs neither the name nor descriptors nor a file size any more") {
  const File file;
  handshake_note(file.path, handshake_event::loaded);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close_range(3, ~0U, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::chmod(file.path.c_str(), 0);
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
    handshake_note(file.path, handshake_event::ended, "1 1 0 0 ");
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  REQUIRE(::chmod(file.path.c_str(), 0600) == 0);
  const auto notes = read_handshake(file.path);
  REQUIRE(notes.size() == 2);
  CHECK(notes[1].pid == child);
}

TEST_CASE("files that are none of this are left alone") {
  const File shorter(kHandshakeBytes - 1);
  std::ofstream(shorter.path) << "precious";
  handshake_note(shorter.path, handshake_event::loaded);
  std::ifstream stream(shorter.path);
  CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) == "precious");

  const File target;
  const std::string link = target.path + ".link";
  REQUIRE(::symlink(target.path.c_str(), link.c_str()) == 0);
  handshake_note(link, handshake_event::loaded);
  ::unlink(link.c_str());
  CHECK(read_handshake(target.path).empty());

  const std::string missing = target.path + ".missing";
  handshake_note(missing, handshake_event::ended);
  CHECK(::access(missing.c_str(), F_OK) != 0);
  CHECK(read_handshake(missing).empty());
}
