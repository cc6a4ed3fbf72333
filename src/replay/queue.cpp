#include "replay/queue.hpp"

#include <fmt/format.h>

#include "hsa/status_text.hpp"

namespace kreplay::replay {

std::string Queue::describe_failure(const hsa::HsaApi& api) const {
  const auto status = static_cast<hsa_status_t>(error.load(std::memory_order_acquire));
  return fmt::format("queue {} failed: {}", id_, hsa::status_text(api, status));
}

}  // namespace kreplay::replay
