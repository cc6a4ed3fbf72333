#include "kfd/next.hpp"

#include <dlfcn.h>

namespace softgpu::kfd {

// RTLD_NEXT is relative to the library that holds this code, which is the one that exports the hooks.
void* next_symbol(const char* name) { return dlsym(RTLD_NEXT, name); }

}  // namespace softgpu::kfd
