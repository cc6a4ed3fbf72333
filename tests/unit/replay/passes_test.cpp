// What is done before each pass, and what a record says about the passes it had.

#include <catch2/catch.hpp>

#include "rig.hpp"

using kreplay::tool_api::PassMode;

namespace {

constexpr uint64_t kStore = 0x1000;  ///< kernel: stores 1

struct StoreArgs {
  int64_t* target;
};

void store_one(void* kernarg) {
  __atomic_store_n(static_cast<StoreArgs*>(kernarg)->target, 1, __ATOMIC_RELEASE);
}

/// Submits one dispatch. @return records that have `text`
unsigned records_of(Rig& rig, const std::string& text) {
  rig.gpu.set_kernel(kStore, store_one);
  StoreArgs args{rig.device<int64_t>(8)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kStore, &args, {0}));
  CHECK(eventually([&] { return __atomic_load_n(args.target, __ATOMIC_ACQUIRE) == 1; }));
  return rig.records_with(text);
}

kreplay::Options flushing() {
  kreplay::Options options = Rig::fast_options();
  options.flush_caches = true;
  return options;
}

std::atomic<int> g_fills{0};
std::atomic<int> g_fail_from{INT32_MAX};
decltype(kreplay::hsa::HsaApi::hsa_agent_get_info) g_agent_info = nullptr;

/// Caches with sizes, and fills that are counted and fail from g_fail_from on.
void give_caches(FakeGpu& gpu) {
  g_fills = 0;
  g_agent_info = gpu.api.hsa_agent_get_info;
  gpu.api.hsa_agent_get_info = [](hsa_agent_t agent, hsa_agent_info_t what, void* value) {
    if (what != HSA_AGENT_INFO_CACHE_SIZE) return g_agent_info(agent, what, value);
    const uint32_t sizes[4] = {16384, 65536, 0, 0};
    std::memcpy(value, sizes, sizeof sizes);
    return HSA_STATUS_SUCCESS;
  };
  gpu.api.hsa_amd_memory_fill = [](void* at, uint32_t value, size_t count) {
    if (++g_fills >= g_fail_from) return HSA_STATUS_ERROR;
    std::fill_n(static_cast<uint32_t*>(at), count, value);
    return HSA_STATUS_SUCCESS;
  };
}

}  // namespace

TEST_CASE("a record says why there was no further pass") {
  Rig fixed;
  CHECK(records_of(fixed, "\"passes_run\":3,\"warmup\":0,\"passes_end\":\"count\",") == 1);
  Rig early;
  early.tool.go_on = [](uint64_t) { return false; };
  CHECK(records_of(early, "\"passes_run\":1,\"warmup\":0,\"passes_end\":\"tool\",") == 1);
  Rig endless;
  endless.tool.plan = {PassMode::until_stopped, 0};
  endless.tool.go_on = [](uint64_t pass) { return pass < 3; };
  CHECK(records_of(endless, "\"passes_run\":4,\"warmup\":0,\"passes_end\":\"tool\",") == 1);
}

TEST_CASE("C96: caches are flushed before each pass and not after the last one") {
  Rig rig(1, flushing());
  give_caches(rig.gpu);
  CHECK(records_of(rig, "\"outcome\":\"replayed\"") == 1);
  CHECK(rig.records_with("\"cache\":\"flush\"") == 1);
  CHECK(g_fills == 3);
}

TEST_CASE("caches that cannot be flushed decline the dispatch, or stop it when that shows later") {
  Rig blind(1, flushing());  // its agent does not tell the size of its caches
  CHECK(records_of(blind, "\"outcome\":\"declined\",\"reason\":\"cache_flush\"") == 1);
  Rig rig(1, flushing());
  give_caches(rig.gpu);
  g_fail_from = 2;
  CHECK(records_of(rig, "\"outcome\":\"stopped\",\"reason\":\"cache_flush\"") == 1);
  CHECK(rig.records_with("hsa_amd_memory_fill") == 1);
  CHECK(rig.records_with("\"passes_run\":1,") ==
        1);  // the pass that ran after memory was put back has no time
  CHECK(rig.gpu.executed().size() == 2);
  g_fail_from = INT32_MAX;
}
