// A set of launch ordinals, written as KREPLAY_LAUNCHES takes them: "1", "2-5", "10-", comma separated.
// Launches are counted from 1, per kernel and agent.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"

namespace kreplay {

class LaunchSet {
 public:
  /// What parse() accepts, for error messages and help.
  static constexpr const char* kAccepted =
      "launch numbers from 1, e.g. \"1\", \"2-5\", \"10-\", comma separated";

  /// @return Error::invalid_argument with a sentence that names the part it could not read
  static Result<LaunchSet> parse(std::string_view text);

  /// Threads: any. O(log n) in the number of ranges; allocates nothing.
  bool contains(uint64_t launch) const;
  /// No launch will match any more after this one; UINT64_MAX when the set is open ended.
  uint64_t last() const { return ranges_.empty() ? UINT64_MAX : ranges_.back().second; }
  bool all() const { return ranges_.empty(); }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  ///< inclusive, sorted, disjoint; empty = every launch
};

}  // namespace kreplay
