// Shared virtual memory: the application's own pages, which agents see where the CPU does. There is no free:
// what was shared once stays known, and is read with care (replay/host_writes). Prefetches are copies:
// hooks_copy.cpp.

#include <algorithm>

#include "intercept/hook_scope.hpp"

namespace kreplay::intercept {
namespace {

/// Whether the list gives some agent access.
bool grants_access(const hsa_amd_svm_attribute_pair_t* list, size_t count) {
  return std::any_of(list, list + count, [](const hsa_amd_svm_attribute_pair_t& pair) {
    return pair.attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
           pair.attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
  });
}

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::Replayer;

extern "C" {

KR_EXPORT hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size,
                                                  hsa_amd_svm_attribute_pair_t* attribute_list,
                                                  size_t attribute_count) {
  KR_SCOPE(hsa_amd_svm_attributes_set);
  const hsa_status_t status =
      hook.next().hsa_amd_svm_attributes_set(ptr, size, attribute_list, attribute_count);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS && size != 0 &&
        kreplay::intercept::grants_access(attribute_list, attribute_count))
      r.memory().shared(ptr, size);
  });
  return status;
}

}  // extern "C"
