/* libkreplay-env.so: what has to be in the environment before HIP's own constructor copies it.
 *
 * Constructors of preloaded libraries run after those of the libraries the program links to, so libkreplay.so
 * itself comes too late. A library that a preloaded one needs is initialised before them: that is this one.
 *
 * Small HIP copies would be plain stores through the PCIe window, which cannot be fenced: with replay on, HIP
 * is told not to use it (ROC_ENABLE_LARGE_BAR=0), unless the variable is set or KREPLAY_KEEP_BAR=1.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** 1 when this process runs with ROC_ENABLE_LARGE_BAR=0 set by us. */
extern __attribute__((visibility("default"))) int kreplay_env_bar_disabled;

/** Puts "NAME=value" into the environment, in place of an entry of that name. setenv(3) and putenv(3)
 * allocate while they hold the C library's lock; a preloaded allocator that begins there and asks for the
 * environment itself waits for that lock for ever.
 *  @param entry the environment's from here on
 *  @return 0 on success */
__attribute__((visibility("default"))) int kreplay_env_put(char* entry);

#ifdef __cplusplus
}
#endif
