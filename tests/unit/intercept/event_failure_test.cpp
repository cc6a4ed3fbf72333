#include "intercept/event_failure.hpp"

#include <catch2/catch.hpp>

using kreplay::intercept::failure_of;

TEST_CASE("a memory fault and a hardware exception stop the agent's queues, nothing else does") {
  const auto failure = [](int type) {
    return static_cast<int>(failure_of(static_cast<hsa_amd_event_type_t>(type)));
  };
  CHECK(failure(0) == HSA_STATUS_ERROR_MEMORY_FAULT);
  CHECK(failure(1) == HSA_STATUS_ERROR_EXCEPTION);
  CHECK(failure(2) == HSA_STATUS_SUCCESS);  // memory that could not be freed
  CHECK(failure(3) == HSA_STATUS_SUCCESS);
}
