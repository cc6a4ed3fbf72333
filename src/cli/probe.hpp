// What the HSA runtime says when it is asked, the way a program under `kreplay run` would. It runs in a
// process of its own: a runtime that hangs or aborts is one of the things `kreplay doctor` looks for.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace kreplay::cli {

/// What a probe found, as pairs of a key and a text, in order: "hsa" (path), "hsa_version", "agent" (one
/// each), "hip" (path, one each that loads), "failed" (a sentence; the last one).
using ProbeFacts = std::vector<std::pair<std::string, std::string>>;

/// Opens the runtime and HIP, lists the agents and writes the facts to standard output, one a line.
/// @return exit status of the probe process
int probe();

/// Reads back what probe() wrote.
ProbeFacts read_probe(const std::string& text);

}  // namespace kreplay::cli
