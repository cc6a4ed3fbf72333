#include "base/rank.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace {

constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                      "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", "SLURM_STEP_ID"};

std::optional<uint64_t> rank_with(std::initializer_list<std::pair<const char*, const char*>> set) {
  for (const char* name : kVariables) ::unsetenv(name);
  for (const auto& [name, value] : set) ::setenv(name, value, 1);
  const auto rank = kreplay::job_rank();
  for (const char* name : kVariables) ::unsetenv(name);
  return rank;
}

}  // namespace

TEST_CASE("C73: the rank is what the launcher says, and nothing without a launcher") {
  CHECK_FALSE(rank_with({}));
  CHECK(rank_with({{"OMPI_COMM_WORLD_RANK", "0"}}) == 0);
  CHECK(rank_with({{"PMI_RANK", "12"}}) == 12);
  CHECK(rank_with({{"PMIX_RANK", "3"}, {"SLURM_PROCID", "9"}, {"SLURM_STEP_ID", "0"}}) == 3);
  CHECK(rank_with({{"MV2_COMM_WORLD_RANK", "1"}}) == 1);
  CHECK(rank_with({{"SLURM_PROCID", "4"}, {"SLURM_STEP_ID", "0"}}) == 4);
  CHECK_FALSE(rank_with({{"SLURM_PROCID", "4"}}));  // a batch script that runs something alone
  for (const char* bad : {"", "x", "-1", "1x", " 1"}) {
    INFO(bad);
    CHECK_FALSE(rank_with({{"OMPI_COMM_WORLD_RANK", bad}}));
  }
}
