// libkreplay-pattern.so: RE2 behind a C interface. A library of its own, loaded only where a pattern is used,
// with nothing of it in the program's scope: RE2's names have no version, so the program's own RE2 and ours
// would take each other's functions if libkreplay.so were linked to it.
#include "base/pattern_engine.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace {

using re2::RE2;

/// What many expressions written for ECMAScript have and RE2 has not; null: neither.
const char* lacking(const re2::StringPiece& expression) {
  const auto at = [&](size_t i) { return i < expression.size() ? expression[i] : '\0'; };
  bool in_class = false;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      if (!in_class && at(i + 1) >= '1' && at(i + 1) <= '9') return "back-references are not supported";
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(' && at(i + 1) == '?') {
      if (at(i + 2) == '=' || at(i + 2) == '!') return "assertions that look ahead are not supported";
      if (at(i + 2) == '<' && (at(i + 3) == '=' || at(i + 3) == '!'))
        return "assertions that look behind are not supported";
    }
  }
  return nullptr;
}

void tell(const std::string& what, char* why, size_t why_bytes) {
  const size_t bytes = std::min(what.size(), why_bytes - 1);
  std::memcpy(why, what.data(), bytes);
  why[bytes] = '\0';
}

void* compile(const char* expression, size_t bytes, char* why, size_t why_bytes) {
  try {
    RE2::Options options;
    options.set_encoding(RE2::Options::EncodingLatin1);  // bytes: a name need not be valid in any encoding
    options.set_log_errors(false);                       // they would be printed
    options.set_never_capture(true);
    const re2::StringPiece text(expression, bytes);
    auto compiled = std::make_unique<RE2>(text, options);
    if (compiled->ok()) return compiled.release();
    const char* missing = lacking(text);
    tell(missing != nullptr ? missing : compiled->error(), why, why_bytes);
  } catch (...) {
    tell("out of memory", why, why_bytes);
  }
  return nullptr;
}

int matches(const void* compiled, const char* text, size_t bytes) {
  return RE2::PartialMatch(re2::StringPiece(text, bytes), *static_cast<const RE2*>(compiled)) ? 1 : 0;
}

void destroy(void* compiled) { delete static_cast<RE2*>(compiled); }

}  // namespace

extern "C" __attribute__((visibility("default")))
const struct kreplay_pattern_engine kreplay_pattern_engine = {&compile, &matches, &destroy};
