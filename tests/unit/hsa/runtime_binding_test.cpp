#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <string>

#include "hsa/runtime_binding.hpp"

using namespace kreplay::hsa;

namespace {
std::set<std::string> g_asked;
void* answer(const char* name) {
  g_asked.insert(name);
  return std::strcmp(name, "hsa_init") == 0 ? reinterpret_cast<void*>(0x10) : nullptr;
}
}  // namespace

TEST_CASE("every row of the table is looked up once, missing ones stay null") {
  HsaApi api;
  g_asked.clear();
  CHECK(bind_api(api, &answer) == 1);
  CHECK(g_asked.size() == static_cast<size_t>(EntryPoint::count));
  CHECK(g_asked.count("hsa_signal_store_release") == 1);  // aliases have rows, too
  CHECK(reinterpret_cast<uintptr_t>(api.hsa_init) == 0x10);
  CHECK(api.hsa_shut_down == nullptr);
}

TEST_CASE("names of entry points") {
  CHECK(std::string(name_of(EntryPoint::hsa_queue_create)) == "hsa_queue_create");
  CHECK(std::string(name_of(EntryPoint::count)) == "unknown");
}

TEST_CASE("own addresses are told apart from others'") {
  CHECK(in_this_library(reinterpret_cast<const void*>(&answer)));
  CHECK_FALSE(in_this_library(reinterpret_cast<const void*>(&std::strlen)));
  CHECK(object_path(reinterpret_cast<const void*>(&answer)).find("unit_hsa") != std::string::npos);
}

TEST_CASE("loaded objects are found by the start of their file name") {
  CHECK(loaded_objects("libc.so").size() == 1);
  CHECK(loaded_objects("libhsa-runtime64.so").empty());
  CHECK(find_runtime_symbol("hsa_init") == nullptr);
  CHECK(find_hip_symbol("hipGraphLaunch") == nullptr);
}

TEST_CASE("what is mapped is found once per load; e2e.C87_two_runtimes looks into another namespace") {
  const auto loaded = loaded_objects("libc.so");
  const auto mapped = mapped_objects("libc.so");
  REQUIRE(loaded.size() == 1);
  REQUIRE(mapped.size() == 1);
  CHECK(mapped[0].base == loaded[0].base);
  CHECK(mapped[0].path.find("/libc.so") != std::string::npos);
  CHECK(mapped_objects("no-such-library").empty());
}
