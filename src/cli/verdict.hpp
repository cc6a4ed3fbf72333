// Whether a run measured anything, by the notes the library left in the processes of the program.
#pragma once

#include <string>
#include <vector>

#include "base/handshake.hpp"

namespace kreplay::cli {

/// What a run's notes amount to, apart from the program's own status.
struct HandshakeVerdict {
  bool good = true;
  bool no_gpu_used = false;            ///< no process had a runtime with a GPU, and nothing tells why
  std::vector<std::string> sentences;  ///< to say, whether good or not
};

/// @param program its path, which may explain why the library was not loaded
/// @param allow_nothing a run without a replayed dispatch is no failure
HandshakeVerdict judge(const std::vector<HandshakeNote>& notes, const std::string& program,
                       bool allow_nothing);

}  // namespace kreplay::cli
