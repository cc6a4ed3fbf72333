#include "base/check.hpp"

#include <atomic>
#include <cstring>

#include "base/log.hpp"

namespace kreplay {
namespace {

std::atomic<void (*)(const char*) noexcept> g_action{nullptr};

}  // namespace

void check_failed(const char* file, int line, const char* what) noexcept {
  try {
    const char* slash = std::strrchr(file, '/');
    log::error("internal", "{}:{}: this does not hold: {}; please report it",
               slash == nullptr ? file : slash + 1, line, what);
  } catch (...) {  // without memory there is no message; the action matters more
  }
  if (const auto action = g_action.load(std::memory_order_acquire)) action(what);
}

void set_check_action(void (*action)(const char*) noexcept) noexcept {
  g_action.store(action, std::memory_order_release);
}

}  // namespace kreplay
