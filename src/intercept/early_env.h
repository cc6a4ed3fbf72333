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

#ifdef __cplusplus
}
#endif
