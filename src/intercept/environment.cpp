#include "intercept/environment.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <forward_list>
#include <vector>

#include "base/environment.hpp"
#include "hsa/runtime_binding.hpp"
#include "intercept/early_env.h"

namespace kreplay::intercept {
namespace {

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

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

bool bar_disabled() { return kreplay_env_bar_disabled != 0; }

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
  // Runtimes from 6.1 on find us by the symbol HSA_AMD_TOOL_PRIORITY; older ones only by this variable. When
  // none is loaded yet, an old one may come: the entry does no harm to a new one.
  if (hsa::find_runtime_symbol("hsa_amd_vmem_map") != nullptr) return;
  char resolved[PATH_MAX];
  const std::string path = hsa::object_path(reinterpret_cast<const void*>(&prepare_environment));
  if (path.empty() || realpath(path.c_str(), resolved) == nullptr) return;
  const char* set = own_variable("HSA_TOOLS_LIB");
  const std::string before = set == nullptr ? "" : set;
  const std::string after = with_tool_library(before, resolved);
  if (after == before) return;
  // The environment's from here on, for as long as the process lives.
  static std::forward_list<std::string>& kept = *new std::forward_list<std::string>;
  kept.push_front("HSA_TOOLS_LIB=" + after);
  kreplay_env_put(kept.front().data());
}

}  // namespace kreplay::intercept
