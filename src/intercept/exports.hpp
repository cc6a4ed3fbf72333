// How a function of ours gets one of the runtime's names.
#pragma once

#include "hsa/hsa_api.hpp"

#define KR_EXPORT __attribute__((visibility("default")))

namespace kreplay::intercept {

/// Lets the exported KR_PASS names jump straight to the runtime. Called by process::bind().
void point_passes_at(const hsa::HsaApi& api);

}  // namespace kreplay::intercept
