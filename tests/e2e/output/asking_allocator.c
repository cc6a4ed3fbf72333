// Stands for allocators and heap profilers that are preloaded: asks for the environment and for symbols
// inside malloc, and may be the first to do so. Whoever allocates while it holds the C library's lock on the
// environment waits here for ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static void* (*next_malloc)(size_t);
static void* (*next_calloc)(size_t, size_t);
static void* (*next_realloc)(void*, size_t);
static void (*next_free)(void*);

// dlsym may allocate; what it gets is never given back.
static char early[1 << 16];
static size_t early_used;
static int asking;

static void* early_bytes(size_t bytes) {
  void* at = early + early_used;
  early_used += (bytes + 15) & ~(size_t)15;
  return early_used <= sizeof early ? at : NULL;
}

static void ask(void) {
  if (__atomic_exchange_n(&asking, 1, __ATOMIC_ACQ_REL)) return;  // within, or another thread
  if (next_free == NULL) {
    next_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next_calloc = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next_realloc = (void* (*)(void*, size_t))dlsym(RTLD_NEXT, "realloc");
    next_free = (void (*)(void*))dlsym(RTLD_NEXT, "free");
  }
  (void)getenv("ASKING_ALLOCATOR_NOT_SET");
  unsetenv("ASKING_ALLOCATOR_NOT_SET");  // takes the lock, allocates nothing
  __atomic_store_n(&asking, 0, __ATOMIC_RELEASE);
}

static int is_early(void* p) { return (char*)p >= early && (char*)p < early + sizeof early; }

EXPORT void* malloc(size_t bytes) {
  ask();
  return next_malloc == NULL ? early_bytes(bytes) : next_malloc(bytes);
}
EXPORT void* calloc(size_t count, size_t bytes) {
  ask();
  return next_calloc == NULL ? early_bytes(count * bytes) : next_calloc(count, bytes);
}
EXPORT void* realloc(void* old, size_t bytes) {
  ask();
  if (next_realloc != NULL && !is_early(old)) return next_realloc(old, bytes);
  void* fresh = malloc(bytes);
  if (fresh != NULL && old != NULL) memcpy(fresh, old, bytes);  // the early ones are followed by their like
  return fresh;
}
EXPORT void free(void* p) {
  if (p != NULL && !is_early(p) && next_free != NULL) next_free(p);
}
