#include "base/log.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/environment.hpp"
#include "base/stderr.hpp"

namespace kreplay::log {
namespace {

/// One write per line; no buffering, no stdio, so a line survives a kill and needs no flush.
class StderrSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    fmt::basic_memory_buffer<char, 512> line;
    line.append(message.payload.begin(), message.payload.end());
    line.push_back('\n');
    write_stderr({line.data(), line.size()});
  }
  void flush_() override {}
};

Level level_from_environment() {
  const char* text = own_variable("KREPLAY_LOG");
  if (text == nullptr) return Level::warning;
  const std::string_view value(text);
  if (value == "error") return Level::error;
  if (value == "info") return Level::info;
  if (value == "debug") return Level::debug;
  return Level::warning;  // the option table reports malformed values
}

/// Created on first use and never destroyed: the runtime calls us after our destructors ran.
spdlog::logger& logger() {
  static spdlog::logger* instance = [] {
    auto* made = new spdlog::logger("kreplay", std::make_shared<StderrSink>());
    made->set_level(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

std::atomic<const char*> g_product{"kreplay"};
std::atomic<int> g_level{-1};

/// Lines written per kind, counted in a small open-addressed table keyed by the format string's address.
/// A full table stops limiting, it never stops logging.
struct Kind {
  std::atomic<const char*> key{nullptr};
  std::atomic<unsigned> count{0};
};
std::array<Kind, 256> g_kinds;

unsigned count_of(const char* key) {
  const size_t start = (reinterpret_cast<size_t>(key) >> 3) % g_kinds.size();
  for (size_t i = 0; i < g_kinds.size(); ++i) {
    Kind& kind = g_kinds[(start + i) % g_kinds.size()];
    const char* seen = kind.key.load(std::memory_order_relaxed);
    if (seen == nullptr && kind.key.compare_exchange_strong(seen, key, std::memory_order_relaxed)) seen = key;
    if (seen == key) return kind.count.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  return 1;
}

constexpr const char* name_of(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

constexpr spdlog::level::level_enum spd_level(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

void set_product(const char* name) { g_product.store(name, std::memory_order_relaxed); }
void set_level(Level level) { g_level.store(static_cast<int>(level), std::memory_order_relaxed); }

bool enabled(Level level) {
  int current = g_level.load(std::memory_order_relaxed);
  if (current < 0) {
    current = static_cast<int>(level_from_environment());
    g_level.store(current, std::memory_order_relaxed);
  }
  return static_cast<int>(level) >= current;
}

void vlog(Level level, std::string_view area, fmt::string_view format, fmt::format_args args) noexcept {
  if (!enabled(level)) return;
  const int saved_errno = errno;
  try {
    const unsigned count = level >= Level::warning ? count_of(format.data()) : 1;
    if (count <= kMaxPerKind) {
      fmt::memory_buffer line;
      fmt::format_to(std::back_inserter(line), "{}: {}: {}: ", g_product.load(std::memory_order_relaxed),
                     name_of(level), area);
      fmt::vformat_to(std::back_inserter(line), format, args);
      if (count == kMaxPerKind)
        fmt::format_to(std::back_inserter(line), " (further messages of this kind are not shown)");
      logger().log(spd_level(level), spdlog::string_view_t(line.data(), line.size()));
    }
  } catch (...) {  // a log line is never worth the application
  }
  errno = saved_errno;
}

}  // namespace kreplay::log
