#include "base/stderr.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>

#include "base/files.hpp"
#include "base/safe_write.hpp"

namespace kreplay {
namespace {

constexpr uint64_t kPatienceNs = 1'000'000'000;

FileIdentity at_start() noexcept {
  static const FileIdentity identity = FileIdentity::exact(STDERR_FILENO);
  return identity;
}

/// Early: constructors that run later may be the program's own.
__attribute__((constructor(101))) void remember_stderr() { at_start(); }

std::atomic<bool> g_stuck{false};  // nothing was taken the last time

}  // namespace

bool write_stderr(std::string_view text) noexcept {
  if (at_start().type == 0 || FileIdentity::exact(STDERR_FILENO) != at_start()) return false;
  const int error =
      write_shared(STDERR_FILENO, text, g_stuck.load(std::memory_order_relaxed) ? 0 : kPatienceNs);
  g_stuck.store(error == ETIMEDOUT, std::memory_order_relaxed);
  return error == 0;
}

}  // namespace kreplay
