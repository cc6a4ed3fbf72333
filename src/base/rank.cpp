#include "base/rank.hpp"

#include <charconv>
#include <cstring>

#include "base/environment.hpp"

namespace kreplay {
namespace {

std::optional<uint64_t> number_in(const char* variable) {
  const char* text = own_variable(variable);
  if (text == nullptr) return std::nullopt;
  uint64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || stop == text) return std::nullopt;
  return value;
}

}  // namespace

std::optional<uint64_t> job_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"})
    if (const auto rank = number_in(variable)) return rank;
  const char* step = own_variable("SLURM_STEP_ID");
  return step != nullptr && *step != '\0' ? number_in("SLURM_PROCID") : std::nullopt;
}

}  // namespace kreplay
