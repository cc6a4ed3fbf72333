// Waiting: what an idle process costs (counted in looks, not in time), and that no wake-up is lost.
#include <catch2/catch.hpp>

#include <thread>

#include "cp/device.hpp"
#include "cp/doorbell_poller.hpp"
#include "cp/poll_schedule.hpp"
#include "cp/worker.hpp"
#include "fixture.hpp"

namespace softgpu::cp::test {

TEST_CASE("an idle second costs about a thousand looks") {
  PollSchedule schedule;
  std::chrono::microseconds elapsed{0};
  unsigned spins = 0;
  unsigned sleeps = 0;
  while (elapsed < std::chrono::seconds(1)) {
    const auto delay = schedule.next();
    if (delay.count() == 0) {
      ++spins;
    } else {
      ++sleeps;
    }
    elapsed += delay;
  }
  CHECK(spins == PollSchedule::kSpins);
  CHECK(sleeps <= 1100);
  // From then on nothing but the longest sleep.
  for (int i = 0; i < 1000; ++i) CHECK(schedule.next() == PollSchedule::kLong);
  schedule.reset_without_spin();
  CHECK(schedule.next() == PollSchedule::kShort);
  schedule.reset();
  CHECK(schedule.next().count() == 0);
}

TEST_CASE("the poller wakes the worker whose doorbell moved, and looks no more once unwatched") {
  ProgressHub hub;
  Worker rung(hub);
  std::atomic<unsigned> wakes{0};
  std::atomic<uint64_t> doorbell{~uint64_t{0}};
  DoorbellPoller poller;
  rung.start("test", [&] {
    while (!rung.stopping()) {
      rung.wait_for_work();
      ++wakes;
    }
  });
  poller.watch(&doorbell, &rung);
  for (uint64_t i = 0; i < 50; ++i) {
    const unsigned before = wakes;
    doorbell = i;  // zero is a valid ring, and differs from the value at rest
    while (wakes == before) std::this_thread::yield();
  }
  doorbell = 3;  // backwards is a change, too
  while (wakes < 51) std::this_thread::yield();
  poller.unwatch(&doorbell);
  const uint64_t looks = poller.looks();
  poller.watch(&doorbell, &rung);
  while (poller.looks() == looks) std::this_thread::yield();
  poller.unwatch(&doorbell);
  rung.stop_and_join();
}

TEST_CASE("a wake before the wait is not lost") {
  ProgressHub hub;
  Worker worker(hub);
  std::atomic<int> rounds{0};
  worker.wake();
  worker.start("test", [&] {
    worker.wait_for_work();
    ++rounds;
    while (!worker.stopping()) worker.wait_for_work();
  });
  while (rounds == 0) std::this_thread::yield();
  worker.stop_and_join();
  CHECK(rounds == 1);
}

namespace {

struct DeviceFixture : Fixture {
  DeviceFixture() {
    setup.gpu_id = 9;
    setup.doorbells = doorbells.data();
    setup.interrupts = &sink;
    setup.progress = &hub;
    device = std::make_unique<Device>(setup);
    device->memory().map(GpuVa(arena.bytes), Arena::kBytes, HostPtr(arena.bytes), true);
    for (size_t q = 0; q < 4; ++q) {
      for (size_t i = 0; i < kRingPackets; ++i) packet(q, i)->header = HSA_PACKET_TYPE_INVALID;
    }
  }
  amd_queue_t* queue(size_t q) { return arena.at<amd_queue_t>(q * 0x1000); }
  hsa_barrier_and_packet_t* packet(size_t q, uint64_t i) {
    return arena.at<hsa_barrier_and_packet_t>(0x8000 + q * 0x1000) + i % kRingPackets;
  }
  amd_signal_t* signal(size_t i) { return arena.at<amd_signal_t>(0x10000) + i; }
  static int64_t value_of(amd_signal_t* signal) { return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE); }

  uint32_t create(size_t q, bool suspended = false) {
    QueueSetup wanted;
    wanted.ring = GpuVa(packet(q, 0));
    wanted.ring_bytes = kRingPackets * kAqlPacketBytes;
    wanted.read_pointer = GpuVa(va_of(queue(q)) + 0x80);
    wanted.suspended = suspended;
    const auto doorbell = device->create_queue(static_cast<uint32_t>(q + 1), wanted);
    REQUIRE(doorbell.ok());
    return *doorbell;
  }
  void barrier(size_t q, uint32_t doorbell, amd_signal_t* dependency, amd_signal_t* completion) {
    const uint64_t index = queue(q)->write_dispatch_id;
    std::memset(static_cast<void*>(packet(q, index)), 0, sizeof(hsa_barrier_and_packet_t));
    packet(q, index)->dep_signal[0].handle = va_of(dependency);
    packet(q, index)->completion_signal.handle = va_of(completion);
    __atomic_store_n(&queue(q)->write_dispatch_id, index + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&packet(q, index)->header, uint16_t{HSA_PACKET_TYPE_BARRIER_AND}, __ATOMIC_RELEASE);
    doorbells[doorbell] = index;
  }
  void wait_zero(amd_signal_t* signal) {
    while (value_of(signal) != 0) std::this_thread::yield();
  }

  std::vector<std::atomic<uint64_t>> doorbells = std::vector<std::atomic<uint64_t>>(kDoorbellsPerDevice);
  DeviceSetup setup;
  std::unique_ptr<Device> device;
};

}  // namespace

TEST_CASE("queues of a device wait for each other and for the host") {
  DeviceFixture f;
  const uint32_t first = f.create(0);
  const uint32_t second = f.create(1);
  CHECK(first != second);
  for (size_t i = 0; i < 3; ++i) f.signal(i)->value = 1;
  f.barrier(1, second, f.signal(1), f.signal(2));
  f.barrier(0, first, f.signal(0), f.signal(1));
  CHECK(DeviceFixture::value_of(f.signal(2)) == 1);
  __atomic_store_n(&f.signal(0)->value, 0, __ATOMIC_RELEASE);
  f.wait_zero(f.signal(2));
  CHECK(DeviceFixture::value_of(f.signal(1)) == 0);
}

TEST_CASE("a blocked queue is destroyed at once, and its doorbell is free again") {
  DeviceFixture f;
  const uint32_t doorbell = f.create(0);
  f.signal(0)->value = 1;
  f.signal(1)->value = 1;
  f.barrier(0, doorbell, f.signal(0), f.signal(1));
  CHECK(f.device->destroy_queue(1));
  CHECK_FALSE(f.device->destroy_queue(1));
  CHECK(DeviceFixture::value_of(f.signal(1)) == 1);
  CHECK(f.create(1) == doorbell);
}

TEST_CASE("a queue is destroyed in the middle of a kernel") {
  DeviceFixture f;
  std::atomic<bool> inside{false};
  gfx9::GridDouble::run = [&](const gfx9::GridDispatch&, const gfx9::GridHost& host) {
    inside = true;
    while (!host.stop->load()) std::this_thread::yield();  // a kernel without end
    gfx9::GridResult result;
    result.end = gfx9::GridEnd::stopped;
    return result;
  };
  const uint32_t doorbell = f.create(0);
  auto* dispatch = reinterpret_cast<hsa_kernel_dispatch_packet_t*>(f.packet(0, 0));
  std::memset(static_cast<void*>(dispatch), 0, sizeof *dispatch);
  dispatch->setup = 1;
  dispatch->workgroup_size_x = dispatch->workgroup_size_y = dispatch->workgroup_size_z = 1;
  dispatch->grid_size_x = dispatch->grid_size_y = dispatch->grid_size_z = 1;
  dispatch->kernel_object = va_of(f.arena.bytes + 0x20000);
  __atomic_store_n(&f.queue(0)->write_dispatch_id, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&dispatch->header, uint16_t{HSA_PACKET_TYPE_KERNEL_DISPATCH}, __ATOMIC_RELEASE);
  f.doorbells[doorbell] = 0;
  while (!inside) std::this_thread::yield();
  CHECK(f.device->destroy_queue(1));
  CHECK(f.queue(0)->read_dispatch_id == 0);
}

TEST_CASE("a suspended queue runs nothing until it is resumed") {
  DeviceFixture f;
  const uint32_t suspended = f.create(0, true);
  const uint32_t other = f.create(1);
  f.signal(1)->value = 1;
  f.signal(2)->value = 1;
  f.barrier(0, suspended, nullptr, f.signal(1));
  f.barrier(1, other, nullptr, f.signal(2));
  f.wait_zero(f.signal(2));
  CHECK(DeviceFixture::value_of(f.signal(1)) == 1);
  CHECK(f.device->update_queue(1, GpuVa(f.packet(0, 0)), kRingPackets * kAqlPacketBytes, false).ok());
  f.wait_zero(f.signal(1));
}

TEST_CASE("a queue that cannot be is refused with a reason") {
  DeviceFixture f;
  QueueSetup wanted;
  wanted.ring = GpuVa(f.packet(0, 0));
  wanted.ring_bytes = 1024;
  wanted.read_pointer = GpuVa(va_of(f.queue(0)) + 0x80);
  SECTION("ring not a power of two") { wanted.ring_bytes = 1000; }
  SECTION("ring not mapped") { wanted.ring = GpuVa(0x1000); }
  SECTION("read pointer not mapped") { wanted.read_pointer = GpuVa(0x1080); }
  SECTION("SDMA read pointer not mapped") {
    wanted.kind = QueueKind::sdma;
    wanted.read_pointer = GpuVa(0x1080);
  }
  const auto result = f.device->create_queue(1, wanted);
  CHECK_FALSE(result.ok());
  CHECK(result.error() == kreplay::Error::invalid_argument);
  CHECK_FALSE(result.status().message().empty());
}

}  // namespace softgpu::cp::test
