// Start and end of the runtime, and the functions that hand out function pointers.

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hsa/agent_info.hpp"
#include "intercept/api_table.hpp"
#include "intercept/hook_scope.hpp"

namespace kreplay::intercept {
namespace {

/// The image functions of the extension's table go round the exported names: put ours in.
/// @param length bytes of `table` that are valid
void patch_images(uint16_t extension, void* table, size_t length) {
  if (extension != HSA_EXTENSION_IMAGES || table == nullptr) return;
  const auto put = [&](size_t offset, auto* function) {
    if (offset + sizeof function > length) return;
    void* current = nullptr;
    std::memcpy(&current, static_cast<char*>(table) + offset, sizeof current);
    if (current == nullptr) return;
    std::memcpy(static_cast<char*>(table) + offset, &function, sizeof function);
  };
  put(offsetof(hsa_ext_images_1_pfn_t, hsa_ext_image_copy), &::hsa_ext_image_copy);
  put(offsetof(hsa_ext_images_1_pfn_t, hsa_ext_image_import), &::hsa_ext_image_import);
  put(offsetof(hsa_ext_images_1_pfn_t, hsa_ext_image_export), &::hsa_ext_image_export);
  put(offsetof(hsa_ext_images_1_pfn_t, hsa_ext_image_clear), &::hsa_ext_image_clear);
}
static_assert(offsetof(hsa_ext_images_1_pfn_t, hsa_ext_image_clear) ==
              offsetof(hsa_ext_images_1_00_pfn_t, hsa_ext_image_clear));

}  // namespace
}  // namespace kreplay::intercept

namespace process = kreplay::intercept::process;

extern "C" {

KR_EXPORT hsa_status_t hsa_init() {
  KR_SCOPE(hsa_init);
  kreplay::intercept::accept_registered_tables();  // another library's constructor may be before ours
  // The runtime may have been closed and opened again since.
  (void)process::bind(true);
  const auto function = hook.next().hsa_init;
  if (function == nullptr) return HSA_STATUS_ERROR;
  const hsa_status_t status = function();
  if (kreplay::replay::t_state.ours != 0) return status;
  if (status == HSA_STATUS_SUCCESS)
    process::initialised();
  else
    process::init_failed(status);
  return status;
}

KR_EXPORT hsa_status_t hsa_shut_down() {
  KR_SCOPE(hsa_shut_down);
  const bool observed = kreplay::replay::t_state.ours == 0 && !process::forked();
  if (observed) process::before_shut_down();
  const hsa_status_t status = hook.next().hsa_shut_down();
  if (observed && status == HSA_STATUS_SUCCESS) process::after_shut_down();
  return status;
}

KR_EXPORT hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  KR_SCOPE(hsa_agent_get_info);
  const auto function = hook.next().hsa_agent_get_info;
  if (function == nullptr) return HSA_STATUS_ERROR;
  const hsa_status_t status = function(agent, attribute, value);
  if (status != HSA_STATUS_SUCCESS || !kreplay::hsa::is_memory_avail(attribute)) return status;
  // A shadow gives way to the program, so the program is not to see it.
  hook.observe([&](kreplay::replay::Replayer& r) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, value, sizeof bytes);
    bytes += r.memory().shadow_bytes(agent);
    std::memcpy(value, &bytes, sizeof bytes);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                                      uint16_t version_minor, void* table) {
  KR_SCOPE(hsa_system_get_extension_table);
  const hsa_status_t status =
      hook.next().hsa_system_get_extension_table(extension, version_major, version_minor, table);
  hook.observe([&](kreplay::intercept::Replayer&) {
    if (status == HSA_STATUS_SUCCESS)
      kreplay::intercept::patch_images(extension, table, sizeof(hsa_ext_images_1_00_pfn_t));
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major,
                                                            size_t table_length, void* table) {
  KR_SCOPE(hsa_system_get_major_extension_table);
  const hsa_status_t status =
      hook.next().hsa_system_get_major_extension_table(extension, version_major, table_length, table);
  hook.observe([&](kreplay::intercept::Replayer&) {
    if (status == HSA_STATUS_SUCCESS) kreplay::intercept::patch_images(extension, table, table_length);
  });
  return status;
}

}  // extern "C"
