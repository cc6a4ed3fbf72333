// Sentences about failed runtime calls.
#pragma once

#include <string>

#include "base/status.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::snapshot {

/// "HSA_STATUS_ERROR_...: text" as the runtime puts it, with the number.
std::string status_text(const hsa::HsaApi& api, hsa_status_t status);
/// @param what the call and, if it helps, its object
Status runtime_error(const hsa::HsaApi& api, const std::string& what, hsa_status_t status);

}  // namespace kreplay::snapshot
