// Faults that the layer below libkreplay injects into the runtime's functions.
//
// KRTEST_FAIL is a comma-separated list of NAME:FIRST[-LAST][:HOW]. NAME is a function of the list in
// faults.cpp, or "malloc"; calls are counted from 1 since e2e_faults_arm(), all callers together.
// "iterate_loaded" and "loaded_info" are the loader extension's functions. HOW:
//   0x1008 or another status  the call is not made and returns this (default: out of resources)
//   lost                      a copy is accepted and never completes
//   failed                    a copy is accepted and its completion signal becomes negative
#pragma once

namespace e2e_counting {

/// @return what to call instead of `next` for `name`; null when no fault can be injected there
void* with_faults(const char* name, void* next);

/// Whether the allocation of the calling thread must fail.
bool malloc_fails();

}  // namespace e2e_counting
