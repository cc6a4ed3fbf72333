#define _GNU_SOURCE
#include "intercept/early_env.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

int kreplay_env_bar_disabled = 0;

int kreplay_env_put(char* entry) {
  const size_t name = strcspn(entry, "=") + 1;
  size_t count = 0;
  for (; environ != NULL && environ[count] != NULL; ++count)
    if (strncmp(environ[count], entry, name) == 0) break;
  const int replaces = environ != NULL && environ[count] != NULL;
  if (!__libc_single_threaded) {
    // Loaded late. Another thread may change the environment, so only the C library can; its allocator has
    // long been in use.
    free(malloc(1));
    return putenv(entry);
  }
  if (replaces) {
    environ[count] = entry;
    return 0;
  }
  // The array as it is has no free place. As after any assignment to environ, the C library copies ours when
  // it needs more.
  char** larger =
      mmap(NULL, (count + 2) * sizeof *larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (larger == MAP_FAILED) return -1;
  if (count > 0) memcpy(larger, environ, count * sizeof *larger);
  larger[count] = entry;  // the last one is null, as a fresh page is
  environ = larger;
  return 0;
}

static int variable_is(const char* name, const char* value) {
  const char* found = secure_getenv(name);
  return found != NULL && strcmp(found, value) == 0;
}

/* C only and no allocation: next to nothing is initialised yet. */
__attribute__((constructor)) static void kreplay_env_loaded(void) {
  static char entry[] = "ROC_ENABLE_LARGE_BAR=0";
  if (variable_is("KREPLAY_ENABLE", "0") || variable_is("KREPLAY_KEEP_BAR", "1")) return;
  if (getenv("ROC_ENABLE_LARGE_BAR") != NULL) return;
  kreplay_env_bar_disabled = kreplay_env_put(entry) == 0;
}
