#include "support/e2e_counting/counting.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/e2e_counting/faults.hpp"

// One trampoline for each name of the entry-point table: count, then jump to the next definition of the name,
// found at the first call. It touches no argument register, so it serves every signature.
struct E2eEntry {
  uint64_t calls;
  void* next;
  const char* name;
};

#define KR_HOOK(fn)                                  \
  asm(".pushsection .data\n"                         \
      ".balign 8\n"                                  \
      ".hidden e2e_entry_" #fn                       \
      "\n"                                           \
      ".globl e2e_entry_" #fn                        \
      "\n"                                           \
      "e2e_entry_" #fn ": .quad 0, 0, e2e_name_" #fn \
      "\n"                                           \
      ".popsection\n"                                \
      ".pushsection .rodata\n"                       \
      "e2e_name_" #fn ": .asciz \"" #fn              \
      "\"\n"                                         \
      ".popsection\n"                                \
      ".pushsection .text\n"                         \
      ".globl " #fn                                  \
      "\n"                                           \
      ".type " #fn ", @function\n" #fn               \
      ":\n"                                          \
      "  lock incq e2e_entry_" #fn                   \
      "(%rip)\n"                                     \
      "  movq e2e_entry_" #fn                        \
      "+8(%rip), %r11\n"                             \
      "  testq %r11, %r11\n"                         \
      "  jz 1f\n"                                    \
      "  jmp *%r11\n"                                \
      "1: leaq e2e_entry_" #fn                       \
      "(%rip), %r11\n"                               \
      "  jmp e2e_first_call\n"                       \
      ".size " #fn ", . - " #fn                      \
      "\n"                                           \
      ".popsection\n");
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"

// Saves what may carry arguments, asks e2e_find_next(entry), goes on there.
asm(".pushsection .text\n"
    "e2e_first_call:\n"
    "  pushq %rbp\n"
    "  movq %rsp, %rbp\n"
    "  subq $192, %rsp\n"
    "  andq $-16, %rsp\n"
    "  movq %rdi, 0(%rsp)\n"
    "  movq %rsi, 8(%rsp)\n"
    "  movq %rdx, 16(%rsp)\n"
    "  movq %rcx, 24(%rsp)\n"
    "  movq %r8, 32(%rsp)\n"
    "  movq %r9, 40(%rsp)\n"
    "  movq %rax, 48(%rsp)\n"
    "  movups %xmm0, 64(%rsp)\n"
    "  movups %xmm1, 80(%rsp)\n"
    "  movups %xmm2, 96(%rsp)\n"
    "  movups %xmm3, 112(%rsp)\n"
    "  movq %r11, %rdi\n"
    "  call e2e_find_next\n"
    "  movq %rax, %r11\n"
    "  movups 112(%rsp), %xmm3\n"
    "  movups 96(%rsp), %xmm2\n"
    "  movups 80(%rsp), %xmm1\n"
    "  movups 64(%rsp), %xmm0\n"
    "  movq 48(%rsp), %rax\n"
    "  movq 40(%rsp), %r9\n"
    "  movq 32(%rsp), %r8\n"
    "  movq 24(%rsp), %rcx\n"
    "  movq 16(%rsp), %rdx\n"
    "  movq 8(%rsp), %rsi\n"
    "  movq 0(%rsp), %rdi\n"
    "  leave\n"
    "  jmp *%r11\n"
    ".popsection\n");

#define KR_HOOK(fn) extern "C" E2eEntry e2e_entry_##fn;
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"

namespace {

E2eEntry* const kEntries[] = {
#define KR_HOOK(fn) &e2e_entry_##fn,
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"
};

uint64_t load(const uint64_t& counter) { return __atomic_load_n(&counter, __ATOMIC_RELAXED); }

uint64_t sum(std::initializer_list<const char*> names) {
  uint64_t total = 0;
  for (const char* name : names) {
    total += e2e_counting_calls(name);
  }
  return total;
}

std::atomic<uint64_t> mallocs{0};
thread_local bool counts_mallocs __attribute__((tls_model("initial-exec"))) = false;

/// @return whether this allocation must fail
bool count_malloc() {
  if (counts_mallocs) {
    mallocs.fetch_add(1, std::memory_order_relaxed);
  }
  return e2e_counting::malloc_fails();
}

/// At exit the other libraries are still there, but only write(2) is used: nothing allocates.
__attribute__((destructor)) void write_totals() {
  const char* path = std::getenv("E2E_COUNTING_OUTPUT");
  if (path == nullptr) {
    return;
  }
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    return;
  }
  const char* separator = "{\"calls\": {";
  for (const E2eEntry* entry : kEntries) {
    if (load(entry->calls) != 0) {
      dprintf(file, "%s\"%s\": %llu", separator, entry->name,
              static_cast<unsigned long long>(load(entry->calls)));
      separator = ", ";
    }
  }
  dprintf(file, "%s}, \"mallocs\": %llu}\n", separator[0] == '{' ? separator : "",
          static_cast<unsigned long long>(mallocs.load()));
  close(file);
}

}  // namespace

extern "C" {

/// @return where the call goes on; ends the process when nobody below defines the function
__attribute__((visibility("hidden"), used)) void* e2e_find_next(E2eEntry* entry) {
  void* next = dlsym(RTLD_NEXT, entry->name);
  if (next == nullptr) {
    if (void* runtime = dlopen("libhsa-runtime64.so.1", RTLD_NOLOAD | RTLD_LAZY)) {
      next = dlsym(runtime, entry->name);
      dlclose(runtime);
    }
  }
  if (next == nullptr) {
    dprintf(2, "e2e-counting: %s: the runtime does not define it\n", entry->name);
    _exit(127);
  }
  if (void* wrapper = e2e_counting::with_faults(entry->name, next)) {
    next = wrapper;
  }
  __atomic_store_n(&entry->next, next, __ATOMIC_RELAXED);
  return next;
}

__attribute__((visibility("default"))) uint64_t e2e_counting_calls(const char* name) {
  for (const E2eEntry* entry : kEntries) {
    if (std::strcmp(entry->name, name) == 0) {
      return load(entry->calls);
    }
  }
  return 0;
}

__attribute__((visibility("default"))) uint64_t e2e_counting_all_calls() {
  uint64_t total = 0;
  for (const E2eEntry* entry : kEntries) {
    total += load(entry->calls);
  }
  return total;
}

__attribute__((visibility("default"))) uint64_t e2e_counting_allocations() {
  return sum({"hsa_amd_memory_pool_allocate", "hsa_memory_allocate", "hsa_amd_memory_lock",
              "hsa_amd_memory_lock_to_pool", "hsa_memory_register", "hsa_amd_ipc_memory_attach",
              "hsa_amd_interop_map_buffer"});
}

__attribute__((visibility("default"))) uint64_t e2e_counting_signals() {
  return sum(
      {"hsa_signal_create", "hsa_amd_signal_create", "hsa_signal_group_create", "hsa_amd_ipc_signal_attach"});
}

__attribute__((visibility("default"))) uint64_t e2e_counting_mallocs() {
  return mallocs.load(std::memory_order_relaxed);
}

__attribute__((visibility("default"))) void e2e_counting_thread(bool count_mallocs) {
  counts_mallocs = count_mallocs;
}

// glibc's own names below the public ones; free is not replaced.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

__attribute__((visibility("default"))) void* malloc(size_t size) {
  return count_malloc() ? nullptr : __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  return count_malloc() ? nullptr : __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void* realloc(void* old, size_t size) {
  return count_malloc() ? nullptr : __libc_realloc(old, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t size) {
  return count_malloc() ? nullptr : __libc_memalign(alignment, size);
}

}  // extern "C"
