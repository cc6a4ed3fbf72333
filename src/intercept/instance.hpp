// Who else is in the process: a second copy of this library, or AMD's own profiler.
#pragma once

#include <string>

namespace kreplay::intercept {

/// Whether another copy of this library was loaded before this one. The later one does nothing.
bool second_instance();

/// Path of a real librocprofiler-sdk in the process; empty when there is none.
std::string foreign_profiler();

}  // namespace kreplay::intercept
