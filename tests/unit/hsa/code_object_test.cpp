// data/sample.hip names the source and the commands of the code object read here.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "hsa/code_object.hpp"

using namespace kreplay::hsa;

namespace {

std::vector<std::byte> sample() {
  std::ifstream in(KREPLAY_TEST_DATA "/sample_gfx906.hsaco", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

const KernelMetadata* find(const CodeObject& object, const std::string& name) {
  const auto it = std::find_if(object.kernels.begin(), object.kernels.end(),
                               [&](const KernelMetadata& kernel) { return kernel.name == name; });
  return it == object.kernels.end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("kernels with their arguments") {
  const auto bytes = sample();
  REQUIRE(bytes.size() > 1000);
  const auto object = read_code_object(bytes);
  REQUIRE(object.ok());
  CHECK(object->kernels.size() == 3);
  const KernelMetadata* scale = find(*object, "_Z5scalePffi");
  REQUIRE(scale != nullptr);
  CHECK(scale->symbol == "_Z5scalePffi.kd");
  CHECK(scale->kernarg_bytes == 16);
  CHECK(scale->explicit_bytes == 16);
  CHECK(scale->arguments_listed);
  REQUIRE(scale->pointers.size() == 1);
  CHECK(scale->pointers[0].offset == 0);
  CHECK(scale->hostcall_offset == -1);
  CHECK(scale->vgprs > 0);
  CHECK(scale->vgpr_spills == 0);

  // A struct by value: each of its aligned words may be an address.
  const KernelMetadata* indirect = find(*object, "_Z8indirect4Pair");
  REQUIRE(indirect != nullptr);
  REQUIRE(indirect->pointers.size() == 2);
  CHECK(indirect->pointers[1].offset == 8);

  const KernelMetadata* talks = find(*object, "_Z5talksi");
  REQUIRE(talks != nullptr);
  CHECK(talks->hostcall_offset == 32);
  CHECK(talks->explicit_bytes == 4);
}

TEST_CASE("the size of a kernel's code is that of its symbol") {
  const auto object = read_code_object(sample());
  REQUIRE(object.ok());
  // readelf --dyn-syms
  for (const auto& [name, bytes] :
       {std::pair{"_Z5scalePffi", 132u}, {"_Z8indirect4Pair", 156u}, {"_Z5talksi", 2984u}}) {
    const KernelMetadata* kernel = find(*object, name);
    REQUIRE(kernel != nullptr);
    CHECK(kernel->code_bytes == bytes);
  }
}

TEST_CASE("arguments that the metadata does not list may be anywhere in the segment") {
  auto bytes = sample();
  const std::string listed = ".args";
  size_t found = 0;
  for (size_t at = 0; at + listed.size() <= bytes.size(); ++at) {
    if (std::memcmp(bytes.data() + at, listed.data(), listed.size()) != 0) continue;
    bytes[at + 4] = std::byte{'z'};
    ++found;
  }
  REQUIRE(found == 3);
  const auto object = read_code_object(bytes);
  REQUIRE(object.ok());
  REQUIRE(object->kernels.size() == 3);
  for (const KernelMetadata& kernel : object->kernels) {
    CHECK(kernel.kernarg_bytes > 0);
    CHECK(kernel.explicit_bytes == kernel.kernarg_bytes);
    CHECK_FALSE(kernel.arguments_listed);
  }
}

TEST_CASE("hashes tell which kernel's instructions changed") {
  auto bytes = sample();
  const auto before = read_code_object(bytes);
  REQUIRE(before.ok());
  const auto changed_after = [&](size_t at) {
    auto copy = bytes;
    copy.at(at) ^= std::byte{1};
    const auto after = read_code_object(copy);
    REQUIRE(after.ok());
    std::vector<std::string> changed;
    for (const KernelMetadata& kernel : after->kernels) {
      const KernelMetadata* old = find(*before, kernel.name);
      REQUIRE(old != nullptr);
      CHECK(kernel.code_object_hash != old->code_object_hash);
      if (kernel.code_hash != old->code_hash) changed.push_back(kernel.name);
    }
    return changed;
  };
  // llvm-readelf -S --dyn-syms: .text is 0x1000 lower in the file than in memory; _Z5scalePffi begins at
  // 0x1d00 with 132 bytes, _Z8indirect4Pair at 0x1e00.
  CHECK(changed_after(0xd00) == std::vector<std::string>{"_Z5scalePffi"});
  CHECK(changed_after(0xd00 + 131) == std::vector<std::string>{"_Z5scalePffi"});
  CHECK(changed_after(0xd00 + 132).empty());  // padding
  CHECK(changed_after(0xe00) == std::vector<std::string>{"_Z8indirect4Pair"});
}

TEST_CASE("C13: writable segments hold the variables; what is read-only after relocation is left out") {
  const auto object = read_code_object(sample());
  REQUIRE(object.ok());
  REQUIRE(object->writable.size() == 1);
  CHECK(object->writable[0].virtual_address == 0x5580);
  CHECK(object->writable[0].size_bytes == 0x50);  // .data and .bss: counter and the unexported array
}

TEST_CASE("truncated and foreign bytes are refused or yield what is there, never a crash") {
  const auto bytes = sample();
  CHECK(read_code_object({}).error() == kreplay::Error::invalid_argument);
  std::vector<std::byte> text(200, std::byte{'x'});
  CHECK(read_code_object(text).error() == kreplay::Error::invalid_argument);
  for (size_t size = 0; size < bytes.size(); size += 97) {
    const auto object = read_code_object(std::span(bytes).first(size));
    if (object.ok()) CHECK(object->kernels.size() <= 3);
  }
}

TEST_CASE("damaged metadata yields no kernels") {
  auto bytes = sample();
  const char* key = "amdhsa.kernels";
  const auto at = std::search(bytes.begin(), bytes.end(), reinterpret_cast<const std::byte*>(key),
                              reinterpret_cast<const std::byte*>(key) + std::strlen(key));
  REQUIRE(at != bytes.end());
  *(at - 1) = std::byte{0xc1};  // a MessagePack byte that is never used
  const auto object = read_code_object(bytes);
  REQUIRE(object.ok());
  CHECK(object->kernels.empty());
  CHECK(object->writable.size() == 1);
}
