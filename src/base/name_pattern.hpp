// A user's pattern for kernel names. Names are as long as a program's templates make them, and the pattern is
// the user's: matching takes time linear in the name, and a stack that depends on neither.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.hpp"

namespace kreplay {

/// RE2 syntax (https://github.com/google/re2/wiki/Syntax), bytes rather than characters: what ECMAScript has,
/// but for back-references and assertions that look ahead or behind. Threads: any at once. Move-only.
class NamePattern {
 public:
  /// Longest expression, in bytes.
  static constexpr size_t kMaxBytes = 2000;

  /// Whether the engine is here already. If not, compile() loads it: not for processes that may never need
  /// it.
  static bool engine_at_hand();
  /// @return Error::invalid_argument with the reason, for the end of a sentence; Error::not_found when the
  /// engine
  ///         cannot be loaded
  static Result<NamePattern> compile(std::string_view expression);
  /// Whether it matches anywhere in `name`.
  bool matches(std::string_view name) const;

 private:
  using Destroy = void (*)(void*);
  explicit NamePattern(std::unique_ptr<void, Destroy> compiled) : compiled_(std::move(compiled)) {}

  std::unique_ptr<void, Destroy> compiled_;
};

}  // namespace kreplay
