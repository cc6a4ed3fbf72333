// A preload that notes what STAND_IN_NOTES says: "event=detail" separated by semicolons. Also a tool library.
#include <cstdlib>
#include <string>

#include "base/handshake.hpp"

// The mark of libkreplay.so (src/intercept/instance.cpp).
__asm__(
    ".pushsection .note.kreplay, \"a\", @note\n"
    ".balign 4\n"
    ".long 8\n"
    ".long 4\n"
    ".long 1\n"
    ".asciz \"kreplay\"\n"
    ".long 1\n"
    ".popsection\n");

extern "C" __attribute__((visibility("default"))) void* rocprofiler_configure() { return nullptr; }

namespace {

__attribute__((constructor)) void on_load() {
  const char* path = std::getenv("KREPLAY_HANDSHAKE");
  const char* notes = std::getenv("STAND_IN_NOTES");
  if (path == nullptr || notes == nullptr) return;
  std::string text = notes;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string note = text.substr(0, end);
    const size_t equals = std::min(note.find('='), note.size());
    kreplay::handshake_note(path, note.substr(0, equals), note.substr(std::min(equals + 1, note.size())));
    text.erase(0, end + 1);
  }
}

}  // namespace
