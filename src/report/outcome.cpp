#include "report/outcome.hpp"

#include <iterator>

namespace kreplay::report {

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::replayed:
      return "replayed";
    case Outcome::stopped:
      return "stopped";
    case Outcome::declined:
      return "declined";
    case Outcome::opted_out:
      return "opted_out";
  }
  return "unknown";
}

const char* name_of(Reason reason) {
  constexpr const char* kNames[] = {
      "none",
      "multi_packet",
      "graph",
      "budget",
      "no_backing",
      "snapshot_failed",
      "dependency",
      "queue_drain",
      "agent_drain",
      "cooperative",
      "host_write",
      "host_services",
      "peer_write",
      "stray",
      "collective",
      "reentrant",
      "bypassed",
      "unsupported_packet",
      "learned",
      "pass_timeout",
      "queue_error",
      "callback_timeout",
      "filtered",
      "cache_flush",
      "runtime_internal",
  };
  static_assert(std::size(kNames) == static_cast<size_t>(Reason::count));
  return reason < Reason::count ? kNames[static_cast<size_t>(reason)] : "unknown";
}

const char* name_of(PassesEnd end) {
  switch (end) {
    case PassesEnd::none:
      return "none";
    case PassesEnd::count:
      return "count";
    case PassesEnd::converged:
      return "converged";
    case PassesEnd::max_passes:
      return "max_passes";
    case PassesEnd::max_time:
      return "max_time";
    case PassesEnd::tool:
      return "tool";
  }
  return "unknown";
}

}  // namespace kreplay::report
