// C12: what a code object writes to is not known, so its agent's dispatches run once until it is gone.
#include "fault/faults.hpp"

using namespace fault;  // NOLINT(google-build-using-namespace): test code

namespace {

/// Loads the code object with these faults and launches count_up twice.
/// @return the last record; `injected_faults` tells whether the fault came to pass
json load_and_launch(const std::string& faults, uint64_t& injected_faults) {
  Machine& m = Machine::get();
  set(faults);
  arm();
  const e2e::CodeObject code(m.agents);
  injected_faults = injected();
  disarm();
  const auto* counter = static_cast<const unsigned*>(code.variable("counter"));
  const e2e::Kernel count_up = code.kernel("count_up");
  (void)m.take_records();
  for (unsigned launch = 1; launch <= 2; ++launch) {
    m.run(count_up, 1u);
    CHECK(m.value(counter) == launch * 64);
  }
  const auto records = m.take_records();
  REQUIRE(records.size() == 2);
  return records.back();
}

}  // namespace

TEST_CASE("C12_loaded_code_objects_cannot_be_listed") {
  uint64_t faults = 0;
  const json record = load_and_launch("iterate_loaded:1-", faults);
  CHECK(faults >= 1);
  CHECK(record["outcome"] == "declined");
  CHECK(record["reason"] == "snapshot_failed");
  // Gone with the code object.
  CHECK(load_and_launch("", faults)["outcome"] == "replayed");
}

TEST_CASE("C12_question_k_about_a_code_object_is_refused") {
  unsigned refused = 0;
  for (unsigned k = 1; k <= 64; ++k) {
    INFO("question " << k);
    uint64_t faults = 0;
    const json record = load_and_launch("loaded_info:" + std::to_string(k), faults);
    if (faults == 0) break;
    ++refused;
    CHECK((record["outcome"] == "declined" || record["outcome"] == "replayed"));
  }
  CHECK(refused >= 4);
  CHECK(refused < 64);
}

TEST_CASE("C12_kernel_symbols_cannot_be_listed") {
  for (const char* what : {"hsa_executable_iterate_agent_symbols:1-", "hsa_executable_symbol_get_info:3"}) {
    INFO(what);
    uint64_t faults = 0;
    (void)load_and_launch(what, faults);
    CHECK(faults >= 1);
  }
}
