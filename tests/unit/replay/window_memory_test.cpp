// The memory a window covers: what is put back, what declines, and packets nobody could see.
#include <catch2/catch.hpp>

#include "add_one.hpp"

TEST_CASE("C10: an executable allocation is put back once an argument points at it; others are left alone") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  kreplay::hsa::KernelMetadata metadata;
  metadata.symbol = metadata.name = "add_one";
  metadata.explicit_bytes = sizeof(Args);
  rig.replayer->kernels().insert(kAddOne, "add_one.kd", &metadata);
  const auto executable = [&](size_t bytes) {
    void* memory = nullptr;
    rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kDevicePool}, bytes, 0, &memory);
    std::memset(memory, 0, bytes);
    rig.replayer->memory().allocated(memory, bytes, FakeGpu::kDevicePool, 1u << 2);
    return static_cast<int64_t*>(memory);
  };
  int64_t* pointed_at = executable(64);
  int64_t* pool = executable(64);  // the runtime's own: it goes on writing there
  void* kernarg = nullptr;
  rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kKernargPool}, sizeof(Args), 0, &kernarg);
  rig.replayer->memory().allocated(kernarg, sizeof(Args), FakeGpu::kKernargPool, 0);
  *static_cast<Args*>(kernarg) = Args{pointed_at + 1};
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_exit 0") pool[0] = 77;
  };
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, kernarg, {0}));
  CHECK(rig.gpu.executed().size() == 3);
  CHECK(pointed_at[1] == 1);
  CHECK(pool[0] == 77);
}

TEST_CASE(
    "C36: an argument into memory that others write, too, declines: another GPU's, exported, imported") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  kreplay::hsa::KernelMetadata metadata;
  metadata.symbol = metadata.name = "add_one";
  metadata.explicit_bytes = sizeof(Args);
  rig.replayer->kernels().insert(kAddOne, "add_one.kd", &metadata);
  void* kernarg = nullptr;
  rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kKernargPool}, sizeof(Args), 0, &kernarg);
  rig.replayer->memory().allocated(kernarg, sizeof(Args), FakeGpu::kKernargPool, 0);
  HeldQueue queue(rig);
  const auto launch_on = [&](int64_t* target) {
    *static_cast<Args*>(kernarg) = Args{target};
    const hsa_signal_t done = rig.gpu.make_signal(1);
    queue.submit(dispatch_packet(kAddOne, kernarg, done));
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  };
  auto* own = rig.device<int64_t>(8);
  launch_on(own + 3);
  CHECK(own[3] == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);

  auto* peer = rig.device<int64_t>(8, 1);
  launch_on(peer + 3);
  CHECK(peer[3] == 1);
  CHECK(rig.records_with("\"declined\",\"reason\":\"collective\"") == 1);
  CHECK(rig.records_with("into memory of another GPU") == 1);

  kreplay::snapshot::Extent imported;
  std::vector<int64_t> elsewhere(8);
  imported.base = kreplay::GpuVa(elsewhere.data());
  imported.size = elsewhere.size() * sizeof elsewhere[0];
  imported.memory_class = kreplay::snapshot::MemoryClass::ipc_import;
  rig.replayer->extents().insert(imported);
  launch_on(elsewhere.data() + 3);
  CHECK(elsewhere[3] == 1);
  CHECK(rig.records_with("into memory shared with another process or device") == 1);

  rig.replayer->memory().not_exported(rig.replayer->memory().exported(own));  // refused
  launch_on(own + 3);
  CHECK(rig.records_with("\"replayed\"") == 2);
  CHECK(rig.replayer->memory().exported(own + 1).has_value());  // anywhere inside
  launch_on(own + 3);
  CHECK(own[3] == 3);
  CHECK(rig.records_with("into memory shared with another process or device") == 2);

  // Others may write it during anybody's window: it is not put back any more.
  auto* rest = rig.device<int64_t>(1);
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_exit 0") own[0] = 77;
  };
  launch_on(rest);
  CHECK(*rest == 1);
  CHECK(own[0] == 77);
  CHECK(rig.records_with("\"replayed\"") == 3);
}

TEST_CASE("an allocation that was moved to another pool is what that pool is") {
  Rig rig(2);
  auto* memory = rig.device<int64_t>(8);
  rig.replayer->memory().migrated(memory, FakeGpu::kDevicePool + 1);
  const auto extent = rig.replayer->extents().find(kreplay::GpuVa(memory));
  REQUIRE(extent.has_value());
  CHECK(extent->agent == FakeGpu::gpu(1));
  CHECK(extent->size == 8 * sizeof(int64_t));
}

TEST_CASE("C45: a packet written past the proxy is noticed: nothing on that agent is replayed") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  // As a program that has the real queue's ring and doorbell.
  auto* real = reinterpret_cast<amd_queue_t*>(queue.queue.ring.queue());
  const uint64_t index = __atomic_fetch_add(&real->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
  const auto packet = dispatch_packet(kAddOne, &args, {0});
  auto* slot = static_cast<kreplay::hsa::Packet*>(real->hsa_queue.base_address) + index % 64;
  std::memcpy(&slot->word[1], &packet.word[1], sizeof packet - 4);
  __atomic_store_n(&slot->word[0], packet.word[0], __ATOMIC_RELEASE);
  const auto* doorbell = reinterpret_cast<const amd_signal_t*>(real->hsa_queue.doorbell_signal.handle);
  __atomic_store_n(doorbell->hardware_doorbell_ptr, index, __ATOMIC_RELEASE);
  REQUIRE(eventually([&] { return __atomic_load_n(args.target, __ATOMIC_ACQUIRE) == 2; }));
  HeldQueue other(rig);
  Args more{rig.device<int64_t>(1)};
  for (int i = 0; i < 2; ++i) other.submit(dispatch_packet(kAddOne, &more, {0}));
  CHECK(rig.records_with("\"declined\",\"reason\":\"bypassed\"") == 2);
  CHECK(rig.records_with("packets went through the proxy") == 1);  // noticed once, known from then on
  REQUIRE(eventually([&] { return __atomic_load_n(more.target, __ATOMIC_ACQUIRE) == 2; }));
}

TEST_CASE("C45: a ring in device memory is written and never read") {
  REQUIRE(setenv("HSA_ALLOCATE_QUEUE_DEV_MEM", "1", 1) == 0);
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  REQUIRE(unsetenv("HSA_ALLOCATE_QUEUE_DEV_MEM") == 0);
  CHECK_FALSE(queue.queue.ring.readable());
  queue.forward(dispatch_packet(kAddOne, &args, {0}));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));  // drained without a look at what is ahead
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 2);
  CHECK(rig.gpu.problems().empty());
}
