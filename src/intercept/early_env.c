#include "intercept/early_env.h"

#include <stdlib.h>
#include <string.h>

int kreplay_env_bar_disabled = 0;

static int variable_is(const char* name, const char* value) {
  const char* found = getenv(name);
  return found != NULL && strcmp(found, value) == 0;
}

/* C only, no allocation but setenv's: next to nothing is initialised yet. */
__attribute__((constructor)) static void kreplay_env_loaded(void) {
  if (variable_is("KREPLAY_ENABLE", "0") || variable_is("KREPLAY_KEEP_BAR", "1")) return;
  if (getenv("ROC_ENABLE_LARGE_BAR") != NULL) return;
  kreplay_env_bar_disabled = setenv("ROC_ENABLE_LARGE_BAR", "0", 0) == 0;
}
