// The counting layer: a preload between libkreplay.so and the runtime that counts every hsa_* call, and the
// malloc calls of threads that ask for it. It also makes calls fail on request (faults.hpp). A program under
// it finds these functions with dlsym(RTLD_DEFAULT). Order:
// LD_PRELOAD=libkreplay.so:libe2e-counting.so:libkreplay-softgpu.so. With E2E_COUNTING_OUTPUT=FILE the totals
// are written there at exit as one JSON object {"calls": {"hsa_...": n}, "mallocs": n}.
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

/// From now on calls are counted for the faults that KRTEST_FAIL asks for; before, none is injected.
void e2e_faults_arm();
/// No faults any more.
void e2e_faults_disarm();
/// Allocations of the calling thread are neither counted nor failed until called with false.
void e2e_faults_spare_allocations(bool spare);
/// How many faults were injected since the last arm.
uint64_t e2e_faults_injected();
/// Calls of `name` (a wrapped function, or "malloc": allocations of libkreplay.so on threads that armed)
/// since arm.
uint64_t e2e_faults_calls(const char* name);
/// Replaces what KRTEST_FAIL says. Same syntax.
void e2e_faults_set(const char* text);
}
