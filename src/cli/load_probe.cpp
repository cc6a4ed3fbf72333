#include "cli/load_probe.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "cli/child.hpp"
#include "cli/preload.hpp"

namespace kreplay::cli {
namespace {

constexpr uint64_t kLimitNs = 30'000'000'000;

// Lines of the probe: a word, a blank, text.
constexpr const char* kFailed = "@failed ";
constexpr const char* kNoTool = "@no_tool ";
constexpr const char* kMissing = "@missing ";
constexpr const char* kDone = "@done";

/// What the runtime asks for by name, what programs link to, what tools link to.
constexpr std::array kNeeded = {"OnLoad",
                                "OnUnload",
                                "HSA_AMD_TOOL_PRIORITY",
                                "hsa_init",
                                "hsa_shut_down",
                                "hsa_queue_create",
                                "rocprofiler_get_version",
                                "rocprofiler_create_context",
                                "rocprofiler_configure_callback_tracing_service"};

void tell(const char* word, const std::string& text) {
  std::printf("%s%s\n", word, text.c_str());
  std::fflush(stdout);  // the next library may be the one that ends this process
}

/// dlerror() begins with the path as a rule.
std::string reason_without(const std::string& path) {
  const char* given = ::dlerror();
  std::string reason = given != nullptr ? given : "the loader gives no reason";
  if (reason.compare(0, path.size() + 2, path + ": ") == 0) reason.erase(0, path.size() + 2);
  return reason;
}

/// @return null after telling why it is not loaded
void* preloaded(const std::string& path) {
  if (void* handle = ::dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY)) return handle;
  (void)::dlerror();
  if (::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr)
    tell(kFailed, "library " + path + " is not preloaded: the loader passed over it");
  else
    tell(kFailed, "library " + path + " cannot be loaded: " + reason_without(path));
  return nullptr;
}

void load_tool(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) {
    (void)::dlerror();
    handle = ::dlopen(path.c_str(), RTLD_LOCAL | RTLD_LAZY);
  }
  if (handle == nullptr)
    tell(kFailed, "tool library " + path + " cannot be loaded: " + reason_without(path));
  else if (::dlsym(handle, "rocprofiler_configure") == nullptr)
    tell(kNoTool, path);
}

/// What the loader or a constructor said last, when it ended the process.
std::string last_words(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '@') last = line;
  return last.empty() ? "" : ": " + last;
}

}  // namespace

void load_and_tell(const LoadProbe& probe) {
  void* ours = nullptr;
  for (const std::string& path : probe.preloads) {
    void* handle = preloaded(path);
    if (&path == &probe.preloads.front()) ours = handle;
  }
  if (ours != nullptr && probe.exports)
    for (const char* name : kNeeded)
      if (::dlsym(ours, name) == nullptr) tell(kMissing, name);
  for (const std::string& path : probe.tools) load_tool(path);
  tell(kDone, "");
  ::_exit(0);
}

std::vector<std::string> probe_loading(const LoadProbe& probe) {
  std::vector<std::string> environment = probe.environment;
  if (environment.empty()) {
    const char* existing = std::getenv("LD_PRELOAD");
    const auto list = preload_list(existing != nullptr ? existing : "", probe.preloads);
    if (!list) return {list.status().message()};
    environment = merged_environment({{"LD_PRELOAD", *list}});
  }
  // Nothing but loading: no tool is configured, nobody waits for notes, no file is made.
  std::erase_if(environment, [](const std::string& entry) {
    return entry.rfind("ROCP_TOOL_LIBRARIES=", 0) == 0 || entry.rfind("KREPLAY_HANDSHAKE=", 0) == 0 ||
           entry.rfind("KREPLAY_OUTPUT=", 0) == 0;
  });
  const std::string self = own_path();
  std::vector<std::string> words = {self, "doctor"};
  for (const std::string& path : probe.preloads) words.push_back("--load-library=" + path);
  for (const std::string& path : probe.tools) words.push_back("--load-tool=" + path);
  if (probe.exports) words.emplace_back("--load-exports");
  const auto ran = run_aside(words, std::move(environment), true, kLimitNs);
  if (!ran) return {ran.status().message()};
  std::vector<std::string> wrong;
  bool done = false;
  std::istringstream lines(ran->text);
  for (std::string line; std::getline(lines, line);) {
    const auto begins = [&line](const char* word) { return line.rfind(word, 0) == 0; };
    done |= begins(kDone);
    if (begins(kFailed)) wrong.push_back(line.substr(std::strlen(kFailed)));
    if (begins(kNoTool))
      wrong.push_back(line.substr(std::strlen(kNoTool)) +
                      ": it exports no rocprofiler_configure, so it is no tool");
    if (begins(kMissing))
      wrong.push_back(probe.preloads.front() + ": does not export " + line.substr(std::strlen(kMissing)));
  }
  if (done || !wrong.empty()) return wrong;
  const std::string how = WIFSIGNALED(ran->status) ? fmt::format("signal {}", WTERMSIG(ran->status))
                                                   : fmt::format("status {}", WEXITSTATUS(ran->status));
  std::string libraries;
  for (const auto* part : {&probe.preloads, &probe.tools})
    for (const std::string& path : *part) libraries += (libraries.empty() ? "" : ", ") + path;
  // The loader itself, for a library that one of these needs.
  const std::string loader = "error while loading shared libraries: ";
  if (const size_t at = ran->text.find(loader); at != std::string::npos) {
    const size_t begin = at + loader.size();
    return {libraries + " cannot be loaded: " + ran->text.substr(begin, ran->text.find('\n', begin) - begin)};
  }
  return {fmt::format("loading the libraries ({}) ends a process with {}{}", libraries, how,
                      last_words(ran->text))};
}

}  // namespace kreplay::cli
