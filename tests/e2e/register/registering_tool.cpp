// An HSA tool library that does with the runtime's table what a runtime built with rocprofiler-register does
// itself: gives it to register, before any other tool is asked. Debian's runtimes are built without.
#define AMD_INTERNAL_BUILD
#include <dlfcn.h>
#include <hsa/hsa_api_trace.h>

#include <cstdint>
#include <cstring>

#include "register/registering_tool.hpp"

namespace {

RegisteredTable g_seen{};

bool is_ours(void* function) {
  Dl_info info;
  return dladdr(function, &info) != 0 && std::strstr(info.dli_fname, "libkreplay.so") != nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const RegisteredTable* registered_table() { return &g_seen; }

/// The name is register's: it stands for the library that offers a table.
__attribute__((visibility("default"))) uint32_t rocprofiler_register_import_hsa() { return 11500; }

__attribute__((visibility("default"))) bool OnLoad(void* table, uint64_t, uint64_t, const char* const*) {
  void* library = dlopen("librocprofiler-register.so.0", RTLD_NOW);
  g_seen.opened = library != nullptr;
  if (library == nullptr) return true;
  struct Identifier {
    uint64_t handle;
  };
  using Register = int (*)(const char*, uint32_t (*)(), uint32_t, void**, uint64_t, Identifier*);
  Register offer = nullptr;
  *reinterpret_cast<void**>(&offer) = dlsym(library, "rocprofiler_register_library_api_table");
  if (offer == nullptr) return true;
  auto** slot = reinterpret_cast<void**>(&static_cast<HsaApiTable*>(table)->core_->hsa_queue_create_fn);
  g_seen.ours_before = is_ours(*slot);
  Identifier identifier{};
  g_seen.status = offer("hsa", rocprofiler_register_import_hsa, 11500, &table, 1, &identifier);
  g_seen.ours_after = is_ours(*slot);
  g_seen.slot = *slot;
  g_seen.at = slot;
  return true;
}

}  // extern "C"
