#include <catch2/catch.hpp>

#include "replay/kernels.hpp"

using kreplay::replay::Kernel;
using kreplay::replay::KernelTable;

TEST_CASE("kernels are found by kernel object, with their names") {
  KernelTable table;
  CHECK(table.find(0x1000) == nullptr);
  CHECK(table.find(0) == nullptr);
  Kernel& kernel = table.insert(0x1000, "_Z6vecaddPfS_i.kd", nullptr);
  CHECK(table.find(0x1000) == &kernel);
  CHECK(kernel.info.symbol == "_Z6vecaddPfS_i");
  CHECK(kernel.info.demangled == "vecadd(float*, float*, int)");
  CHECK(table.insert(0x2000, "plain", nullptr).info.demangled == "plain");
}

TEST_CASE("an address that comes back is another kernel; the old one stays readable") {
  KernelTable table;
  Kernel& first = table.insert(0x1000, "first.kd", nullptr);
  first.learned = true;
  table.erase(0x1000);
  CHECK(table.find(0x1000) == nullptr);
  Kernel& second = table.insert(0x1000, "second.kd", nullptr);
  CHECK(table.find(0x1000) == &second);
  CHECK(second.info.kernel_id != first.info.kernel_id);
  CHECK_FALSE(second.learned.load());
  CHECK(first.info.symbol == "first");
}

TEST_CASE("the table grows and survives many loads and unloads") {
  KernelTable table;
  for (uint64_t round = 0; round < 20; ++round) {
    for (uint64_t i = 1; i <= 500; ++i) table.insert(i * 64, "k" + std::to_string(i), nullptr);
    CHECK(table.size() == 500);
    for (uint64_t i = 1; i <= 500; ++i) REQUIRE(table.find(i * 64)->symbol == "k" + std::to_string(i));
    for (uint64_t i = 1; i <= 500; ++i) table.erase(i * 64);
    CHECK(table.size() == 0);
    CHECK(table.find(64) == nullptr);
  }
  for (uint64_t i = 1; i <= 5000; ++i) table.insert(i * 64, "k", nullptr);
  for (uint64_t i = 1; i <= 5000; ++i) REQUIRE(table.find(i * 64) != nullptr);
}
