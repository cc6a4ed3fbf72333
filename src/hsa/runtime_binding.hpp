// Finds the real runtime's functions. The exported hsa_* names are ours, so every look-up skips our own
// library; when HIP was opened with RTLD_LOCAL the next-symbol search finds nothing and the runtime is
// looked for by its SONAME instead. Nothing here calls an HSA function, and no reference to the runtime
// is kept: an application that closes and reopens it is followed by binding again.
//
// Threads: any; the look-ups take the loader's lock.
#pragma once

#include <string>
#include <vector>

#include "hsa/hsa_api.hpp"

namespace kreplay::hsa {

/// The address of `name` in the runtime the application uses, or null. Never an address inside this library.
void* find_runtime_symbol(const char* name);

/// The same for a HIP function, by the SONAMEs of the HIP generations.
void* find_hip_symbol(const char* name);

/// The same for a function of the marker library (roctx), by the names it has had.
void* find_roctx_symbol(const char* name);

/// Fills every member of `api` from `find`. @return how many names were found
unsigned bind_api(HsaApi& api, void* (*find)(const char* name));

/// Whether `address` lies in the loaded image that holds this code.
bool in_this_library(const void* address);

/// A shared object of the process.
struct LoadedObject {
  std::string path;
  uint64_t base = 0;  ///< load address
};
/// Loaded objects whose file name starts with `prefix`, e.g. "libhsa-runtime64.so", in load order.
std::vector<LoadedObject> loaded_objects(const char* prefix);

/// The same in all of the loader's namespaces (dlmopen), by what is mapped: one entry per load.
std::vector<LoadedObject> mapped_objects(const char* prefix);

/// Path of the object that holds `address`; empty when unknown.
std::string object_path(const void* address);

}  // namespace kreplay::hsa
