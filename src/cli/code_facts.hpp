// What the code objects say of kernels, compared: registers, LDS, hashes, ...
#pragma once

#include <string>
#include <vector>

#include "cli/policy.hpp"

namespace kreplay::cli {

/// Something about a kernel's code that changed, or that breaks a limit.
struct FactChange {
  std::string kernel, name, base, fresh;
  enum class State { none, regression, stale };
  State state = State::none;  ///< stale: below a limit that is a ratchet, which has to be lowered
  std::string why;
};

/// Changes, and facts of `fresh` that break a limit, changed or not; those that decide the verdict first.
std::vector<FactChange> fact_changes(const Results& base, const Results& fresh, const Policy& policy);

/// The hash of a kernel's code when it has one only; else empty.
std::string code_of(const Results& side, const std::string& kernel);
/// A kernel of `side`, of the same code, that `other` does not have; empty when there is none or several.
std::string same_code(const Results& side, const Results& other, const std::string& code);
/// The rename that makes two names one, as it is written in a limits file.
std::string rename_rule(const std::string& from, const std::string& to);

}  // namespace kreplay::cli
