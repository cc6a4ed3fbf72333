// Limits files (TOML).
#include "cli/policy.hpp"
#include "fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::File file(data, size);
  kreplay::cli::Policy policy;
  const kreplay::Status status = kreplay::cli::read_policy(file.path(), &policy);
  if (!status.ok()) {
    FUZZ_CHECK(!status.message().empty());
    return 0;
  }
  FUZZ_CHECK(policy.limit.relative >= 0 && policy.limit.absolute_ns >= 0);
  FUZZ_CHECK(policy.alpha > 0 && policy.alpha < 1 && policy.confidence > 0 && policy.confidence < 1);
  for (const char* name : {"void step<float>(float*, int)", ""}) {
    kreplay::cli::ShapeKey key;
    key.kernel = kreplay::cli::normalised(policy, name);
    const auto limit = kreplay::cli::limit_for(policy, key);
    FUZZ_CHECK(limit.limit.relative >= 0 && limit.limit.absolute_ns >= 0);
  }
  return 0;
}
