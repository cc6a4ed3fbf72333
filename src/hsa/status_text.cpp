#include "hsa/status_text.hpp"

#include <fmt/format.h>

namespace kreplay::hsa {

std::string status_text(const HsaApi& api, hsa_status_t status) {
  const char* text = nullptr;
  if (api.hsa_status_string != nullptr && api.hsa_status_string(status, &text) == HSA_STATUS_SUCCESS &&
      text != nullptr) {
    return fmt::format("status {:#x}, {}", static_cast<unsigned>(status), text);
  }
  return fmt::format("status {:#x}", static_cast<unsigned>(status));
}

Status runtime_error(const HsaApi& api, const std::string& what, hsa_status_t status) {
  return {Error::runtime, what + ": " + status_text(api, status)};
}

}  // namespace kreplay::hsa
