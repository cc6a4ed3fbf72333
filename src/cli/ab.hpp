// `kreplay ab`: two builds, run by turns, so that what changes slowly on the machine meets both.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"

namespace kreplay::cli {

struct AbPlan {
  std::string kreplay;                     ///< path of this program
  std::string commands[2];                 ///< command lines for a shell
  std::vector<std::string> run_arguments;  ///< for `kreplay run`
  unsigned first = 0;                      ///< pairs that were run before
  unsigned pairs = 10;                     ///< to run now
  std::string folder;                      ///< exists; receives a-001-PID.jsonl, b-001-PID.jsonl, ...
};

/// Runs A B, B A, A B, ... with `kreplay run`; the programs' output goes to stderr.
/// @param sides receive a run per pair, in the order of the pairs
/// @param ended_by the signal that was sent to end all of this and ended a run; 0: none
/// @return Error::runtime when a run fails or measures nothing, with the pair and the status
Status run_pairs(const AbPlan& plan, Results (&sides)[2], int* ended_by);

}  // namespace kreplay::cli
