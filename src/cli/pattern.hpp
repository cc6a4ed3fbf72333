// Users' patterns that meet names of kernels. Such names have no limit (templates nest), so they are matched
// in time that grows with their length and without recursion: RE2, which for that lacks back-references and
// look-around.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>

#include "base/status.hpp"

namespace kreplay::cli {

/// A regular expression over bytes. Copies share the compiled form. Threads: any.
class Pattern {
 public:
  /// @return Error::invalid_argument with the pattern, what is wrong with it, and what could take its place
  static Result<Pattern> parse(const std::string& text);

  /// A pattern that matches this name and no other. It holds no single quote, so that it can be written as a
  /// literal text of TOML: there any character may stand in place of one.
  static std::string of_name(const std::string& name);

  /// Whether it matches anywhere in the name.
  bool found_in(const std::string& name) const;
  /// The name with every match replaced; `by` as in ECMAScript: $& the match, $1 ... $99 its groups (nothing
  /// for a group that the pattern does not have), $$ a dollar; anything else stands for itself.
  std::string replaced_in(const std::string& name, const std::string& by) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace kreplay::cli
