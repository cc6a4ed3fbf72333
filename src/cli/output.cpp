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

bool write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file != nullptr && std::fclose(file) != 0) {
    written = false;
    error = errno;
  }
  if (!written) say(path + ": cannot be written: " + std::strerror(error));
  return written;
}

}  // namespace kreplay::cli
