/* What name_pattern.cpp asks of the engine, in C: the engine is a library of its own (pattern_engine.cpp). */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kreplay_pattern_engine {
  /** @param why receives, on failure, at most why_bytes including the end of the text
   *  @return null on failure */
  void* (*compile)(const char* expression, size_t bytes, char* why, size_t why_bytes);
  /** Whether it matches anywhere. Threads: any. */
  int (*matches)(const void* compiled, const char* text, size_t bytes);
  void (*destroy)(void* compiled);
};

/** Of programs, which have the engine in them; libraries load it. */
extern __attribute__((weak, visibility("default")))
const struct kreplay_pattern_engine kreplay_pattern_engine;

#ifdef __cplusplus
}
#endif
