// Statements about several agents; needs two GPUs.
#include "support/stack/stage.hpp"

using namespace stack;  // NOLINT(google-build-using-namespace): test code

namespace {

/// The second GPU, seen as the first one by the helpers.
e2e::Agents second_gpu(const e2e::Agents& first) {
  struct Search {
    e2e::Agents agents;
    hsa_agent_t first;
  } search{first, first.gpu};
  HSA_OK(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        auto& found = *static_cast<Search*>(data);
        hsa_device_type_t type;
        HSA_OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        if (type == HSA_DEVICE_TYPE_GPU && agent.handle != found.first.handle) found.agents.gpu = agent;
        return HSA_STATUS_SUCCESS;
      },
      &search));
  REQUIRE(search.agents.gpu.handle != first.gpu.handle);
  HSA_OK(hsa_amd_agent_iterate_memory_pools(
      search.agents.gpu,
      [](hsa_amd_memory_pool_t pool, void* data) {
        auto& agents = *static_cast<e2e::Agents*>(data);
        hsa_amd_segment_t segment;
        uint32_t flags = 0;
        HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
        if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
        HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
        if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0) agents.device = pool;
        return HSA_STATUS_SUCCESS;
      },
      &search.agents));
  return search.agents;
}

}  // namespace

TEST_CASE("K29_K30_agents_do_not_wait_for_each_other_and_are_saved_apart") {
  Stage stage;
  const e2e::Agents agents = second_gpu(stage.m.agents);
  const e2e::CodeObject code(agents);
  const e2e::Kernel count_passes = code.kernel("count_passes");
  e2e::Queue queue(agents);
  unsigned* there = e2e::to_device(agents, std::vector<unsigned>{0});
  unsigned* executed = e2e::allocate<unsigned>(agents, agents.host, 1);
  *executed = 0;
  SECTION("a window of the other agent opens and closes inside this one's") {
    const std::thread::id here = std::this_thread::get_id();
    stage.tool.on_callback = [&, here](Record record, Payload& payload, rocprofiler_user_data_t*) {
      const bool outer = std::this_thread::get_id() == here;
      if (is(record, true, true)) payload.replay_pass_count = outer ? passes<3> : passes<2>;
      if (outer && is(record, false, false) && payload.current_pass == 0)
        std::thread([&] { stage.m.run_on(queue, count_passes, executed, there); }).join();
    };
    stage.dispatch();
    CHECK(stage.executions() == 3);
    CHECK(__atomic_load_n(executed, __ATOMIC_ACQUIRE) == 2);
    for (const auto& record : stage.m.take_records()) {
      CHECK(record["outcome"] == "replayed");
      CHECK(record["reason"] == "none");
    }
  }
  SECTION("memory of the other agent is not put back") {
    stage.plan(passes<3>, nullptr, [&](Record record, Payload& payload, rocprofiler_user_data_t*) {
      if (!is(record, false, false) || payload.current_pass != 0) return;
      const unsigned value = 1;
      std::thread([&] { e2e::copy(agents, there, &value, sizeof value); }).join();
    });
    stage.dispatch();
    CHECK(stage.executions() == 3);
  }
  CHECK(e2e::from_device(agents, there, 1)[0] == 1);
  CHECK(stage.result() == 1);
  HSA_OK(hsa_amd_memory_pool_free(there));
  HSA_OK(hsa_amd_memory_pool_free(executed));
}
