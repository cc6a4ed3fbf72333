// Standard error as it was when the process started. A program that closes it, or puts another file there,
// gets nothing of ours in that file. No copy is kept: a reader of the old one would wait for its end for
// ever.
#pragma once

#include <string_view>

namespace kreplay {

/// Writes whole lines, or gives up: when descriptor 2 is not the file it was at the start, when nobody reads,
/// or when nothing is taken within a second (the next time it is not waited for). Threads: any; not for
/// signal handlers or fork children. Keeps errno, allocates nothing.
/// @return whether all was written
bool write_stderr(std::string_view text) noexcept;

}  // namespace kreplay
