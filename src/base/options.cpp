// Table of the environment variables, and the readers its rows use.
#include "base/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/name_pattern.hpp"
#include "base/number_set.hpp"

namespace kreplay {
namespace {

constexpr std::string_view kPrefix = "KREPLAY_";
constexpr std::string_view kSoftGpuPrefix = "KREPLAY_SOFTGPU_";
constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kMaxTimeoutSeconds = 1'000'000;
constexpr uint64_t kMostPasses = 1'000'000;

// --- readers: each returns an empty string, or why the value is refused (may be just "malformed") ---------

using Why = std::string;
constexpr const char* kMalformed = "malformed";

Why read_flag(std::string_view text, bool* out) {
  if (text != "0" && text != "1") return kMalformed;
  *out = text == "1";
  return {};
}

Why read_number(std::string_view text, uint64_t low, uint64_t high, uint64_t* out) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return "out of range";
  if (error != std::errc() || end != text.data() + text.size()) return kMalformed;
  if (value < low || value > high) return "out of range";
  *out = value;
  return {};
}

/// Decimal seconds to nanoseconds, exactly; digits past the ninth decimal are refused, not rounded.
Why read_seconds(std::string_view text, uint64_t* out_ns) {
  const size_t point = text.find('.');
  const std::string_view fraction = point == std::string_view::npos ? "0" : text.substr(point + 1);
  uint64_t seconds = 0;
  uint64_t ns = 0;
  const std::string_view whole = text.substr(0, point);
  if (Why why = read_number(whole, 0, kMaxTimeoutSeconds, &seconds); !why.empty()) return why;
  if (fraction.size() > 9) return "finer than one nanosecond";
  if (Why why = read_number(fraction, 0, kNsPerSecond, &ns); !why.empty()) return why;
  for (size_t digits = fraction.size(); digits < 9; ++digits) ns *= 10;
  const uint64_t total = seconds * kNsPerSecond + ns;
  if (total == 0 || total > kMaxTimeoutSeconds * kNsPerSecond) return "out of range";
  *out_ns = total;
  return {};
}

Why read_bytes(std::string_view text, uint64_t* out) {
  unsigned shift = 0;
  if (!text.empty()) {
    constexpr std::string_view kUnits = "KMGT";
    const size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  uint64_t count = 0;
  const uint64_t most = std::numeric_limits<uint64_t>::max() >> shift;
  if (Why why = read_number(text, 0, most, &count); !why.empty()) return why;
  *out = count << shift;
  return {};
}

Why read_regex(std::string_view text, std::string* out) {
  // In the library, the tool that uses the pattern compiles it: most processes never use the GPU.
  if (NamePattern::engine_at_hand())
    if (const auto pattern = NamePattern::compile(text); !pattern) return pattern.status().message();
  out->assign(text);
  return {};
}

/// "1%" or "0.01", exact enough for a limit.
Why read_ratio(std::string_view text, double* out) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (error != std::errc() || (!unit.empty() && unit != "%")) return kMalformed;
  if (unit == "%") value /= 100;
  if (!(value > 0 && value < 1)) return "out of range";
  *out = value;
  return {};
}

Why read_numbers(std::string_view text, NumberSet* out) {
  Result<NumberSet> set = NumberSet::parse(text, 0);
  if (!set) return set.status().message();
  *out = std::move(*set);
  return {};
}

Why read_launches(std::string_view text, std::string* out) {
  if (const auto set = NumberSet::parse(text, 1); !set) return set.status().message();
  out->assign(text);
  return {};
}

Why read_pattern(std::string_view text, std::string* out) {
  for (size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 2)) {
    const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
    if (kind != 'p' && kind != 'h' && kind != 'r' && kind != '%') {
      return "\"" + std::string(text.substr(i, 2)) + "\" is not a placeholder";
    }
  }
  out->assign(text);
  return {};
}

// --- the table -------------------------------------------------------------------------------------------

struct Row {
  std::string_view name;
  std::string_view kind;
  std::string_view preset;    ///< the default, as a user would write it; empty = unset
  std::string_view accepted;  ///< ends the sentence "accepted: ..."
  std::string_view help;      ///< lines of at most 88 columns
  Why (*apply)(std::string_view value, Options& options);
};

constexpr std::string_view kFlag = "0 or 1";
constexpr std::string_view kLaunches = "launch numbers from 1, e.g. \"1\", \"2-5\", \"10-\", comma separated";
constexpr std::string_view kNumbers = "numbers from 0, e.g. \"0\", \"2-5\", \"10-\", comma separated";
constexpr std::string_view kRegex =
    "a regular expression in RE2 syntax; it matches anywhere in the demangled name";
constexpr std::string_view kSeconds = "seconds above 0 and up to 1000000, decimals allowed";

// constinit: options are read by the library's constructor, before dynamic initialisation.
constinit const Row kRows[] = {
    // The built-in timing tool, used when no tool library is given.
    {"KREPLAY_PASSES", "number", "5", "a whole number from 1 to 1000000",
     "How often each selected dispatch runs. 1: it runs once, nothing is saved or restored.",
     [](std::string_view v, Options& o) { return read_number(v, 1, kMostPasses, &o.passes); }},
    {"KREPLAY_WARMUP", "number", "0", "a whole number from 0 to 1000000",
     "Passes before those that count. They are in the record, but not in any figure.",
     [](std::string_view v, Options& o) { return read_number(v, 0, kMostPasses, &o.warmup); }},
    {"KREPLAY_UNTIL_REL_ERROR", "ratio", "", "a percentage like 1% or a ratio like 0.01, above 0 and below 1",
     "Instead of KREPLAY_PASSES: run each selected dispatch until the median of its pass times is\n"
     "known so well: half the width of its 95 % interval, relative to the median. The record says\n"
     "why a dispatch got no further pass (docs/results.md, passes_end).",
     [](std::string_view v, Options& o) { return read_ratio(v, &o.until_rel_error); }},
    {"KREPLAY_MIN_PASSES", "number", "10", "a whole number from 1 to 1000000, at most KREPLAY_MAX_PASSES",
     "With KREPLAY_UNTIL_REL_ERROR: passes before the error is looked at. Below 6 it is not known.",
     [](std::string_view v, Options& o) { return read_number(v, 1, kMostPasses, &o.min_passes); }},
    {"KREPLAY_MAX_PASSES", "number", "1000", "a whole number from 1 to 1000000",
     "With KREPLAY_UNTIL_REL_ERROR: most passes of a dispatch, warm-up left out.",
     [](std::string_view v, Options& o) { return read_number(v, 1, kMostPasses, &o.max_passes); }},
    {"KREPLAY_MAX_TIME", "seconds", "10", kSeconds,
     "With KREPLAY_UNTIL_REL_ERROR: no further pass of a dispatch after this time. What was\n"
     "begun is ended.",
     [](std::string_view v, Options& o) { return read_seconds(v, &o.max_time_ns); }},
    {"KREPLAY_KERNELS", "regex", "", kRegex, "Replay only kernels whose name matches.",
     [](std::string_view v, Options& o) { return read_regex(v, &o.kernels); }},
    {"KREPLAY_EXCLUDE", "regex", "", kRegex,
     "Never replay kernels whose name matches; wins over KREPLAY_KERNELS.",
     [](std::string_view v, Options& o) { return read_regex(v, &o.exclude); }},
    {"KREPLAY_LAUNCHES", "ranges", "", kLaunches,
     "Which launches of each kernel to replay, counted per kernel and agent.",
     [](std::string_view v, Options& o) { return read_launches(v, &o.launches); }},
    {"KREPLAY_FROM_MARKER", "text", "", "any text, compared as a whole",
     "Replay only from the mark, or the start of the range, with this text on. Marks and ranges\n"
     "are those of roctx (docs/cli.md, markers).",
     [](std::string_view v, Options& o) -> Why {
       o.from_marker.assign(v);
       return {};
     }},
    {"KREPLAY_TO_MARKER", "text", "", "any text, compared as a whole",
     "Replay only up to the mark, or the end of the range, with this text.",
     [](std::string_view v, Options& o) -> Why {
       o.to_marker.assign(v);
       return {};
     }},
    {"KREPLAY_AGENTS", "ranges", "", kNumbers,
     "On which GPU agents to replay, counted from 0 in the order of the result file's header.",
     [](std::string_view v, Options& o) { return read_numbers(v, &o.agents); }},
    {"KREPLAY_INTERNAL_KERNELS", "flag", "0", kFlag,
     "1: also replay the fill and copy kernels that HIP and the runtime launch themselves.",
     [](std::string_view v, Options& o) { return read_flag(v, &o.internal_kernels); }},
    {"KREPLAY_RANKS", "ranges", "", kNumbers,
     "In which ranks of a parallel job replay is on; the others run as without the library.",
     [](std::string_view v, Options& o) { return read_numbers(v, &o.ranks); }},
    {"KREPLAY_OUTPUT", "path", "", "a file path; %p process id, %h host name, %r rank, %% percent sign",
     "Write one JSON line per dispatch to this file (docs/results.md). An existing file is never\n"
     "overwritten: the new one gets .1, .2, ... before its extension. In a parallel job a name\n"
     "without %p and %r gets .r and the rank there.",
     [](std::string_view v, Options& o) { return read_pattern(v, &o.output); }},
    {"KREPLAY_QUIET", "flag", "0", kFlag, "1: no summary table on stderr at exit.",
     [](std::string_view v, Options& o) { return read_flag(v, &o.quiet); }},
    {"KREPLAY_BACKTRACE", "flag", "0", kFlag, "1: each record carries the call stack of its launch.",
     [](std::string_view v, Options& o) { return read_flag(v, &o.backtrace); }},
    // Policy.
    {"KREPLAY_ENABLE", "flag", "1", kFlag, "0: pass everything through, replay nothing.",
     [](std::string_view v, Options& o) { return read_flag(v, &o.enabled); }},
    {"KREPLAY_PASS_TIMEOUT", "seconds", "20", kSeconds,
     "A kernel that runs longer than this in any pass is handed over to the application as it is\n"
     "and not replayed again in this process (reason \"pass_timeout\", later \"learned\").",
     [](std::string_view v, Options& o) { return read_seconds(v, &o.pass_timeout_ns); }},
    {"KREPLAY_DRAIN_TIMEOUT", "seconds", "60", kSeconds,
     "How long to wait for earlier work of the agent before KREPLAY_ON_STUCK_DRAIN applies. Also\n"
     "the bound of other waits: for copies of a snapshot, for a tool callback that keeps a window\n"
     "open, for a queue another thread has (docs/architecture.md, Waits).",
     [](std::string_view v, Options& o) { return read_seconds(v, &o.drain_timeout_ns); }},
    {"KREPLAY_ON_STUCK_DRAIN", "choice", "abort", "abort or decline",
     "abort: end the process with a diagnosis. decline: run the dispatch once, without replay.",
     [](std::string_view v, Options& o) -> Why {
       if (v != "abort" && v != "decline") return kMalformed;
       o.decline_on_stuck_drain = v == "decline";
       return {};
     }},
    {"KREPLAY_HOST_WRITE", "choice", "stop", "stop, restore or ignore",
     "What to do when the first pass changed host memory its arguments point at. stop: keep that\n"
     "pass, replay no further. restore: put the host memory back too. ignore: let values accumulate.",
     [](std::string_view v, Options& o) -> Why {
       if (v == "stop")
         o.host_write = Options::HostWrite::stop;
       else if (v == "restore")
         o.host_write = Options::HostWrite::restore;
       else if (v == "ignore")
         o.host_write = Options::HostWrite::ignore;
       else
         return kMalformed;
       return {};
     }},
    {"KREPLAY_BATCH", "choice", "decline", "decline or split",
     "Several packets submitted at once, and graph launches. decline: run them once. split: each\n"
     "dispatch among them becomes a candidate, in order.",
     [](std::string_view v, Options& o) -> Why {
       if (v != "decline" && v != "split") return kMalformed;
       o.split_batches = v == "split";
       return {};
     }},
    {"KREPLAY_CACHE", "choice", "none", "none or flush",
     "What to do to the caches before each pass. none: nothing, so they hold what the restore left.\n"
     "flush: a buffer of twice their size is written on the agent, so they hold nothing of use.",
     [](std::string_view v, Options& o) -> Why {
       if (v != "none" && v != "flush") return kMalformed;
       o.flush_caches = v == "flush";
       return {};
     }},
    {"KREPLAY_HOST_BYTES", "bytes", "0", "a whole number, with K, M, G or T for powers of 1024",
     "Most host memory an agent's snapshot may use. 0: half of the memory available.",
     [](std::string_view v, Options& o) { return read_bytes(v, &o.host_bytes); }},
    {"KREPLAY_TIER", "choice", "auto", "auto, shadow or host",
     "Where memory is saved. shadow: in the agent's own memory; a launch for which there is no room\n"
     "runs once. host: in pinned host memory. auto: the first while there is room, else the second.",
     [](std::string_view v, Options& o) -> Why {
       if (v == "auto")
         o.tier = Options::Tier::automatic;
       else if (v == "shadow")
         o.tier = Options::Tier::shadow;
       else if (v == "host")
         o.tier = Options::Tier::host;
       else
         return kMalformed;
       return {};
     }},
    {"KREPLAY_VRAM_BYTES", "bytes", "0", "a whole number, with K, M, G or T for powers of 1024",
     "Most memory of an agent that its snapshot may use. 0: what is left, less a tenth of all and at\n"
     "least 1 GiB. An allocation of the program that fails gets all of it back.",
     [](std::string_view v, Options& o) { return read_bytes(v, &o.vram_bytes); }},
    {"KREPLAY_KEEP_BAR", "flag", "0", kFlag,
     "1: leave ROC_ENABLE_LARGE_BAR alone. Small HIP copies are then plain CPU stores, which a\n"
     "restore can undo (docs/limits.md).",
     [](std::string_view v, Options& o) { return read_flag(v, &o.keep_bar); }},
    {"KREPLAY_REPLAY_KIND", "number", "25", "25 or 26",
     "Number of the kernel-replay callback kind that tools are taken to use.",
     [](std::string_view v, Options& o) { return read_number(v, 25, 26, &o.replay_kind); }},
    {"KREPLAY_HANDSHAKE", "path", "", "a file path",
     "Set by \"kreplay run\": the library writes there that it was loaded and what it saw.",
     [](std::string_view v, Options& o) -> Why {
       o.handshake.assign(v);
       return {};
     }},
    {"KREPLAY_PROGRESS", "path", "", "a file path",
     "Set by \"kreplay run\" on a terminal: the library counts launches and passes there.",
     [](std::string_view v, Options& o) -> Why {
       o.progress.assign(v);
       return {};
     }},
    {"KREPLAY_LOG", "choice", "warning", "error, warning, info or debug",
     "Least severe messages written to stderr.",
     [](std::string_view v, Options&) -> Why {  // base/log.cpp reads it itself, before options exist
       return v == "error" || v == "warning" || v == "info" || v == "debug" ? Why() : kMalformed;
     }},
};

// --- error sentences -------------------------------------------------------------------------------------

/// The value in quotes, shortened, without control characters: it goes to a terminal.
std::string quoted(std::string_view value) {
  constexpr size_t kMost = 100;
  std::string text = "\"";
  for (const char c : value.substr(0, kMost))
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (value.size() > kMost ? "...\"" : "\"");
}

/// Edits (insert, delete, replace, swap of neighbours) between two names; names are short.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string_view closest(std::string_view name) {
  name = name.substr(kPrefix.size(), 64);
  std::string_view best;
  size_t least = SIZE_MAX;
  for (const Row& row : kRows) {
    const size_t edits = distance(name, row.name.substr(kPrefix.size()));
    if (edits < least) {
      least = edits;
      best = row.name;
    }
  }
  return best;
}

/// Calls visit(name, value) for each KREPLAY_* entry, first of each name only.
template <typename Visit>
void each_variable(const char* const* environment, Visit visit) {
  if (environment == nullptr) return;
  std::vector<std::string_view> seen;
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, kPrefix.data(), kPrefix.size()) != 0) continue;
    const std::string_view entry(*environment);
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    visit(name, entry.substr(equals + 1));
  }
}

}  // namespace

Options read_options(const char* const* environment) {
  Options options;
  each_variable(environment, [&options](std::string_view name, std::string_view value) {
    if (name.substr(0, kSoftGpuPrefix.size()) == kSoftGpuPrefix) return;
    const auto* row =
        std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
    if (row == std::end(kRows)) {
      options.errors.push_back(std::string(name) + "=" + quoted(value) +
                               ": no such variable; the closest one is " + std::string(closest(name)));
      return;
    }
    const Why why = row->apply(value, options);
    if (!why.empty()) {
      options.errors.push_back(std::string(name) + "=" + quoted(value) + ": " + why +
                               "; accepted: " + std::string(row->accepted));
    }
  });
  if (options.min_passes > options.max_passes) {
    options.errors.push_back("KREPLAY_MIN_PASSES=" + quoted(std::to_string(options.min_passes)) +
                             ": more than KREPLAY_MAX_PASSES, which is " +
                             std::to_string(options.max_passes) + "; accepted: at most that many");
  }
  return options;
}

std::vector<std::string> pattern_errors(const Options& options) {
  std::vector<std::string> errors;
  for (const auto& [name, text] :
       {std::pair("KREPLAY_KERNELS", &options.kernels), std::pair("KREPLAY_EXCLUDE", &options.exclude)}) {
    if (text->empty()) continue;
    if (const auto pattern = NamePattern::compile(*text); !pattern)
      errors.push_back(std::string(name) + "=" + quoted(*text) + ": " + pattern.status().message() +
                       "; accepted: " + std::string(kRegex));
  }
  return errors;
}

std::vector<std::pair<std::string, std::string>> options_as_set(const char* const* environment) {
  std::vector<std::pair<std::string, std::string>> set;
  each_variable(environment,
                [&set](std::string_view name, std::string_view value) { set.emplace_back(name, value); });
  std::sort(set.begin(), set.end());
  return set;
}

std::string options_help() {
  std::string text;
  for (const Row& row : kRows) {
    text.append(row.name).append("=").append(row.kind);
    text.append("  (default: ").append(row.preset.empty() ? "not set" : row.preset).append(")\n");
    std::string_view help = row.help;
    while (!help.empty()) {
      const size_t end = std::min(help.find('\n'), help.size());
      text.append("    ").append(help.substr(0, end)).append("\n");
      help.remove_prefix(std::min(end + 1, help.size()));
    }
    text.append("    Accepted: ").append(row.accepted).append(".\n");
  }
  return text;
}

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

}  // namespace kreplay
