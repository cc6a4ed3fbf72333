// Environment values: lines of the input are variables, as NAME=value.
#include <algorithm>
#include <vector>

#include "base/options.hpp"
#include "fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest = fuzz::text(data, size);
  std::vector<std::string> variables;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(std::string_view("\n\0", 2)), rest.size());
    variables.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<const char*> environment;
  for (const std::string& variable : variables) environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  const kreplay::Options options = kreplay::read_options(environment.data());
  FUZZ_CHECK(options.passes >= 1 && options.passes <= 1'000'000);
  FUZZ_CHECK(options.until_rel_error >= 0 && options.until_rel_error < 1);
  FUZZ_CHECK(options.pass_timeout_ns > 0 && options.drain_timeout_ns > 0 && options.max_time_ns > 0);
  FUZZ_CHECK(options.replay_kind == 25 || options.replay_kind == 26);
  if (options.errors.empty())
    FUZZ_CHECK(options.until_rel_error == 0 || options.min_passes <= options.max_passes);
  for (const std::string& error : options.errors) FUZZ_CHECK(error.find("KREPLAY_") != std::string::npos);
  const auto set = kreplay::options_as_set(environment.data());
  FUZZ_CHECK(std::is_sorted(set.begin(), set.end()));
  return 0;
}
