// A library as libkreplay.so is one: loaded into a program, with patterns.
#include <string>

#include "base/name_pattern.hpp"
#include "base/options.hpp"

extern "C" __attribute__((visibility("default"))) const char* try_pattern(const char* expression,
                                                                          const char* name) {
  static std::string answer;
  static bool first = true;
  const std::string entry = std::string("KREPLAY_KERNELS=") + expression;
  const char* const environment[] = {entry.c_str(), nullptr};
  const kreplay::Options options = kreplay::read_options(environment);
  if (first && (!options.errors.empty() || kreplay::NamePattern::engine_at_hand()))
    return "options were not just read";
  first = false;
  const auto errors = kreplay::pattern_errors(options);
  if (!errors.empty()) return (answer = errors.front()).c_str();
  const auto pattern = kreplay::NamePattern::compile(expression);
  answer = !pattern ? pattern.status().message() : pattern->matches(name) ? "matches" : "does not match";
  return answer.c_str();
}
