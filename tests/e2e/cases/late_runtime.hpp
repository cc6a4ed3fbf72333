// For programs that are not linked to the runtime: every hsa_* name is a hidden jump through a pointer that
// open_runtime() fills with dlsym on a handle it opened.
#pragma once

namespace e2e {

/// Opens `path` with RTLD_LOCAL. @return how many functions of the entry-point table were found; 0: not
/// opened
unsigned open_runtime(const char* path);

}  // namespace e2e
