// The environment variables of libkreplay: one table gives name, kind, default, accepted values and help
// text. A variable that starts with KREPLAY_ and is not in the table, or whose value is malformed, is an
// error; the application then runs without replay. KREPLAY_SOFTGPU_* belong to the software GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_set.hpp"

namespace kreplay {

struct Options {
  // built-in timing tool
  uint64_t passes = 5;                    ///< KREPLAY_PASSES, 1..1'000'000
  uint64_t warmup = 0;                    ///< KREPLAY_WARMUP, 0..1'000'000: passes before those that count
  double until_rel_error = 0;             ///< KREPLAY_UNTIL_REL_ERROR, ratio; 0 = not set: `passes` decides
  uint64_t min_passes = 10;               ///< KREPLAY_MIN_PASSES, 1..1'000'000
  uint64_t max_passes = 1000;             ///< KREPLAY_MAX_PASSES, 1..1'000'000, not below min_passes
  uint64_t max_time_ns = 10'000'000'000;  ///< KREPLAY_MAX_TIME, seconds, decimals allowed: per dispatch
  std::string
      kernels;  ///< KREPLAY_KERNELS, regular expression (name_pattern.hpp) on the demangled name; empty = all
  std::string exclude;        ///< KREPLAY_EXCLUDE, same
  std::string launches;       ///< KREPLAY_LAUNCHES, see base/number_set.hpp; empty = all
  std::string from_marker;    ///< KREPLAY_FROM_MARKER, exact text; empty = from the start
  std::string to_marker;      ///< KREPLAY_TO_MARKER, exact text; empty = to the end
  NumberSet agents;           ///< KREPLAY_AGENTS, GPU agents in the runtime's order, from 0
  NumberSet ranks;            ///< KREPLAY_RANKS: ranks of a parallel job in which replay is on
  bool flush_caches = false;  ///< KREPLAY_CACHE, none or flush
  std::string
      output;  ///< KREPLAY_OUTPUT, file path with %p (pid), %h (host name), %r (rank) and %% (a percent sign)
  bool quiet = false;  ///< KREPLAY_QUIET, 0 or 1: no summary on stderr
  bool internal_kernels =
      false;  ///< KREPLAY_INTERNAL_KERNELS, 0 or 1: also replay fill and copy kernels of the runtime
  // replay policy
  bool enabled = true;                         ///< KREPLAY_ENABLE, 0 or 1: 0 = pass everything through
  uint64_t pass_timeout_ns = 20'000'000'000;   ///< KREPLAY_PASS_TIMEOUT, seconds, decimals allowed
  uint64_t drain_timeout_ns = 60'000'000'000;  ///< KREPLAY_DRAIN_TIMEOUT, seconds, decimals allowed
  bool decline_on_stuck_drain = false;         ///< KREPLAY_ON_STUCK_DRAIN, abort or decline
  enum class HostWrite : uint8_t {
    stop,
    restore,
    ignore
  } host_write = HostWrite::stop;  ///< KREPLAY_HOST_WRITE
  bool split_batches = false;      ///< KREPLAY_BATCH, decline or split
  enum class Tier : uint8_t { automatic, shadow, host } tier = Tier::automatic;  ///< KREPLAY_TIER
  uint64_t vram_bytes =
      0;  ///< KREPLAY_VRAM_BYTES, K/M/G/T suffix; 0 = what the agent has left, less a reserve
  uint64_t host_bytes = 0;    ///< KREPLAY_HOST_BYTES, K/M/G/T suffix; 0 = half of the available memory
  bool keep_bar = false;      ///< KREPLAY_KEEP_BAR, 0 or 1
  bool backtrace = false;     ///< KREPLAY_BACKTRACE, 0 or 1: launch sites in the records
  uint64_t replay_kind = 25;  ///< KREPLAY_REPLAY_KIND, 25 or 26: default number of the KERNEL_REPLAY kind
  std::string
      handshake;  ///< KREPLAY_HANDSHAKE, path of the file through which `kreplay run` learns what was loaded
  std::string progress;  ///< KREPLAY_PROGRESS, path of the page through which it sees how far the program is

  /// One sentence per refused variable: name, value, what is accepted. Not empty: replay stays off.
  std::vector<std::string> errors;
};

/// Reads a NULL-terminated "NAME=value" array such as `environ`; NULL is an empty one. Of two variables with
/// one name the first counts, as for getenv(3).
/// Errors: none thrown; what is refused keeps its default and adds a sentence to Options::errors.
Options read_options(const char* const* environment);

/// What is wrong with KREPLAY_KERNELS and KREPLAY_EXCLUDE, a sentence each as in Options::errors.
/// read_options() tells it in a program; in a library, which has to load what reads patterns, only this does.
std::vector<std::string> pattern_errors(const Options& options);

/// The KREPLAY_* variables as they are set, sorted by name, those of the software GPU included.
std::vector<std::pair<std::string, std::string>> options_as_set(const char* const* environment);

/// The option table as help text, for --help and docs/environment.md.
std::string options_help();

/// The names in the table, in its order.
std::vector<std::string_view> option_names();

}  // namespace kreplay
