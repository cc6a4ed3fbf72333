#include "cases/late_runtime.hpp"

#include <dlfcn.h>

#include <cstdio>

#define KR_HOOK(fn)                                                     \
  asm(".pushsection .data\n"                                            \
      ".balign 8\n"                                                     \
      ".hidden late_" #fn "\n.globl late_" #fn "\nlate_" #fn            \
      ": .quad 0\n"                                                     \
      ".popsection\n"                                                   \
      ".pushsection .text\n"                                            \
      ".hidden " #fn "\n.globl " #fn "\n.type " #fn ", @function\n" #fn \
      ":\n"                                                             \
      "  jmp *late_" #fn                                                \
      "(%rip)\n"                                                        \
      ".size " #fn ", . - " #fn                                         \
      "\n"                                                              \
      ".popsection\n");                                                 \
  extern "C" void* late_##fn;
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"

namespace e2e {

unsigned open_runtime(const char* path) {
  void* runtime = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (runtime == nullptr) {
    std::printf("error %s\n", dlerror());
    return 0;
  }
  unsigned found = 0;
#define KR_HOOK(fn)                \
  late_##fn = dlsym(runtime, #fn); \
  found += late_##fn != nullptr ? 1 : 0;
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"
  return found;
}

}  // namespace e2e
