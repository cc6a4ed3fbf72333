// Code objects and their metadata: an ELF image from anywhere is read or refused.
#include "fuzz/fuzz.hpp"
#include "hsa/code_object.hpp"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read = kreplay::hsa::read_code_object(std::as_bytes(std::span(data, size)));
  if (!read.ok()) return 0;
  for (const auto& kernel : read.value().kernels) {
    // Arguments are read from the kernarg segment by these offsets.
    FUZZ_CHECK(kernel.explicit_bytes <= kernel.kernarg_bytes);
    for (const auto& pointer : kernel.pointers)
      FUZZ_CHECK(uint64_t{pointer.offset} + sizeof(uint64_t) <= kernel.explicit_bytes);
    FUZZ_CHECK(kernel.hostcall_offset < 0 ||
               static_cast<uint64_t>(kernel.hostcall_offset) + sizeof(uint64_t) <= kernel.kernarg_bytes);
  }
  return 0;
}
