// The counting layer: a preload between libkreplay.so and the runtime that counts every hsa_* call, and the
// malloc calls of threads that ask for it. A program under it finds these functions with dlsym(RTLD_DEFAULT).
// Order: LD_PRELOAD=libkreplay.so:libe2e-counting.so:libkreplay-softgpu.so. With E2E_COUNTING_OUTPUT=FILE the
// totals are written there at exit as one JSON object {"calls": {"hsa_...": n}, "mallocs": n}.
#pragma once

#include <cstdint>

extern "C" {
/// Calls of one hsa_* function so far; 0 for a name that is not in the table.
uint64_t e2e_counting_calls(const char* name);
/// Calls of all hsa_* functions so far.
uint64_t e2e_counting_all_calls();
/// Calls of the functions that create memory or mappings: pool and region allocation, lock, register, map.
uint64_t e2e_counting_allocations();
/// Calls of the functions that create a signal.
uint64_t e2e_counting_signals();
/// malloc, calloc, realloc and aligned allocations of threads that called e2e_counting_thread(true).
uint64_t e2e_counting_mallocs();
void e2e_counting_thread(bool count_mallocs);
}
