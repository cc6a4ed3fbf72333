// Log lines: "kreplay: warning: AREA: sentence", one write(2) each to stderr, so lines of several threads
// and processes do not mix. Silent by default apart from warnings and errors; KREPLAY_LOG sets the level
// (error, warning, info, debug). At most kMaxPerKind lines of one kind (one format string) are written,
// the last of them says so. Allocates only for lines longer than 250 bytes.
//
// Threads: any. Signal handlers and fork children must not log.
#pragma once

#include <fmt/core.h>

#include <string_view>

namespace kreplay::log {

enum class Level { debug, info, warning, error };

constexpr unsigned kMaxPerKind = 16;

/// The product name that starts each line; "kreplay" unless set before the first line. @param name static
/// storage
void set_product(const char* name);
void set_level(Level level);
bool enabled(Level level);

/// @param area entry point or part, e.g. "hsa_queue_create"
void vlog(Level level, std::string_view area, fmt::string_view format, fmt::format_args args) noexcept;

template <typename... Args>
void debug(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::debug)) vlog(Level::debug, area, format, fmt::make_format_args(args...));
}
template <typename... Args>
void info(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::info)) vlog(Level::info, area, format, fmt::make_format_args(args...));
}
template <typename... Args>
void warn(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
  vlog(Level::warning, area, format, fmt::make_format_args(args...));
}
template <typename... Args>
void error(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
  vlog(Level::error, area, format, fmt::make_format_args(args...));
}

}  // namespace kreplay::log
