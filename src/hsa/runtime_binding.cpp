#include "hsa/runtime_binding.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace kreplay::hsa {
namespace {

struct Range {
  uintptr_t low = 0;
  uintptr_t high = 0;
};

/// Address range of the loaded image that holds `probe`.
Range range_of(const void* probe) {
  struct Search {
    uintptr_t probe;
    Range found;
  } search{reinterpret_cast<uintptr_t>(probe), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        Range range{UINTPTR_MAX, 0};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          const uintptr_t start = info->dlpi_addr + header.p_vaddr;
          if (start < range.low) range.low = start;
          if (start + header.p_memsz > range.high) range.high = start + header.p_memsz;
        }
        if (s.probe < range.low || s.probe >= range.high) return 0;
        s.found = range;
        return 1;
      },
      &search);
  return search.found;
}

void* next_symbol(const char* name) {
  void* address = dlsym(RTLD_NEXT, name);
  return address != nullptr && !in_this_library(address) ? address : nullptr;
}

/// Looks `name` up in a library that is loaded already, without keeping a reference to it.
void* symbol_in(const char* soname, const char* name) {
  void* handle = dlopen(soname, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return nullptr;
  void* address = dlsym(handle, name);
  dlclose(handle);
  return address != nullptr && !in_this_library(address) ? address : nullptr;
}

}  // namespace

bool in_this_library(const void* address) {
  static const Range own = range_of(reinterpret_cast<const void*>(&in_this_library));
  const auto value = reinterpret_cast<uintptr_t>(address);
  return value >= own.low && value < own.high;
}

void* find_runtime_symbol(const char* name) {
  if (void* address = next_symbol(name)) return address;
  return symbol_in("libhsa-runtime64.so.1", name);
}

void* find_hip_symbol(const char* name) {
  if (void* address = next_symbol(name)) return address;
  for (const char* soname :
       {"libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7", "libamdhip64.so.4", "libamdhip64.so"})
    if (void* address = symbol_in(soname, name)) return address;
  return nullptr;
}

void* find_roctx_symbol(const char* name) {
  if (void* address = next_symbol(name)) return address;
  for (const char* soname : {"libroctx64.so.4", "libroctx64.so", "librocprofiler-sdk-roctx.so.1",
                             "librocprofiler-sdk-roctx.so.0", "librocprofiler-sdk-roctx.so"})
    if (void* address = symbol_in(soname, name)) return address;
  return nullptr;
}

unsigned bind_api(HsaApi& api, void* (*find)(const char* name)) {
  unsigned found = 0;
  const auto one = [&](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(find(name));
    if (member != nullptr) ++found;
  };
#define KR_HOOK(fn) one(api.fn, #fn);
#define KR_PASS(fn) one(api.fn, #fn);
#define KR_ALIAS(fn, target) one(api.fn, #fn);
#include "hsa/entry_points.def"
  return found;
}

std::vector<LoadedObject> loaded_objects(const char* prefix) {
  struct Search {
    std::string_view prefix;
    std::vector<LoadedObject> found;
  } search{prefix, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        const std::string_view file = path.substr(path.find_last_of('/') + 1);
        if (file.substr(0, s.prefix.size()) == s.prefix)
          s.found.push_back({std::string(path), static_cast<uint64_t>(info->dlpi_addr)});
        return 0;
      },
      &search);
  return std::move(search.found);
}

std::vector<LoadedObject> mapped_objects(const char* prefix) {
  std::vector<LoadedObject> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // 7f0123400000-7f0123456000 r--p 00000000 fe:00 1234   /path/of/it
    const size_t path = line.find('/');
    std::istringstream fields(line);
    std::string range, access, offset;
    if (path == std::string::npos || !(fields >> range >> access >> offset) ||
        offset.find_first_not_of('0') != std::string::npos)
      continue;
    const std::string file = line.substr(line.rfind('/') + 1);
    if (file.rfind(prefix, 0) == 0)
      found.push_back({line.substr(path), std::strtoull(range.c_str(), nullptr, 16)});
  }
  return found;
}

std::string object_path(const void* address) {
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace kreplay::hsa
