// Selection by the application's own markers (roctx): launches between two named places are candidates of the
// built-in tool, others are not.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kreplay::tool_api {

/// Opens at each mark, or start of a range, whose text is `from`; closes at each mark, or end of a range,
/// whose text is `to`. With one text for both, a range opens while it lasts and marks open and close by
/// turns. One gate for the whole process: the thread that marks need not be the one that launches. Threads:
/// open() and the events from any; configure() before them.
class MarkerGate {
 public:
  /// @param from, to exact texts; without `from` the gate is open at first, without `to` it never closes
  void configure(const std::string& from, const std::string& to);
  bool open() const noexcept { return open_.load(std::memory_order_relaxed); }

  void mark(std::string_view text) noexcept;
  /// Ranges of one thread, innermost first. Beyond 64 levels the end of a range is not seen.
  void push(std::string_view text) noexcept;
  void pop() noexcept;
  /// A range with an id, which any thread may end.
  void started(std::string_view text, uint64_t id) noexcept;
  void stopped(uint64_t id) noexcept;

 private:
  bool begin(std::string_view text) noexcept;

  std::string from_, to_;
  bool used_ = false;
  std::atomic<bool> open_{true};
  std::mutex mutex_;               ///< guards closing_
  std::vector<uint64_t> closing_;  ///< ids of ranges that close the gate when they end
};

/// The gate of this process; never destroyed.
MarkerGate& marker_gate() noexcept;

}  // namespace kreplay::tool_api
