// Sentences about failed runtime calls.
#pragma once

#include <string>

#include "base/status.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::hsa {

/// "status 0x1009, HSA_STATUS_ERROR_...: text" as the runtime puts it; the number alone when it has no text.
std::string status_text(const HsaApi& api, hsa_status_t status);
/// @param what the call and, if it helps, its object
Status runtime_error(const HsaApi& api, const std::string& what, hsa_status_t status);

}  // namespace kreplay::hsa
