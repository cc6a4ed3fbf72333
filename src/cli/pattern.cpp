#include "cli/pattern.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <vector>

namespace kreplay::cli {
namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;  ///< of the compiled form; names of megabytes fit
constexpr size_t kShown = 200;                      ///< of a pattern in a message

re2::RE2::Options pattern_options() {
  re2::RE2::Options out;
  // Names are bytes to us: a symbol that is no valid UTF-8 is matched like any other.
  out.set_encoding(re2::RE2::Options::EncodingLatin1);
  out.set_log_errors(false);
  out.set_max_mem(kMostBytes);
  return out;
}

std::string shown(const std::string& text) {
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

/// What of the pattern RE2 does not take, in the words of who wrote it.
std::string explained(const re2::RE2& pattern) {
  const std::string& what = pattern.error_arg();
  if (what.size() == 2 && what[0] == '\\' &&
      (what[1] == 'k' || std::isdigit(static_cast<unsigned char>(what[1])) != 0)) {
    return fmt::format(
        "the back-reference {} is not supported (patterns are RE2's, so that they take linear time on any "
        "name); write out what is repeated, or use several rules",
        what);
  }
  if (what == "(?=" || what == "(?!" || what == "(?<" || what == "(?<=" || what == "(?<!") {
    return fmt::format(
        "the look-around {} is not supported (patterns are RE2's, so that they take linear time on any "
        "name); use several rules, of which the last that matches decides",
        what);
  }
  return shown(pattern.error());
}

/// Adds the replacement of one match. @param groups [0] is the whole match
void expand(const std::string& by, const std::vector<re2::StringPiece>& groups, std::string* out) {
  const auto digit = [&by](size_t place) {
    return place < by.size() && std::isdigit(static_cast<unsigned char>(by[place])) != 0;
  };
  for (size_t i = 0; i < by.size(); ++i) {
    const char next = by[i] == '$' && i + 1 < by.size() ? by[i + 1] : '\0';
    if (next == '$') {
      out->push_back(by[++i]);
    } else if (next == '&') {
      out->append(groups[0].data(), groups[0].size());
      ++i;
    } else if (next != '\0' && digit(i + 1)) {
      const size_t digits = digit(i + 2) ? 2 : 1;
      const size_t group = std::stoul(by.substr(i + 1, digits));
      if (group < groups.size() && groups[group].data() != nullptr)
        out->append(groups[group].data(), groups[group].size());
      i += digits;
    } else {
      out->push_back(by[i]);
    }
  }
}

}  // namespace

Result<Pattern> Pattern::parse(const std::string& text) {
  auto compiled = std::make_shared<const re2::RE2>(text, pattern_options());
  if (!compiled->ok()) {
    return {Error::invalid_argument,
            fmt::format("\"{}\" is not a regular expression: {}", shown(text), explained(*compiled))};
  }
  return Pattern(std::move(compiled));
}

std::string Pattern::of_name(const std::string& name) {
  std::string out = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? '.' : c;
  }
  return out + "$";
}

bool Pattern::found_in(const std::string& name) const { return re2::RE2::PartialMatch(name, *compiled_); }

std::string Pattern::replaced_in(const std::string& name, const std::string& by) const {
  const re2::StringPiece text(name);
  std::vector<re2::StringPiece> groups(static_cast<size_t>(compiled_->NumberOfCapturingGroups()) + 1);
  std::string out;
  size_t done = 0;
  size_t from = 0;
  while (from <= name.size() && compiled_->Match(text, from, name.size(), re2::RE2::UNANCHORED, groups.data(),
                                                 static_cast<int>(groups.size()))) {
    const auto begin = static_cast<size_t>(groups[0].data() - name.data());
    const size_t end = begin + groups[0].size();
    out.append(name, done, begin - done);
    expand(by, groups, &out);
    done = end;
    from = end > begin ? end : end + 1;  // an empty match: go on behind the next character, which stays
  }
  return out.append(name, done, name.size() - done);
}

}  // namespace kreplay::cli
