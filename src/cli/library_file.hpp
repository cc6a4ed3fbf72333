// What a library is, by its file alone: nothing of it runs.
#pragma once

#include <string>

#include "base/status.hpp"

namespace kreplay::cli {

struct LibraryFile {
  bool ours = false;    ///< it has the mark of libkreplay.so
  std::string version;  ///< of libkreplay.so; empty in libraries that do not say
};

/// @return Error::io when it cannot be read; invalid_argument when it is no shared library for this machine
Result<LibraryFile> look_at_library(const std::string& path);

/// The same for libkreplay.so. @return also invalid_argument when it is another library
Result<LibraryFile> look_at_own_library(const std::string& path);

}  // namespace kreplay::cli
