#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kreplay::cli {

void say(const std::string& sentence) { std::fprintf(stderr, "kreplay: %s\n", sentence.c_str()); }

bool print(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return true;
  say(std::string("standard output cannot be written: ") + std::strerror(errno));
  return false;
}

}  // namespace kreplay::cli
