#include "base/log.hpp"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

#include "base/environment.hpp"
#include "base/stderr.hpp"

namespace kreplay::log {
namespace {

/// Lines written per kind, counted in a small open-addressed table keyed by the format string's address.
/// A full table stops limiting, it never stops logging.
class KindCounts {
 public:
  /// @return how many lines of this kind there were, with this one
  unsigned count(const char* key) {
    const size_t start = (reinterpret_cast<size_t>(key) >> 3) % kinds_.size();
    for (size_t i = 0; i < kinds_.size(); ++i) {
      Kind& kind = kinds_[(start + i) % kinds_.size()];
      const char* seen = kind.key.load(std::memory_order_relaxed);
      if (seen == nullptr && kind.key.compare_exchange_strong(seen, key, std::memory_order_relaxed))
        seen = key;
      if (seen == key) return kind.count.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    return 1;
  }

 private:
  struct Kind {
    std::atomic<const char*> key{nullptr};
    std::atomic<unsigned> count{0};
  };
  std::array<Kind, 256> kinds_;
};

/// One write per line; no buffering, no stdio, so a line survives a kill and needs no flush. Warnings and
/// errors of one kind are limited; a message's kind is the file name of its source location. No mutex: the
/// formatter has no state (its pattern names no time), the counts are atomic.
class LimitedStderrSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const unsigned count = message.level >= spdlog::level::warn ? counts_.count(message.source.filename) : 1;
    if (count > kMaxPerKind) return;
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    constexpr std::string_view kLast = " (further messages of this kind are not shown)";
    if (count == kMaxPerKind) line.append(kLast.data(), kLast.data() + kLast.size());
    line.push_back('\n');
    write_stderr({line.data(), line.size()});
  }
  void flush_() override {}

 private:
  KindCounts counts_;
};

spdlog::level::level_enum level_from_environment() {
  const char* text = own_variable("KREPLAY_LOG");
  const std::string_view value(text == nullptr ? "warning" : text);
  for (const auto level : {spdlog::level::debug, spdlog::level::info, spdlog::level::err}) {
    const auto name = spdlog::level::to_string_view(level);
    if (value == std::string_view(name.data(), name.size())) return level;
  }
  return spdlog::level::warn;  // the option table reports malformed values
}

std::atomic<const char*> g_product{"kreplay"};

/// Created on first use and never destroyed: the runtime calls us after our destructors ran.
spdlog::logger& logger() {
  static spdlog::logger* instance = [] {
    auto* made =
        new spdlog::logger(g_product.load(std::memory_order_relaxed), std::make_shared<LimitedStderrSink>());
    // Name, level, text; the sink ends the line.
    made->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%n: %l: %v", spdlog::pattern_time_type::utc, std::string()));
    made->set_level(level_from_environment());
    return made;
  }();
  return *instance;
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
void set_level(Level level) { logger().set_level(spd_level(level)); }
bool enabled(Level level) { return logger().should_log(spd_level(level)); }

void vlog(Level level, std::string_view area, fmt::string_view format, fmt::format_args args) noexcept {
  const int saved_errno = errno;
  try {
    if (enabled(level)) {
      fmt::memory_buffer text;
      fmt::format_to(std::back_inserter(text), "{}: ", area);
      fmt::vformat_to(std::back_inserter(text), format, args);
      logger().log(spdlog::source_loc{format.data(), 1, ""}, spd_level(level),
                   spdlog::string_view_t(text.data(), text.size()));
    }
  } catch (...) {  // a log line is never worth the application
  }
  errno = saved_errno;
}

}  // namespace kreplay::log
