// Copies and allocations of a snapshot that fail: at region k of n, at once or later, for ever.
// Three passes: a save of n copies, then two restores of n copies each.
#include "fault/faults.hpp"

using namespace fault;  // NOLINT(google-build-using-namespace): test code

namespace {

std::string copy_fault(uint64_t first, const char* rest = "") {
  return "hsa_amd_memory_async_copy:" + std::to_string(first) + rest;
}

/// Launches once without a fault. @return the copies of one save
uint64_t copies_of_a_save(Regions& regions) {
  const json record = regions.launch("");
  REQUIRE(record["outcome"] == "replayed");
  REQUIRE(record["passes_run"] == 3);
  REQUIRE(regions.copies % 3 == 0);
  const uint64_t n = regions.copies / 3;
  REQUIRE(n >= 3);  // several regions, or "region k of n" means nothing
  return n;
}

}  // namespace

TEST_CASE("snapshot_copy_refused_at_region_k") {
  Regions regions;
  const uint64_t n = copies_of_a_save(regions);
  for (uint64_t k = 1; k <= n; ++k) {
    INFO("copy " << k << " of " << n);
    const json record = regions.launch(copy_fault(k));
    CHECK(regions.faults_injected == 1);
    CHECK(record["outcome"] == "declined");
    CHECK(record["reason"] == "snapshot_failed");
    CHECK(record["passes_run"] == 0);
    CHECK(text(record, "detail").find("hsa_amd_memory_async_copy") != std::string::npos);
    CHECK(text(record, "detail").find("extent 0x") != std::string::npos);
    CHECK(regions.right());
  }
  CHECK(regions.launch("")["outcome"] == "replayed");
  CHECK(regions.right());
}

TEST_CASE("snapshot_copy_fails_later_at_region_k") {
  Regions regions;
  const uint64_t n = copies_of_a_save(regions);
  for (const uint64_t k : {uint64_t{1}, n}) {
    INFO("copy " << k << " of " << n);
    const json record = regions.launch(copy_fault(k, ":failed"));
    CHECK(record["outcome"] == "declined");
    CHECK(record["reason"] == "snapshot_failed");
    CHECK(regions.right());
  }
  CHECK(regions.launch("")["outcome"] == "replayed");
  CHECK(regions.right());
}

TEST_CASE("C39_snapshot_copy_never_completes") {
  Regions regions;
  copies_of_a_save(regions);
  const json record = regions.launch(copy_fault(2, ":lost"));
  CHECK(record["outcome"] == "declined");
  CHECK(record["reason"] == "snapshot_failed");
  CHECK(text(record, "detail").find("did not complete") != std::string::npos);
  CHECK(regions.right());
  // The lost copy may still land in the staging memory, so nothing is saved there again; the program goes on.
  CHECK(regions.launch("")["reason"] == "snapshot_failed");
  CHECK(regions.right());
}

TEST_CASE("C22_restore_copy_refused_at_region_k_takes_the_second_path") {
  Regions regions;
  const uint64_t n = copies_of_a_save(regions);
  for (uint64_t k = n + 1; k <= 3 * n; ++k) {
    INFO("copy " << k << " of " << 3 * n);
    const json record = regions.launch(copy_fault(k));
    CHECK(regions.faults_injected == 1);
    CHECK(record["outcome"] == "replayed");
    CHECK(record["passes_run"] == 3);
    CHECK(regions.right());
  }
}

TEST_CASE("C22_restore_copy_fails_later_takes_the_second_path") {
  Regions regions;
  const uint64_t n = copies_of_a_save(regions);
  for (const uint64_t k : {n + 1, 2 * n}) {
    const json record = regions.launch(copy_fault(k, ":failed"));
    CHECK(record["outcome"] == "replayed");
    CHECK(regions.right());
  }
}

TEST_CASE("C22_restore_impossible_ends_the_process") {
  Regions regions;
  const uint64_t n = copies_of_a_save(regions);
  (void)regions.launch(copy_fault(n + 2, "-") + ",hsa_memory_copy:1-");
  FAIL("a pass ran on mixed memory");
}

TEST_CASE("C39_restore_copy_never_completes_ends_the_process") {
  Regions regions;
  const uint64_t n = copies_of_a_save(regions);
  (void)regions.launch(copy_fault(n + 2, ":lost"));
  FAIL("a pass ran on memory in an unknown state");
}

TEST_CASE("C49_signal_creation_fails") {
  Regions regions;
  const json record = regions.launch("hsa_signal_create:1-");
  CHECK(regions.faults_injected >= 1);
  CHECK(record["outcome"] == "declined");
  CHECK(record["reason"] == "snapshot_failed");
  CHECK(text(record, "detail").find("signal") != std::string::npos);
  CHECK(regions.right());
  // Each signal a window needs, one after the other.
  for (int k = 2; k <= 4; ++k) {
    INFO("signal " << k);
    const json next = regions.launch("hsa_signal_create:1");
    CHECK((next["outcome"] == "declined" || regions.faults_injected == 0));
    CHECK(regions.right());
  }
  CHECK(regions.launch("")["outcome"] == "replayed");
  CHECK(regions.right());
}

TEST_CASE("C21_host_memory_out") {
  Regions regions;
  for (const char* what : {"hsa_amd_memory_pool_allocate:1-", "hsa_amd_agents_allow_access:1-"}) {
    INFO(what);
    const json record = regions.launch(what);
    CHECK(regions.faults_injected >= 1);
    CHECK(record["outcome"] == "declined");
    CHECK(record["reason"] == "snapshot_failed");
    CHECK(regions.right());
  }
  CHECK(regions.launch("")["outcome"] == "replayed");
  CHECK(regions.right());
}

TEST_CASE("C21_budget_exceeded") {
  Regions regions;
  unsigned* big = e2e::allocate<unsigned>(regions.m.agents, regions.m.agents.device, 4 << 20);
  const json record = regions.launch("");
  CHECK(record["outcome"] == "declined");
  CHECK(record["reason"] == "budget");
  const std::string detail = text(record, "detail");
  CHECK(detail.find("needs ") != std::string::npos);
  CHECK(detail.find("8388608 bytes are available") != std::string::npos);
  CHECK(regions.right());
  HSA_OK(hsa_amd_memory_pool_free(big));
  CHECK(regions.launch("")["outcome"] == "replayed");  // nothing was kept of the large one
  CHECK(regions.right());
}

TEST_CASE("dispatch_times_not_available") {
  Regions regions;
  const json record = regions.launch("hsa_amd_profiling_get_dispatch_time:1-");
  CHECK(regions.faults_injected == 3);
  CHECK(record["outcome"] == "replayed");
  CHECK(record["passes"].size() == 3);
  CHECK(regions.right());
}
