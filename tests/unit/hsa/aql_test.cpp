#include <catch2/catch.hpp>
#include <cstring>

#include "hsa/aql.hpp"

using namespace kreplay::hsa;

namespace {
Packet with_type(uint32_t type) {
  Packet packet = {};
  packet.word[0] = type;
  return packet;
}
}  // namespace

TEST_CASE("kinds follow type and, for vendor packets, the format byte") {
  CHECK(kind_of(HSA_PACKET_TYPE_INVALID) == PacketKind::invalid);
  CHECK(kind_of(HSA_PACKET_TYPE_KERNEL_DISPATCH | (1u << 8) | (3u << 16)) == PacketKind::kernel_dispatch);
  CHECK(kind_of(HSA_PACKET_TYPE_BARRIER_AND) == PacketKind::barrier_and);
  CHECK(kind_of(HSA_PACKET_TYPE_BARRIER_OR) == PacketKind::barrier_or);
  CHECK(kind_of(HSA_PACKET_TYPE_AGENT_DISPATCH) == PacketKind::agent_dispatch);
  CHECK(kind_of(0x00020000) == PacketKind::barrier_value);
  CHECK(kind_of(0x02030000) == PacketKind::ext_dispatch);
  CHECK(kind_of(0x00010000) == PacketKind::vendor_other);
  CHECK(kind_of(0x77) == PacketKind::vendor_other);
}

TEST_CASE("fences are widened to system scope, everything else stays") {
  const uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH | (1u << HSA_PACKET_HEADER_BARRIER) |
                          (HSA_FENCE_SCOPE_AGENT << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) | (0x3u << 16);
  const uint32_t wide = with_system_fences(header);
  CHECK((wide & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH);
  CHECK(has_barrier_bit(wide));
  CHECK(((wide >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) & 3) == HSA_FENCE_SCOPE_SYSTEM);
  CHECK(((wide >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE) & 3) == HSA_FENCE_SCOPE_SYSTEM);
  CHECK(wide >> 16 == 3);
}

TEST_CASE("K28: an extended dispatch counts clusters") {
  ExtDispatch ext = {};
  ext.amd_format = kFormatExtDispatch;
  for (int i = 0; i < 3; ++i) {
    ext.workgroup_size[i] = static_cast<uint16_t>(64 >> i);
    ext.cluster_size[i] = static_cast<uint8_t>(i + 1);
  }
  ext.cluster_count_x = 100000;
  ext.cluster_count_y = 5;
  ext.cluster_count_z = 7;
  ext.kernel_object = 0x1234;
  ext.private_segment_size = 8;
  ext.group_segment_size = 16;
  Packet packet;
  std::memcpy(&packet, &ext, sizeof packet);
  REQUIRE(kind_of(packet.word[0]) == PacketKind::ext_dispatch);
  const DispatchFields fields = dispatch_fields(packet);
  CHECK(fields.kernel_object == 0x1234);
  CHECK(fields.grid[0] == 100000u * 1 * 64);
  CHECK(fields.grid[1] == 5u * 2 * 32);
  CHECK(fields.grid[2] == 7u * 3 * 16);
  CHECK(fields.workgroup[2] == 16);
  CHECK(fields.private_segment_bytes == 8);
}

TEST_CASE("dependencies of barrier packets") {
  Packet packet = with_type(HSA_PACKET_TYPE_BARRIER_AND);
  set_word64(packet, 8, 0x100);
  set_word64(packet, 40, 0x500);
  Dependency list[5];
  DependencyMode mode;
  REQUIRE(dependencies(packet, list, mode) == 2);
  CHECK(mode == DependencyMode::all);
  CHECK(list[0].signal.handle == 0x100);
  CHECK(list[1].signal.handle == 0x500);
  packet.word[0] = HSA_PACKET_TYPE_BARRIER_OR;
  CHECK(dependencies(packet, list, mode) == 2);
  CHECK(mode == DependencyMode::any);
  packet.word[0] = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  CHECK(dependencies(packet, list, mode) == 0);

  hsa_amd_barrier_value_packet_t value = {};
  value.header.AmdFormat = kFormatBarrierValue;
  value.signal = {0x900};
  value.value = 4;
  value.mask = 0xff;
  value.cond = HSA_SIGNAL_CONDITION_GTE;
  std::memcpy(&packet, &value, sizeof packet);
  REQUIRE(dependencies(packet, list, mode) == 1);
  CHECK(satisfied(list[0], 0x104));
  CHECK_FALSE(satisfied(list[0], 0x103));
}

TEST_CASE("a condition compares the signal with the dependency's value") {
  Dependency d;
  d.value = 0;
  CHECK(satisfied(d, 0));
  CHECK_FALSE(satisfied(d, 1));
  d.condition = HSA_SIGNAL_CONDITION_LT;
  CHECK(satisfied(d, -1));
  CHECK_FALSE(satisfied(d, 0));
  d.condition = HSA_SIGNAL_CONDITION_NE;
  CHECK(satisfied(d, 5));
  CHECK_FALSE(satisfied(d, 0));
}

TEST_CASE("our barrier packet waits for everything before it and decrements the signal") {
  const Packet packet = barrier_packet({0x4240});
  CHECK(kind_of(packet.word[0]) == PacketKind::barrier_and);
  CHECK(has_barrier_bit(packet.word[0]));
  CHECK(completion_signal(packet).handle == 0x4240);
  Dependency list[5];
  DependencyMode mode;
  CHECK(dependencies(packet, list, mode) == 0);
}
