// Tools that fail say so: each failure is a line of the log with the tool's name, what it threw and what it
// was refused, and a note for `kreplay run`, which ends with a failure then.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/handshake.hpp"
#include "base/log.hpp"
#include "tool_api/guard.hpp"
#include "tool_api/kinds.hpp"
#include "tool_api/registry.hpp"

namespace kreplay::tool_api {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local bool tls_told = false;

}  // namespace

void mark_told() noexcept { tls_told = true; }

std::string thrown_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return std::string("an exception: ") + error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

const char* name_of(const Client& client) {
  return client.id.name != nullptr ? client.id.name : client.origin.c_str();
}

void Registry::note(std::string_view event, std::string_view detail) const noexcept {
  try {
    std::string path;
    {
      const std::lock_guard lock(mutex_);
      path = options_.handshake;
    }
    handshake_note(path, event, detail);
  } catch (...) {  // out of memory: `kreplay run` learns less
  }
}

void Registry::tool_enters(const Client& client, const char* function) const noexcept {
  try {
    note(handshake_event::tool_enters, fmt::format("{}: {}", name_of(client), function));
  } catch (...) {  // as in note()
  }
}

void Registry::tool_threw(const Client& client, const char* function, const char* consequence) noexcept {
  try {
    tool_failed(client, fmt::format("{} threw {}{}", function, thrown_text(), consequence));
  } catch (...) {
    log::error("tool", "out of memory; a tool threw an exception in {}", function);
  }
}

void Registry::tool_failed(const Client& client, const std::string& how) noexcept {
  try {
    std::string sentence = fmt::format("tool {}: {}", name_of(client), how);
    {
      const std::lock_guard lock(mutex_);
      built_in_allowed_ = false;
      for (const std::string& call : client.refusals)
        sentence += (&call == &client.refusals.front() ? "; it had been refused " : ", ") + call;
    }
    log::error("tool", "{}", sentence);
    note(handshake_event::tool_failed, sentence);
  } catch (...) {
    log::error("tool", "out of memory; a tool failed");
  }
}

void Registry::call_refused(const char* function, rocprofiler_status_t status, const char* what) noexcept {
  try {
    const bool told = std::exchange(tls_told, false);
    const char* name = status_name(number_of(status));
    const std::string call = what == nullptr ? function : fmt::format("{} of {}", function, what);
    const std::string answer = fmt::format("{} ({})", call, name != nullptr ? name : "unknown status");
    log::info("refused", "{}", answer);
    std::string tool;
    {
      const std::lock_guard lock(mutex_);
      if (initializing_ == nullptr) return;
      std::vector<std::string>& known = initializing_->refusals;
      if (std::find(known.begin(), known.end(), answer) != known.end()) return;
      known.push_back(answer);
      tool = name_of(*initializing_);
    }
    if (!told && (status == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED ||
                  status == ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED))
      log::warn("tool", "tool {}: asked for a service that it cannot have: {}", tool, answer);
    note(handshake_event::tool_refused, answer);
  } catch (...) {  // out of memory: the tool has its answer all the same
  }
}

rocprofiler_status_t refused(const char* function, rocprofiler_status_t status, const char* what) noexcept {
  // A registry is there when a tool is; without one nobody is asked about.
  if (Registry* registry = Registry::existing()) registry->call_refused(function, status, what);
  return status;
}

void Registry::note_idle() noexcept {
  try {
    if (!tool_present() || replay_.load() != nullptr) return;
    note(handshake_event::tool_idle, fmt::format("tool {} asked for no kernel replay", tool_names()));
  } catch (...) {  // out of memory: a sentence less
  }
}

void Registry::count_callbacks() noexcept {
  const ReplaySubscription* claim = replay_.load();
  if (claim == nullptr || claim->inside.load() != nullptr) return;
  try {
    std::string path;
    {
      const std::lock_guard lock(mutex_);
      path = options_.handshake;
    }
    claim->inside = handshake_counter(path, handshake_event::tool_callbacks, name_of(*claim->client));
  } catch (...) {  // as in note()
  }
}

}  // namespace kreplay::tool_api
