// HsaApi: the runtime's functions as a struct of pointers. Nothing in the library calls an hsa_* function
// by its linked name, because that name is our own export; unit tests fill this struct with fakes.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

#include <cstdint>

#include "hsa/newer_functions.hpp"

namespace kreplay::hsa {

/// One member per exported function; null when the runtime at hand does not have it.
struct HsaApi {
// NOLINTBEGIN(bugprone-macro-parentheses): the name of a member cannot stand in parentheses.
#define KR_HOOK(fn) decltype(&::fn) fn = nullptr;  // the signature comes from the vendor header
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) decltype(&::fn) fn = nullptr;
// NOLINTEND(bugprone-macro-parentheses)
#include "hsa/entry_points.def"
};

/// Index of an entry point, in table order.
enum class EntryPoint : uint16_t {
#define KR_HOOK(fn) fn,
#define KR_PASS(fn) fn,
#define KR_ALIAS(fn, target) fn,
#include "hsa/entry_points.def"
  count
};

/// Exported name of an entry point.
constexpr const char* name_of(EntryPoint entry) {
  constexpr const char* kNames[] = {
#define KR_HOOK(fn) #fn,
#define KR_PASS(fn) #fn,
#define KR_ALIAS(fn, target) #fn,
#include "hsa/entry_points.def"
  };
  return entry < EntryPoint::count ? kNames[static_cast<uint16_t>(entry)] : "unknown";
}

}  // namespace kreplay::hsa
