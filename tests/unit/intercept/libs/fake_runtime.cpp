// What the library sees of a runtime that loads its tools: a file of that name with a table in it.
#define AMD_INTERNAL_BUILD
#include <hsa/hsa_api_trace.h>

namespace {

hsa_status_t original_free(void*) { return HSA_STATUS_ERROR_INVALID_ALLOCATION; }

HsaApiTableContainer g_container;

}  // namespace

extern "C" __attribute__((visibility("default"))) HsaApiTable* fake_runtime_table() {
  g_container.amd_ext.hsa_amd_memory_pool_free_fn = &original_free;
  return &g_container.root;
}
