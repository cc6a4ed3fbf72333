// Call stacks, for fatal messages and for the launch sites in records. Symbolised by libunwind, which is
// opened at run time and with local scope: it exports the names of the compiler's unwinder and must not get
// between it and the application. Without it frames come from the C library and have no function names. Not
// async-signal-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kreplay::replay {

/// Loads libunwind, once; later calls of the others then need no loader.
void prepare_backtrace();

struct Frame {
  uint64_t address = 0;
  std::string function;  ///< demangled; "?" when not known
  uint64_t offset = 0;   ///< bytes into the function
  std::string library;   ///< path
};

/// The calling thread's stack, innermost first. @param skip frames to leave out at the inner end
std::vector<Frame> backtrace_frames(unsigned skip = 1);
/// "0xADDRESS function+0xOFFSET (library)"
std::string to_text(const Frame& frame);
/// The calling thread's stack from the first frame outside this library, innermost first, one frame a line.
std::string launch_site();

}  // namespace kreplay::replay
