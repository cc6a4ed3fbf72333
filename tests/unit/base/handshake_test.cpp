#include "base/handshake.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>

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

TEST_CASE("notes are appended and read back") {
  char path[] = "/tmp/kreplay-test-XXXXXX";
  const int fd = ::mkstemp(path);
  REQUIRE(fd >= 0);
  ::close(fd);
  CHECK(read_handshake(path).empty());
  errno = 5;
  handshake_note(path, handshake_event::loaded);
  handshake_note(path, handshake_event::runtime, "/usr/lib/lib with space.so");
  handshake_note(path, handshake_event::passive, "two\nlines");
  CHECK(errno == 5);
  std::ofstream(path, std::ios::app) << "broken\n12 ended 3";
  const auto notes = read_handshake(path);
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].pid == ::getpid());
  CHECK(notes[0].event == "loaded");
  CHECK(notes[0].detail.empty());
  CHECK(notes[1].detail == "/usr/lib/lib with space.so");
  CHECK(notes[2].detail == "two lines");
  ::unlink(path);
  handshake_note(path, handshake_event::ended);
  CHECK(::access(path, F_OK) != 0);
  CHECK(read_handshake(path).empty());
}
