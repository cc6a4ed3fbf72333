// Statement K28 on the fake GPU, which takes packets that the software GPU does not know.
#include <catch2/catch.hpp>

#include "rig.hpp"

namespace {

constexpr uint64_t kKernel = 0x3000;

kreplay::hsa::Packet extended_dispatch(void* kernarg, hsa_signal_t done) {
  kreplay::hsa::ExtDispatch ext = {};
  ext.header = static_cast<uint16_t>(HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE |
                                     1 << HSA_PACKET_HEADER_BARRIER);
  ext.amd_format = kreplay::hsa::kFormatExtDispatch;
  ext.workgroup_size[0] = 64;
  ext.workgroup_size[1] = 2;
  ext.workgroup_size[2] = 1;
  ext.cluster_count_x = 7;
  ext.cluster_count_y = 3;
  ext.cluster_count_z = 2;
  ext.cluster_size[0] = 4;
  ext.cluster_size[1] = 1;
  ext.cluster_size[2] = 2;
  ext.kernel_object = kKernel;
  ext.kernarg_address = reinterpret_cast<uint64_t>(kernarg);
  ext.completion_signal = done.handle;
  kreplay::hsa::Packet packet;
  std::memcpy(&packet, &ext, sizeof packet);
  return packet;
}

}  // namespace

TEST_CASE("K28_an_extended_dispatch_is_understood_its_grid_counts_clusters") {
  Rig rig;
  rig.gpu.set_kernel(kKernel, [](void* kernarg) { ++**static_cast<int64_t**>(kernarg); });
  auto* x = rig.device<int64_t>(1);
  struct {
    int64_t* x;
  } args{x};
  HeldQueue queue(rig);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  const auto packet = extended_dispatch(&args, done);
  queue.submit(packet);
  const auto& info = rig.tool.info;
  CHECK(info.workgroup_size.x == 64);
  CHECK(info.workgroup_size.y == 2);
  CHECK(info.grid_size.x == 7 * 4 * 64);
  CHECK(info.grid_size.y == 3 * 1 * 2);
  CHECK(info.grid_size.z == 2 * 2 * 1);
  const auto executed = rig.gpu.executed();
  REQUIRE(executed.size() == 3);       // replayed
  for (const auto& each : executed) {  // only the signal and the fences differ
    CHECK(each.packet.word[0] == kreplay::hsa::with_system_fences(packet.word[0]));
    CHECK(std::memcmp(&each.packet.word[1], &packet.word[1], 52) == 0);
  }
  CHECK(*x == 1);
  CHECK(FakeGpu::value(done) == 0);
}

TEST_CASE("K28_the_dependency_inside_an_extended_dispatch_is_looked_at_before_waiting") {
  Rig rig;
  rig.gpu.set_kernel(kKernel, [](void*) {});
  HeldQueue queue(rig);
  const hsa_signal_t host = rig.gpu.make_signal(1);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  auto waiting = extended_dispatch(nullptr, {0});
  kreplay::hsa::set_word64(waiting, offsetof(kreplay::hsa::ExtDispatch, dep_signal), host.handle);
  queue.submit(dispatch_packet(kKernel, nullptr, {0}));
  queue.forward(waiting);
  queue.submit(dispatch_packet(kKernel, nullptr, done));  // comes back although nobody sets `host`
  CHECK(rig.records_with("\"dependency\"") == 1);
  CHECK(FakeGpu::value(done) == 1);
  rig.gpu.api.hsa_signal_store_screlease(host, 0);
  CHECK(eventually([&] { return FakeGpu::value(done) == 0; }));
}
