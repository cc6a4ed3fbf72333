#include "intercept/api_table.hpp"

// The trace header names its neighbours without a folder when built as part of the runtime; that form is
// found beside it.
#define AMD_INTERNAL_BUILD
#include <hsa/hsa_api_trace.h>

#include <cstring>
#include <iterator>
#include <mutex>
#include <new>

#include "base/check.hpp"
#include "intercept/exports.hpp"
#include "intercept/process.hpp"
#include "intercept/proxy_arena.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::intercept {
namespace {

using hsa::EntryPoint;
using hsa::HsaApi;

/// Entries that answer by themselves for a proxied queue or its doorbell, without a HookScope that would take
/// note of where the call came from.
constexpr bool answers_for_proxies(EntryPoint entry) {
  switch (entry) {
    case EntryPoint::hsa_signal_store_relaxed:
    case EntryPoint::hsa_signal_store_screlease:
    case EntryPoint::hsa_signal_silent_store_relaxed:
    case EntryPoint::hsa_signal_silent_store_screlease:
    case EntryPoint::hsa_queue_load_read_index_relaxed:
    case EntryPoint::hsa_queue_load_read_index_scacquire:
    case EntryPoint::hsa_queue_load_write_index_relaxed:
    case EntryPoint::hsa_queue_load_write_index_scacquire:
    case EntryPoint::hsa_queue_store_write_index_relaxed:
    case EntryPoint::hsa_queue_store_write_index_screlease:
    case EntryPoint::hsa_queue_add_write_index_relaxed:
    case EntryPoint::hsa_queue_add_write_index_scacquire:
    case EntryPoint::hsa_queue_add_write_index_screlease:
    case EntryPoint::hsa_queue_add_write_index_scacq_screl:
    case EntryPoint::hsa_queue_cas_write_index_relaxed:
    case EntryPoint::hsa_queue_cas_write_index_scacquire:
    case EntryPoint::hsa_queue_cas_write_index_screlease:
    case EntryPoint::hsa_queue_cas_write_index_scacq_screl:
      return true;
    default:
      return false;
  }
}

template <typename First, typename... Rest>
bool is_proxied(First first, Rest...) {
  return arena::find(first) != nullptr;
}

/// What stands in the table: hands the call to the exported hook, unless the call came from there.
template <EntryPoint Entry, auto Member, auto Exported>
struct Thunk;

template <EntryPoint Entry, typename R, typename... A, R (*HsaApi::*Member)(A...), R (*Exported)(A...)>
struct Thunk<Entry, Member, Exported> {
  static R call(A... args) {
    replay::ThreadState& thread = replay::t_state;
    constexpr uint16_t kMark = static_cast<uint16_t>(static_cast<uint16_t>(Entry) + 1);
    if (thread.expected_entry == kMark || thread.ours != 0) {
      thread.expected_entry = 0;  // once: what the runtime calls back from inside is observed again
      return (process::g_table.load(std::memory_order_acquire)->*Member)(args...);
    }
    // Left set, the note would stand for the next exported call: one of a callback in there, say, which would
    // then skip tools that patched the table after us.
    if constexpr (answers_for_proxies(Entry))
      if (is_proxied(args...)) return Exported(args...);
    thread.from_table = true;
    return Exported(args...);
  }
};

/// Offset of the member for `fn` in sub-table T, 0 when T has none.
#define KR_HOOK(fn)                                       \
  template <typename T>                                   \
  constexpr uint32_t offset_of_##fn() {                   \
    if constexpr (requires(T table) { table.fn##_fn; })   \
      return static_cast<uint32_t>(offsetof(T, fn##_fn)); \
    else                                                  \
      return 0;                                           \
  }
#include "hsa/entry_points.def"

/// Position in the AMD table of major 2, counted from 1, of entries that the build header's table lacks. The
/// list only grows at its end. Source: the header of ROCr 6.4, and the jumps of the exported functions
/// of 6.1, 6.4 and 7.2.
constexpr uint32_t later_position(EntryPoint entry) {
  switch (entry) {
    case EntryPoint::hsa_amd_memory_async_copy_on_engine:
      return 17;
    case EntryPoint::hsa_amd_portable_export_dmabuf:
      return 54;
    case EntryPoint::hsa_amd_vmem_handle_create:
      return 58;
    case EntryPoint::hsa_amd_vmem_handle_release:
      return 59;
    case EntryPoint::hsa_amd_vmem_map:
      return 60;
    case EntryPoint::hsa_amd_vmem_unmap:
      return 61;
    case EntryPoint::hsa_amd_vmem_set_access:
      return 62;
    case EntryPoint::hsa_amd_vmem_export_shareable_handle:
      return 64;
    case EntryPoint::hsa_amd_vmem_import_shareable_handle:
      return 65;
    case EntryPoint::hsa_amd_vmem_retain_alloc_handle:
      return 66;
    case EntryPoint::hsa_amd_queue_get_info:
      return 69;
    case EntryPoint::hsa_amd_portable_export_dmabuf_v2:
      return 74;
    case EntryPoint::hsa_amd_ais_file_read:
      return 76;
    default:
      return 0;
  }
}

struct Row {
  EntryPoint entry;
  uint32_t core;  ///< byte offsets in the layouts of major 1; 0 = not in that sub-table
  uint32_t amd;
  uint32_t image;
  void* thunk;
  void (*save)(HsaApi& saved, void* original);
};

template <auto Member>
void save_member(HsaApi& saved, void* original) {
  std::memcpy(&(saved.*Member), &original, sizeof original);
}

const Row kRows[] = {
#define KR_HOOK(fn)                                                              \
  Row{EntryPoint::fn,                                                            \
      offset_of_##fn<CoreApiTable>(),                                            \
      offset_of_##fn<AmdExtTable>(),                                             \
      offset_of_##fn<ImageExtTable>(),                                           \
      reinterpret_cast<void*>(&Thunk<EntryPoint::fn, &HsaApi::fn, &::fn>::call), \
      &save_member<&HsaApi::fn>},
#include "hsa/entry_points.def"
};

/// Position in the AMD table of major 2, counted from 1 after the version header. Source: hsa_api_trace.h
/// of both majors: two entries were inserted after position 16, three more before the last one.
constexpr uint32_t position_in_major_2(uint32_t position) {
  if (position <= 16) return position;
  return position < 48 ? position + 2 : 53;
}
static_assert(position_in_major_2(3) == 3 && position_in_major_2(15) == 15 && position_in_major_2(36) == 38 &&
              position_in_major_2(38) == 40 && position_in_major_2(40) == 42 &&
              position_in_major_2(48) == 53);

uint32_t amd_offset(const Row& row, uint32_t major) {
  if (major == 1) return row.amd;
  if (major != 2) return 0;
  const uint32_t position =
      row.amd == 0 ? later_position(row.entry)
                   : position_in_major_2(
                         static_cast<uint32_t>((row.amd - sizeof(ApiTableVersion)) / sizeof(void*)) + 1);
  if (position == 0) return 0;
  return static_cast<uint32_t>(sizeof(ApiTableVersion) + (position - 1) * sizeof(void*));
}

unsigned patch(ApiTableVersion* table, uint32_t offset, const Row& row, HsaApi& saved) {
  if (table == nullptr || offset == 0 || offset + sizeof(void*) > table->minor_id) return 0;
  void** slot = reinterpret_cast<void**>(reinterpret_cast<char*>(table) + offset);
  if (*slot == row.thunk) return 1;  // ours already: what was saved then still holds
  row.save(saved, *slot);
  __atomic_store_n(slot, row.thunk, __ATOMIC_RELEASE);
  return 1;
}

}  // namespace

uint32_t amd_table_offset(EntryPoint entry, uint32_t major) {
  for (const Row& row : kRows)
    if (row.entry == entry) return amd_offset(row, major);
  return 0;
}

unsigned install_table(void* table_pointer) {
  auto* table = static_cast<HsaApiTable*>(table_pointer);
  if (table == nullptr || table->version.major_id == 0 || table->version.major_id > 3) return 0;
  static std::mutex mutex;  // two threads may load tools of two runtimes
  const std::lock_guard lock(mutex);

  const HsaApi* before = process::g_table.load(std::memory_order_acquire);
  // Old copies are kept: a thread may be about to call through one.
  struct Kept : HsaApi {
    const HsaApi* before = nullptr;
  };
  auto* saved = new (std::nothrow) Kept;
  if (saved == nullptr) return 0;
  if (before != nullptr) static_cast<HsaApi&>(*saved) = *before;
  saved->before = before;
  const auto sub_table = [&](auto* HsaApiTable::*member) -> ApiTableVersion* {
    const size_t offset =
        reinterpret_cast<const char*>(&(table->*member)) - reinterpret_cast<const char*>(table);
    if (offset + sizeof(void*) > table->version.minor_id || table->*member == nullptr) return nullptr;
    ApiTableVersion* version = &(table->*member)->version;
    return version->major_id == 1 || version->major_id == 2 ? version : nullptr;
  };
  ApiTableVersion* core = sub_table(&HsaApiTable::core_);
  ApiTableVersion* amd = sub_table(&HsaApiTable::amd_ext_);
  ApiTableVersion* image = sub_table(&HsaApiTable::image_ext_);
  // The originals must be there before the first thunk can be called.
  process::g_table.store(saved, std::memory_order_release);
  unsigned count = 0;
  for (const Row& row : kRows) {
    count += patch(core, row.core, row, *saved);
    if (amd != nullptr) count += patch(amd, amd_offset(row, amd->major_id), row, *saved);
    count += patch(image, row.image, row, *saved);
  }
  KR_CHECK(count <= std::size(kRows), "an entry point stands in one sub-table");
  return count;
}

}  // namespace kreplay::intercept
