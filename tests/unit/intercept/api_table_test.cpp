// The runtime's table: which slots are ours, by generation.

#define AMD_INTERNAL_BUILD
#include <hsa/hsa_api_trace.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "intercept/api_table.hpp"
#include "intercept/process.hpp"
#include "proxied.hpp"
#include "replay/thread_state.hpp"

using kreplay::hsa::EntryPoint;
using kreplay::intercept::amd_table_offset;
using kreplay::intercept::install_table;
using kreplay::replay::t_state;

namespace {

int g_calls = 0;
hsa_status_t original_free(void*) {
  ++g_calls;
  return HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/// Always static: the vendor's constructors set the versions only, and what is not set has to be null.
struct Tables {
  Tables() { container.amd_ext.hsa_amd_memory_pool_free_fn = &original_free; }
  HsaApiTableContainer container;
};

void* slot(const AmdExtTable& table, size_t offset) {
  void* value;
  std::memcpy(&value, reinterpret_cast<const char*>(&table) + offset, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("positions in the AMD table of both majors") {
  const auto position = [](EntryPoint entry, uint32_t major) {
    return (amd_table_offset(entry, major) - sizeof(ApiTableVersion)) / sizeof(void*) + 1;
  };
  CHECK(position(EntryPoint::hsa_amd_profiling_set_profiler_enabled, 1) == 3);
  CHECK(position(EntryPoint::hsa_amd_profiling_set_profiler_enabled, 2) == 3);
  CHECK(position(EntryPoint::hsa_amd_queue_cu_set_mask, 2) == 11);
  CHECK(position(EntryPoint::hsa_amd_memory_pool_allocate, 2) == 14);
  CHECK(position(EntryPoint::hsa_amd_memory_pool_free, 2) == 15);
  CHECK(position(EntryPoint::hsa_amd_queue_set_priority, 1) == 38);
  CHECK(position(EntryPoint::hsa_amd_queue_set_priority, 2) == 40);
  CHECK(position(EntryPoint::hsa_amd_queue_cu_get_mask, 1) == 48);
  CHECK(position(EntryPoint::hsa_amd_queue_cu_get_mask, 2) == 53);
  // Entries that only newer runtimes have; the offsets are those of the jumps in their exported functions.
  CHECK(position(EntryPoint::hsa_amd_memory_async_copy_on_engine, 2) == 17);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_handle_create, 2) == 0x1d8);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_map, 2) == 0x1e8);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_unmap, 2) == 0x1f0);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_set_access, 2) == 0x1f8);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_ipc_memory_create, 1) == 0xf0);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_ipc_memory_create, 2) == 0x100);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_portable_export_dmabuf, 2) == 0x1b8);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_portable_export_dmabuf_v2, 2) == 0x258);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_export_shareable_handle, 2) == 0x208);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_import_shareable_handle, 2) == 0x210);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_retain_alloc_handle, 2) == 0x218);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_queue_get_info, 2) == 0x230);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_ais_file_read, 2) == 0x268);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_vmem_map, 1) == 0);
  CHECK(amd_table_offset(EntryPoint::hsa_amd_queue_set_priority, 3) == 0);
  CHECK(amd_table_offset(EntryPoint::hsa_queue_create, 1) == 0);
}

TEST_CASE(
    "installing: originals are saved, installing again changes nothing, unknown majors are left alone") {
  static Tables tables;
  auto& amd = tables.container.amd_ext;
  const unsigned count = install_table(&tables.container.root);
  CHECK(count > 50);
  CHECK(amd.hsa_amd_memory_pool_free_fn != &original_free);
  CHECK(kreplay::intercept::process::g_table.load()->hsa_amd_memory_pool_free == &original_free);
  CHECK(install_table(&tables.container.root) == count);
  CHECK(kreplay::intercept::process::g_table.load()->hsa_amd_memory_pool_free == &original_free);

  static Tables newer;
  newer.container.amd_ext.version.major_id = 3;
  newer.container.root.version.major_id = 1;
  install_table(&newer.container.root);
  CHECK(newer.container.amd_ext.hsa_amd_memory_pool_free_fn == &original_free);

  static Tables shorter;  // a table that ends before the entry
  shorter.container.amd_ext.version.minor_id = 16 + 14 * 8;
  install_table(&shorter.container.root);
  CHECK(shorter.container.amd_ext.hsa_amd_memory_pool_free_fn == &original_free);

  static Tables major2;
  major2.container.amd_ext.version.major_id = 2;
  void* const before_38 = slot(major2.container.amd_ext, 16 + 37 * 8);
  install_table(&major2.container.root);
  CHECK(slot(major2.container.amd_ext, 16 + 37 * 8) == before_38);  // intercept_create there, not ours

  CHECK(install_table(nullptr) == 0);
}

TEST_CASE("C84: a call is observed once, whichever way it comes") {
  static Tables tables;
  install_table(&tables.container.root);
  auto* thunk = tables.container.amd_ext.hsa_amd_memory_pool_free_fn;
  g_calls = 0;
  // Through the table: the hook runs and goes on to the original.
  CHECK(thunk(nullptr) == HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK(g_calls == 1);
  CHECK_FALSE(t_state.from_table);
  CHECK(t_state.expected_entry == 0);
  // From the exported hook by way of the runtime's export: straight to the original, once.
  t_state.expected_entry = static_cast<uint16_t>(EntryPoint::hsa_amd_memory_pool_free) + 1;
  CHECK(thunk(nullptr) == HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK(g_calls == 2);
  CHECK(t_state.expected_entry == 0);
  // Work of our own is never observed.
  const kreplay::replay::OursScope ours;
  CHECK(thunk(nullptr) == HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK(g_calls == 3);
}

TEST_CASE(
    "C84: a doorbell rung through the table leaves no note for the calls of callbacks, or for later ones") {
  static Tables tables;
  install_table(&tables.container.root);
  CoreApiTable& core = tables.container.core;
  Rig rig;
  rig.gpu.set_kernel(0x1000, [](void*) {});
  Proxied q(rig);
  bool noted = false;
  rig.tool.on_event = [&](const std::string&) { noted = noted || t_state.from_table; };
  const hsa_signal_t doorbell = q.shown().doorbell_signal;
  for (auto* store : {core.hsa_signal_store_relaxed_fn, core.hsa_signal_store_screlease_fn}) {
    const uint64_t at = core.hsa_queue_add_write_index_relaxed_fn(&q.shown(), 1);
    CHECK_FALSE(t_state.from_table);
    q.publish(at, dispatch_packet(0x1000, nullptr, {0}));
    store(doorbell, static_cast<hsa_signal_value_t>(at));
    CHECK_FALSE(t_state.from_table);
  }
  CHECK_FALSE(rig.tool.events().empty());
  CHECK_FALSE(noted);
  (void)core.hsa_queue_load_read_index_relaxed_fn(&q.shown());
  (void)core.hsa_queue_load_write_index_scacquire_fn(&q.shown());
  core.hsa_queue_store_write_index_relaxed_fn(&q.shown(), 2);
  CHECK(core.hsa_queue_cas_write_index_scacq_screl_fn(&q.shown(), 9, 9) == 2);
  CHECK_FALSE(t_state.from_table);
}

TEST_CASE("without a runtime exported functions fail instead of crashing") {
  CHECK(hsa_init() == HSA_STATUS_ERROR);
  uint32_t value = 0;
  CHECK(hsa_agent_get_info({0}, HSA_AGENT_INFO_NODE, &value) == HSA_STATUS_ERROR);
}
