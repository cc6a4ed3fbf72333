// Expressions of derived counters: + - * /, parentheses, whole numbers, names, reduce(EXPRESSION, OP[, [DIM,
// ...]]). As ROCprofiler-SDK reads them, except that operands keep their order: upstream puts the one with
// more values first, so that its "100 / X" of several instances is X / 100.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace kreplay::tool_api {

/// A value at a position (the dimension fields of a record id).
struct Sample {
  uint64_t position = 0;
  double value = 0;
};

class Expression {
 public:
  /// @return Error::invalid_argument with what was expected where
  static Result<std::unique_ptr<Expression>> parse(std::string_view text);
  virtual ~Expression() = default;
  /// Names it depends on, in order, with repetitions.
  virtual void names(std::vector<std::string>& out) const = 0;
  using Lookup = std::function<Result<std::vector<Sample>>(const std::string& name)>;
  /// x / 0 is 0. Values of two lists are combined one by one; a list of one combines with each of the other.
  virtual Result<std::vector<Sample>> evaluate(const Lookup& lookup) const = 0;
};

}  // namespace kreplay::tool_api
