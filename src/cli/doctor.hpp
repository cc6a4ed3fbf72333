// `kreplay doctor`: looks at everything a run needs and says what is wrong, each with what to do about it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/handshake.hpp"
#include "cli/probe.hpp"

namespace kreplay::cli {

struct Finding {
  enum class Kind { good, note, problem };
  Kind kind = Kind::good;
  std::string what;    ///< a few words: the subject
  std::string detail;  ///< what was found
  std::string advice;  ///< what to do; empty when there is nothing to do
};
using Findings = std::vector<Finding>;

/// Variables by name.
using Environment = std::map<std::string, std::string>;

// Each looks at one matter and adds to `out`.

/// Entries of LD_PRELOAD and /etc/ld.so.preload. @param root put before absolute paths, for tests
void check_preloads(const Environment& environment, const std::string& root, Findings& out);
/// Other tools that put themselves between a program and the runtime.
void check_interceptors(const Environment& environment, Findings& out);
/// Variables of ours with their errors, and those of others that change what is measured.
void check_variables(const Environment& environment, Findings& out);
/// The driver's device files and whether this user may open them. @param root put before /dev and /sys
void check_devices(const std::string& root, Findings& out);
/// What the probe process said and how it ended.
/// @param status as waitpid(2) gives it
void check_probe(const ProbeFacts& facts, const std::vector<HandshakeNote>& notes, int status, Findings& out);

/// The list as text, problems with their advice below them.
std::string format_findings(const Findings& findings);
bool any_problem(const Findings& findings);

struct DoctorRequest {
  std::vector<std::string> libraries;  ///< to preload into the probe, as `kreplay run` would
  bool soft = false;                   ///< the software GPU: no device is needed
  std::string version;                 ///< of this command
};
/// Runs every check. The probe gets 30 seconds.
Findings examine(const DoctorRequest& request);

}  // namespace kreplay::cli
