// What arguments point at: over random layouts, against a model that knows nothing of tables and trees.
#include "replay/arguments.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "replay/dispatch.hpp"
#include "replay/host_services.hpp"

using kreplay::GpuVa;
using kreplay::hsa::KernelMetadata;
using kreplay::replay::Arguments;
using kreplay::replay::Dispatch;
using kreplay::replay::HostServices;
using kreplay::replay::Kernel;
using kreplay::replay::Pointee;
using kreplay::report::Reason;
using kreplay::snapshot::Extent;
using kreplay::snapshot::ExtentTable;
using kreplay::snapshot::MemoryClass;

namespace {

constexpr MemoryClass kClasses[] = {
    MemoryClass::device_coarse, MemoryClass::device_executable, MemoryClass::host_coarse,
    MemoryClass::host_fine,     MemoryClass::host_kernarg,      MemoryClass::host_locked,
    MemoryClass::managed,       MemoryClass::ipc_import,        MemoryClass::signal};

uint64_t seed() {
  const char* text = std::getenv("KREPLAY_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : std::random_device{}();
}

bool data(MemoryClass c) {
  return c == MemoryClass::host_coarse || c == MemoryClass::host_fine || c == MemoryClass::host_locked ||
         c == MemoryClass::managed;
}

/// Whether the rule of arguments.hpp gives the word to the extent; `all` sorted by address, disjoint.
bool counts(const std::vector<Extent>& all, size_t which, uint64_t word) {
  const Extent& e = all[which];
  const uint64_t base = e.base.value, end = base + e.size;
  if (word >= base && word < end) return true;
  const bool in_another =
      std::any_of(all.begin(), all.end(), [&](const Extent& other) { return other.contains(GpuVa(word)); });
  // Between it and the word there may be nothing else.
  const bool below = word < base;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == which || all[i].contains(GpuVa(word))) continue;
    const uint64_t other = all[i].base.value;
    if (below ? other > word && other < base : other <= word && other > base) return false;
  }
  if (in_another) return data(e.memory_class) && (below ? base - word <= 64 : word == end);
  return e.memory_class != MemoryClass::signal && (below ? base - word : word - end) <= 4096;
}

}  // namespace

TEST_CASE("random arguments point at what the rule says, whatever the layout") {
  const uint64_t chosen = seed();
  INFO("KREPLAY_TEST_SEED=" << chosen);
  std::mt19937_64 random(chosen);
  const auto below = [&](uint64_t bound) { return random() % bound; };
  uint64_t pointed = 0, beside = 0;
  for (int round = 0; round < 400; ++round) {
    ExtentTable table;
    std::vector<Extent> all;
    uint64_t at = 0x7f00'0000'0000 + below(1 << 20);
    const size_t extents = 1 + below(150);  // more than one leaf of the index
    for (size_t i = 0; i < extents; ++i) {
      Extent e;
      e.base = GpuVa(at);
      e.size = 1 + below(below(2) == 0 ? 200 : 20000);
      e.agent = 1 + below(2);
      e.memory_class = kClasses[below(std::size(kClasses))];
      e.generation = table.insert(e);
      all.push_back(e);
      const uint64_t gaps[] = {0, 0, below(64), below(5000), below(100000)};
      at += e.size + gaps[below(5)];
    }
    KernelMetadata kernel;
    kernel.explicit_bytes = static_cast<uint32_t>(below(10) == 0 ? 4000 + below(6000) : below(300));
    std::vector<unsigned char> segment(kernel.explicit_bytes + 16);
    for (auto& byte : segment) byte = static_cast<unsigned char>(below(3) == 0 ? random() : 0);
    const size_t planted = below(40);
    for (size_t i = 0; i < planted; ++i) {
      const Extent& e = all[below(all.size())];
      const uint64_t offsets[] = {
          0, below(e.size), e.size, e.size + below(9000), 0 - below(80), 0 - below(9000)};
      const uint64_t word = e.base.value + offsets[below(6)];
      std::memcpy(segment.data() + below(segment.size() - 7), &word, sizeof word);
    }
    Arguments view;
    view.look(&kernel, reinterpret_cast<uint64_t>(segment.data()), table);
    REQUIRE(view.known());
    std::map<uint64_t, bool> want;  // generation -> inside
    for (size_t byte = 0; byte + 8 <= kernel.explicit_bytes; ++byte) {
      uint64_t word = 0;
      std::memcpy(&word, segment.data() + byte, sizeof word);
      if (word >> 40 != 0x7f && word >> 40 != 0x7e) continue;  // nowhere near any of them
      for (size_t i = 0; i < all.size(); ++i)
        if (counts(all, i, word)) want[all[i].generation] |= all[i].contains(GpuVa(word));
    }
    std::map<uint64_t, bool> got;
    for (const Pointee& p : view.pointees()) {
      REQUIRE(got.emplace(p.extent.generation, p.inside).second);  // each once
      uint64_t word = 0;
      std::memcpy(&word, segment.data() + p.offset, sizeof word);
      REQUIRE(word == p.address);
      ++(p.inside ? pointed : beside);
    }
    INFO("round " << round);
    REQUIRE(got == want);
  }
  // The rounds were about something.
  CHECK(pointed > 500);
  CHECK(beside > 100);
}

TEST_CASE("an argument segment that is in no memory, or reaches beyond its own, is unreadable") {
  ExtentTable table;
  std::vector<uint64_t> segment(8);
  KernelMetadata kernel;
  kernel.explicit_bytes = 64;
  Arguments view;
  view.look(&kernel, 4096, table);
  CHECK(view.state() == Arguments::State::unreadable);
  Extent e;
  e.base = GpuVa(segment.data());
  e.size = 60;
  e.memory_class = MemoryClass::host_kernarg;
  table.insert(e);
  view.look(&kernel, e.base.value, table);
  CHECK(view.state() == Arguments::State::unreadable);
  kernel.explicit_bytes = 60;
  view.look(&kernel, e.base.value, table);
  CHECK(view.known());
  view.look(nullptr, e.base.value, table);
  CHECK(view.state() == Arguments::State::unknown);
}

TEST_CASE("where arguments are not listed, the memory behind the declared segment is looked at, too") {
  ExtentTable table;
  std::vector<uint64_t> segment(64);
  Extent e;
  e.base = GpuVa(segment.data());
  e.size = 512;
  e.memory_class = MemoryClass::host_kernarg;
  table.insert(e);
  Extent pointed;
  pointed.base = GpuVa(uint64_t{0x10'0000});
  pointed.size = 64;
  table.insert(pointed);
  KernelMetadata kernel;  // as gcc 12 describes a target region
  kernel.kernarg_bytes = kernel.explicit_bytes = 8;
  const auto seen = [&](size_t word, size_t first = 0) {
    segment.assign(segment.size(), 0);
    segment[word] = 0x10'0000;
    Arguments view;
    view.look(&kernel, reinterpret_cast<uint64_t>(&segment[first]), table);
    CHECK(view.known());
    return view.pointees().size() == 1;
  };
  CHECK(seen(0));
  CHECK_FALSE(seen(2));
  kernel.arguments_listed = false;
  CHECK(seen(2));
  CHECK(seen(31));
  CHECK_FALSE(seen(32));
  CHECK(seen(63, 60));  // to the end of the memory, not beyond
  kernel.kernarg_bytes = kernel.explicit_bytes = 0;
  CHECK_FALSE(seen(2));
}

TEST_CASE("a kernel without arguments is known to point at nothing") {
  ExtentTable table;
  KernelMetadata kernel;
  Arguments view;
  view.look(&kernel, 0, table);
  CHECK(view.known());
  CHECK(view.pointees().empty());
}

TEST_CASE("the header of a host-call buffer is watched; one that goes away was used") {
  ExtentTable table;
  std::vector<uint64_t> segment(8), buffer(16, 3);
  segment[5] = reinterpret_cast<uint64_t>(buffer.data());
  KernelMetadata kernel;
  kernel.explicit_bytes = 8;
  Arguments view;
  view.look(&kernel, reinterpret_cast<uint64_t>(segment.data()), table);
  CHECK_FALSE(HostServices(view, table).watching());
  kernel.hostcall_offset = 40;
  view.look(&kernel, reinterpret_cast<uint64_t>(segment.data()), table);
  const HostServices services(view, table);
  CHECK(services.watching());
  CHECK_FALSE(services.used());
  buffer[8] = 4;  // behind the header
  CHECK_FALSE(services.used());
  buffer[7] = 4;
  CHECK(services.used());
  segment[5] = 4096;  // nothing there
  view.look(&kernel, reinterpret_cast<uint64_t>(segment.data()), table);
  CHECK_FALSE(HostServices(view, table).watching());
}

TEST_CASE("arguments that others have a part in decide on the dispatch") {
  ExtentTable table;
  uint64_t segment[2] = {};
  Kernel kernel;
  kernel.metadata.explicit_bytes = sizeof segment;
  kreplay::hsa::Packet packet = {};
  packet.word[0] = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  const auto address = reinterpret_cast<uint64_t>(segment);
  std::memcpy(&packet.word[10], &address, sizeof address);
  const auto insert = [&](uint64_t base, uint64_t agent, MemoryClass c) {
    Extent e;
    e.base = GpuVa(base);
    e.size = 64;
    e.agent = agent;
    e.memory_class = c;
    table.insert(e);
  };
  insert(0x10'0000, 1, MemoryClass::device_coarse);
  insert(0x20'0000, 2, MemoryClass::device_coarse);
  insert(0x30'0000, 0, MemoryClass::signal);
  insert(0x40'0000, 1, MemoryClass::device_shared);
  const auto reason = [&](uint64_t word, bool signals = true) {
    segment[1] = word;
    Dispatch dispatch(packet, &kernel);
    dispatch.look_at_arguments(table);
    std::string detail;
    const Reason out = dispatch.shares_memory(1, signals, detail);
    CHECK(detail.empty() == (out == Reason::none));
    return out;
  };
  CHECK(reason(0x30'0008) == Reason::none);  // nobody said where the arguments are
  kernel.described = true;
  CHECK(reason(0x10'0008) == Reason::none);
  CHECK(reason(0x20'0008) == Reason::collective);
  CHECK(reason(0x20'0040) == Reason::collective);  // its end
  CHECK(reason(0x40'0000) == Reason::collective);
  CHECK(reason(0x30'0000) == Reason::host_write);
  CHECK(reason(0x30'0008) == Reason::host_write);
  CHECK(reason(0x30'0008, false) == Reason::none);
  CHECK(reason(0x30'0040) == Reason::none);
  kernel.metadata.explicit_bytes = 8;
  CHECK(reason(0x20'0000) == Reason::none);
}
