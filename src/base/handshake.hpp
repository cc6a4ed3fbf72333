// How `kreplay run` learns what became of the library in the processes it started: each appends notes to the
// file that KREPLAY_HANDSHAKE names. The loader passes over a preload it cannot load with no more than a line
// on stderr, so silence here is the only proof of that.
//
// Every process maps the file when the library is loaded: what it has to say later needs neither a
// descriptor, which the program may close or use for something else, nor the rights that the program may have
// given up, and raises no signal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kreplay {

/// What is noted, in the order it happens in a process.
namespace handshake_event {
constexpr std::string_view loaded = "loaded";          ///< the library's constructor ran
constexpr std::string_view runtime = "runtime";        ///< replay is on; detail: path of the HSA runtime
constexpr std::string_view no_runtime = "no_runtime";  ///< the HSA runtime did not start; detail: why
constexpr std::string_view passive = "passive";        ///< the library stays out of the way; detail: why
constexpr std::string_view excluded = "excluded";      ///< replay is off in this rank, as was asked for
constexpr std::string_view results = "results";        ///< detail: path of the result file
constexpr std::string_view no_results = "no_results";  ///< detail: why there is no result file
/// A tool's function begins; detail: which. When the process ends in it, this is all that tells.
constexpr std::string_view tool_enters = "tool_enters";
constexpr std::string_view tool_leaves = "tool_leaves";  ///< it is back
/// Detail: which tool; count: how many threads are in a callback of it now.
constexpr std::string_view tool_callbacks = "tool_callbacks";
constexpr std::string_view tool_refused = "tool_refused";  ///< detail: a call of that tool, and the answer
constexpr std::string_view tool_failed = "tool_failed";    ///< detail: a sentence; the run is no good then
constexpr std::string_view tool_idle = "tool_idle";        ///< tools are there and none replays; detail: why
constexpr std::string_view ended = "ended";                ///< the process exits; detail: format_ended()
}  // namespace handshake_event

struct HandshakeNote {
  int64_t pid = 0;
  std::string event;
  std::string detail;
  uint32_t count = 0;  ///< of a note with a counter
};

/// Counts of a process when it exits.
struct EndedNote {
  uint64_t dispatches = 0;  ///< candidates
  uint64_t replayed = 0;
  uint64_t skipped = 0;  ///< launches that were no candidates
  uint64_t lost = 0;     ///< records that are not in the result file
  std::string reason;    ///< the most frequent one of those that were not replayed; may be empty
};
std::string format_ended(const EndedNote& note);
/// Counts that are missing are 0.
EndedNote parse_ended(const std::string& detail);

/// Length of the file; all zero is how it begins.
constexpr size_t kHandshakeBytes = 1 << 20;

/// Appends a note, cut at 8 KiB; does nothing when `path` is empty or does not exist. What cannot be opened
/// is warned of, except when all there is to say is `loaded`. A full file takes no more. Keeps errno.
/// Threads: any, of any process. Allocates; not for signal handlers or fork children.
void handshake_note(const std::string& path, std::string_view event, std::string_view detail = {}) noexcept;

/// A note with a counter, which may be changed from then on: a process that is ended leaves its last value.
/// @return null where a note would not be made
std::atomic<uint32_t>* handshake_counter(const std::string& path, std::string_view event,
                                         std::string_view detail) noexcept;

/// All whole notes in a file, in their order; none when it cannot be read.
std::vector<HandshakeNote> read_handshake(const std::string& path);

}  // namespace kreplay
