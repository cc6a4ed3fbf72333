#include "base/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace kreplay {

bool secure_execution() noexcept { return ::getauxval(AT_SECURE) != 0; }

const char* own_variable(const char* name) noexcept {
  return secure_execution() ? nullptr : std::getenv(name);
}

const char* const* own_environment() noexcept {
  static constexpr const char* kNothing[] = {nullptr};
  return secure_execution() || environ == nullptr ? kNothing : environ;
}

const char* foreign_variable(const char* name) noexcept { return std::getenv(name); }

}  // namespace kreplay
