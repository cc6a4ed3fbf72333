// A set of whole numbers, written as the options take them: "1", "2-5", "10-", comma separated.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"

namespace kreplay {

class NumberSet {
 public:
  /// @param least smallest number allowed: launches are counted from 1, ranks and agents from 0
  /// @return Error::invalid_argument with a sentence that names the part it could not read
  static Result<NumberSet> parse(std::string_view text, uint64_t least);

  /// Threads: any. O(log n) in the number of ranges; allocates nothing.
  bool contains(uint64_t number) const;
  /// No number will match any more after this one; UINT64_MAX when the set is open ended.
  uint64_t last() const { return ranges_.empty() ? UINT64_MAX : ranges_.back().second; }
  bool all() const { return ranges_.empty(); }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  ///< inclusive, sorted, disjoint; empty = every number
};

}  // namespace kreplay
