// For test programs without a rig of their own: an assertion of the library that fails is a failed test.
#include <cstdlib>

#include "base/check.hpp"

namespace {
[[maybe_unused]] const bool g_set = [] {
  kreplay::set_check_action([](const char*) noexcept { std::abort(); });
  return true;
}();
}  // namespace
