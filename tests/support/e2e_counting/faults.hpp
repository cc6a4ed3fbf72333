// Faults that the layer below libkreplay injects into the runtime's functions.
//
// KRTEST_FAIL is a comma-separated list of NAME:FIRST[-LAST][:HOW]. NAME is a function that returns a status,
// or one of the words below; calls are counted from 1 since e2e_faults_arm(), all callers together.
//   iterate_loaded, loaded_info  the loader extension's functions
//   malloc   allocations of libkreplay on threads that armed
//   runtime  calls that libkreplay makes for itself, of any function that returns a status; not those it
//   hands on system   libkreplay's calls of the operating system (system_calls.cpp), through the C++ library,
//   too
// With KRTEST_STRICT an allocation of libkreplay in a signal handler, or in a fork child that has not called
// the runtime, ends the process (preset fault-alloc). With KRTEST_SHOW each call that is made to fail is
// named on standard error, those of malloc excepted. HOW:
//   0x1008 or another status  the call is not made and returns this (default: out of resources)
//   lost                      a copy is accepted and never completes
//   failed                    a copy is accepted and its completion signal becomes negative
#pragma once

namespace e2e_counting {

/// @return what to call instead of `next` for `name`; null when no fault can be injected there
void* with_faults(const char* name, void* next);

/// Whether the allocation of the calling thread must fail.
bool malloc_fails();

/// Whether the calling thread's system call must fail. Threads: any.
bool system_call_fails(const char* name);

}  // namespace e2e_counting
