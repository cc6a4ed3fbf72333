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

namespace {

/// A kernel whose one argument is an address, with its arguments in known memory.
struct Described {
  Rig& rig;
  Args* arguments = nullptr;

  Described(Rig& r, uint64_t object, const std::function<void(void*)>& kernel) : rig(r) {
    rig.gpu.set_kernel(object, kernel);
    kreplay::hsa::KernelMetadata metadata;
    metadata.symbol = metadata.name = "add_one";
    metadata.explicit_bytes = sizeof(Args);
    rig.replayer->kernels().insert(object, "add_one.kd", &metadata);
    arguments = static_cast<Args*>(kernarg(sizeof(Args)));
  }
  void* kernarg(size_t bytes) const {
    void* memory = nullptr;
    rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kKernargPool}, bytes, 0, &memory);
    std::memset(memory, 0, bytes);
    rig.replayer->memory().allocated(memory, bytes, FakeGpu::kKernargPool, 0);
    return memory;
  }
};

}  // namespace

TEST_CASE("C09: an argument that points at a signal declines, unless host writes are ignored") {
  const bool ignore = GENERATE(false, true);
  kreplay::Options options = Rig::fast_options();
  if (ignore) options.host_write = kreplay::Options::HostWrite::ignore;
  Rig rig(1, options);
  const Described kernel(rig, kAddOne, add_one);
  const hsa_signal_t signal = rig.gpu.make_signal(10);
  rig.replayer->memory().signal_made(signal);
  auto* object = reinterpret_cast<amd_signal_t*>(signal.handle);
  *kernel.arguments = Args{const_cast<int64_t*>(&object->value)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, kernel.arguments, {0}));
  REQUIRE(eventually([&] { return FakeGpu::value(signal) == (ignore ? 13 : 11); }));
  CHECK(rig.records_with("\"declined\",\"reason\":\"host_write\"") == (ignore ? 0 : 1));
  CHECK(rig.records_with("points at signal") == (ignore ? 0 : 1));

  CHECK(rig.replayer->memory().signal_ends(signal).has_value());
  CHECK_FALSE(rig.replayer->memory().signal_ends(signal).has_value());
  queue.submit(dispatch_packet(kAddOne, kernel.arguments, {0}));
  CHECK(rig.records_with("\"replayed\"") == (ignore ? 2 : 1));
}

TEST_CASE("C09: a buffer in argument memory that an argument points at is compared") {
  Rig rig;
  const Described kernel(rig, kAddOne, add_one);
  auto* ring = static_cast<int64_t*>(kernel.kernarg(4096));
  *kernel.arguments = Args{ring + 100};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, kernel.arguments, {0}));
  CHECK(ring[100] == 1);
  CHECK(rig.records_with("\"stopped\",\"reason\":\"host_write\"") == 1);
}

TEST_CASE("host memory in reach of a kernel nobody described is counted") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  std::vector<int64_t> host(512);
  rig.replayer->memory().locked(host.data(), host.data(), 4096);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(rig.records_with("\"unverified_bytes\":4096") == 1);
}

TEST_CASE("what arguments point at when everything ahead has ended decides") {
  constexpr uint64_t kWriteArguments = 0x7700;
  Rig rig(2);
  const Described kernel(rig, kAddOne, add_one);
  auto* own = rig.device<int64_t>(1);
  auto* peer = rig.device<int64_t>(1, 1);
  *kernel.arguments = Args{own};
  rig.tool.wants_if = [](const kreplay::tool_api::Candidate& call) { return call.kernel != nullptr; };
  rig.gpu.set_kernel(kWriteArguments, [&](void*) {
    // Not before the dispatch behind it has been looked at and waits for us.
    (void)eventually([&] { return !rig.agent().gate_open(); });
    *kernel.arguments = Args{peer};
  });
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kWriteArguments, nullptr, {0}));
  queue.submit(dispatch_packet(kAddOne, kernel.arguments, {0}));
  REQUIRE(eventually([&] { return __atomic_load_n(peer, __ATOMIC_ACQUIRE) == 1; }));
  CHECK(*own == 0);
  CHECK(rig.records_with("\"declined\",\"reason\":\"collective\"") == 1);
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
