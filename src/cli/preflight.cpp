#include "cli/preflight.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/rank.hpp"
#include "cli/library_file.hpp"
#include "cli/load_probe.hpp"
#include "report/result_file.hpp"

namespace kreplay::cli {
namespace {

/// The libraries that ROCP_TOOL_LIBRARIES names.
std::vector<std::string> tools_of(const std::vector<std::string>& environment) {
  const std::string name = "ROCP_TOOL_LIBRARIES=";
  std::vector<std::string> tools;
  for (const std::string& entry : environment) {
    if (entry.compare(0, name.size(), name) != 0) continue;
    for (size_t begin = name.size(); begin < entry.size();) {
      const size_t end = std::min(entry.find(':', begin), entry.size());
      if (end > begin) tools.push_back(entry.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return tools;
}

}  // namespace

std::string why_not_writable(const std::string& path) {
  // A descriptor of the program's, which need not be one of ours.
  for (const char* descriptors : {"/dev/std", "/dev/fd/", "/proc/self/fd/"})
    if (path.compare(0, std::strlen(descriptors), descriptors) == 0) return {};
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return "it is a directory";
    return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  }
  // Trying is the only test that knows of everything: rights, read-only file systems, quotas.
  const size_t slash = path.rfind('/');
  std::string trial = (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + ".kreplay-XXXXXX";
  const int fd = ::mkostemp(trial.data(), O_CLOEXEC);
  if (fd < 0) return std::strerror(errno);
  ::close(fd);
  ::unlink(trial.c_str());
  return {};
}

std::vector<std::string> preflight(const std::vector<std::string>& preloads, const std::string& output,
                                   const std::vector<std::string>& environment) {
  std::vector<std::string> wrong;
  if (const auto library = look_at_own_library(preloads.front()); !library)
    wrong.push_back(library.status().message());
  else
    wrong = probe_loading({preloads, tools_of(environment), environment, false});
  if (output.empty()) return wrong;
  const std::string path = report::expand_pattern(output, ::getpid(), report::host_name(), job_rank());
  if (const std::string why = why_not_writable(path); !why.empty())
    wrong.push_back("cannot create the result file " + path + ": " + why);
  return wrong;
}

std::string no_device(const std::string& root) {
  if (::access((root + "/dev/kfd").c_str(), R_OK | W_OK) == 0) return {};
  return std::string("no GPU can be used here, /dev/kfd: ") + std::strerror(errno) +
         "; kreplay doctor says what is missing, --device soft needs none";
}

}  // namespace kreplay::cli
