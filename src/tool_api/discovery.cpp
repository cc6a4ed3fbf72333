#include "tool_api/discovery.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string>

#include "base/environment.hpp"

namespace kreplay::tool_api {
namespace {

constexpr const char* kVariable = "ROCP_TOOL_LIBRARIES";
constexpr const char* kSymbol = "rocprofiler_configure";

void add(std::vector<Discovered>& found, void* symbol, const std::string& origin, bool requested = false) {
  if (symbol == nullptr) return;
  const auto function = reinterpret_cast<rocprofiler_configure_func_t>(symbol);
  const auto same = [&](const Discovered& known) { return known.configure == function; };
  if (std::none_of(found.begin(), found.end(), same)) found.push_back({function, origin, requested});
}

/// The object a symbol is defined in, for messages.
std::string object_of(void* symbol) {
  Dl_info info = {};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "the program";
}

/// Names of the loaded objects, in link order. Collected first: the loader's lock is held meanwhile.
std::vector<std::string> loaded_objects() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
          static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

}  // namespace

std::vector<std::string> split_tool_libraries(std::string_view value) {
  std::vector<std::string> entries;
  while (!value.empty()) {
    const size_t colon = value.find(':');
    std::string entry(value.substr(0, colon));
    if (!entry.empty() && std::find(entries.begin(), entries.end(), entry) == entries.end())
      entries.push_back(std::move(entry));
    if (colon == std::string_view::npos) break;
    value.remove_prefix(colon + 1);
  }
  return entries;
}

Result<std::vector<Discovered>> discover_tools() {
  std::vector<Discovered> found;
  const char* listed = own_variable(kVariable);
  for (const std::string& path : split_tool_libraries(listed != nullptr ? listed : "")) {
    void* handle = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) handle = dlopen(path.c_str(), RTLD_LOCAL | RTLD_LAZY);
    if (handle == nullptr) {
      const char* reason = dlerror();
      return {Error::not_found, "tool library '" + path + "' cannot be loaded: " +
                                    (reason != nullptr ? reason : "the loader gives no reason")};
    }
    void* symbol = dlsym(handle, kSymbol);
    if (symbol != nullptr)
      add(found, symbol, path, true);
    else
      found.push_back({nullptr, path, true});
  }
  // A tool that is linked or preloaded. Only then is it worth looking at every object, for those behind it.
  void* global = dlsym(RTLD_DEFAULT, kSymbol);
  if (global == nullptr) global = dlsym(RTLD_NEXT, kSymbol);
  if (global != nullptr) {
    add(found, global, object_of(global));
    for (const std::string& name : loaded_objects()) {
      void* handle = dlopen(name.c_str(), RTLD_NOLOAD | RTLD_LAZY);
      if (handle == nullptr) continue;
      if (void* symbol = dlsym(handle, kSymbol)) add(found, symbol, object_of(symbol));
      dlclose(handle);
    }
  }
  return found;
}

}  // namespace kreplay::tool_api
