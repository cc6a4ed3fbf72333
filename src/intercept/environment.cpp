#include "intercept/environment.hpp"

#include <dlfcn.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hsa/runtime_binding.hpp"

namespace kreplay::intercept {
namespace {

std::atomic<bool> g_bar_disabled{false};

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::string name;
  bool quoted = false;
  bool any = false;
  for (size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\\' && i + 1 < list.size()) {
      name += list[++i];
      any = true;
    } else if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      if (any) names.push_back(name);
      name.clear();
      any = false;
    } else {
      name += c;
      any = true;
    }
  }
  if (any) names.push_back(name);
  return names;
}

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

constexpr const char* kLargeBar = "ROC_ENABLE_LARGE_BAR";

/// The value of `name` in the environment, or null. Plain reads, no allocation: runs before any constructor.
char* find_variable(const char* name) {
  if (environ == nullptr || name == nullptr) return nullptr;
  const size_t length = std::strlen(name);
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

bool variable_is(const char* name, const char* value) {
  const char* found = find_variable(name);
  return found != nullptr && std::strcmp(found, value) == 0;
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

bool bar_disabled() { return g_bar_disabled.load(std::memory_order_relaxed); }

std::string with_tool_library(const std::string& list, const std::string& path) {
  for (const std::string& name : split_names(list))
    if (name == path || file_name(name) == file_name(path)) return list;
  std::string entry;
  const bool quote = path.find_first_of(" \"\\") != std::string::npos;
  if (quote) entry += '"';
  for (const char c : path) {
    if (c == '"' || c == '\\') entry += '\\';
    entry += c;
  }
  if (quote) entry += '"';
  return list.empty() ? entry : list + ' ' + entry;
}

void prepare_environment(const Options& options) {
  if (!options.enabled || !options.errors.empty()) return;
  if (!options.keep_bar && find_variable(kLargeBar) == nullptr) {
    setenv(kLargeBar, "0", 0);
    g_bar_disabled.store(true, std::memory_order_relaxed);
  }
  // Runtimes from 6.1 on find us by the symbol HSA_AMD_TOOL_PRIORITY; older ones only by this variable. When
  // none is loaded yet, an old one may come: the entry does no harm to a new one.
  if (hsa::find_runtime_symbol("hsa_amd_vmem_map") != nullptr) return;
  char resolved[PATH_MAX];
  const std::string path = hsa::object_path(reinterpret_cast<const void*>(&prepare_environment));
  if (path.empty() || realpath(path.c_str(), resolved) == nullptr) return;
  const char* set = std::getenv("HSA_TOOLS_LIB");
  const std::string before = set == nullptr ? "" : set;
  const std::string after = with_tool_library(before, resolved);
  if (after != before) setenv("HSA_TOOLS_LIB", after.c_str(), 1);
}

}  // namespace kreplay::intercept

/// HIP reads its flags in its own constructor, which runs before ours when the application links to HIP; so
/// the answer to this one name is given here. Every other name is looked up as libc does.
/// Threads: as getenv(3).
extern "C" __attribute__((visibility("default"))) char* getenv(const char* name) noexcept {
  using namespace kreplay::intercept;
  char* found = find_variable(name);
  if (found != nullptr || name == nullptr || std::strcmp(name, kLargeBar) != 0) return found;
  if (variable_is("KREPLAY_ENABLE", "0") || variable_is("KREPLAY_KEEP_BAR", "1")) return nullptr;
  g_bar_disabled.store(true, std::memory_order_relaxed);
  static char off[] = "0";
  return off;
}
