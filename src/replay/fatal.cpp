#include "replay/fatal.hpp"

#include <atomic>
#include <cstdlib>

#include "base/log.hpp"
#include "replay/backtrace.hpp"

namespace kreplay::replay {
namespace {

std::atomic<void (*)()> g_action{nullptr};

}  // namespace

void fatal(const std::string& area, const std::string& sentence) {
  std::string stack;
  for (const Frame& frame : backtrace_frames(1)) stack += "\n    " + to_text(frame);
  log::error(area, "{}; aborting. Stack of the submitting thread:{}", sentence, stack);
  if (auto* action = g_action.load()) action();
  std::abort();
}

void set_fatal_action(void (*action)()) { g_action.store(action); }

}  // namespace kreplay::replay
