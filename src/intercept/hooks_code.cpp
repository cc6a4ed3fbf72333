// Executables: kernels and writable segments enter at freeze and leave before destroy.

#include <vector>

#include "intercept/hook_scope.hpp"

using kreplay::intercept::Replayer;
using kreplay::intercept::process::real;

extern "C" {

KR_EXPORT hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                             hsa_code_object_reader_t code_object_reader,
                                                             const char* options,
                                                             hsa_loaded_code_object_t* loaded_code_object) {
  KR_SCOPE(hsa_executable_load_agent_code_object);
  const hsa_status_t status = hook.next().hsa_executable_load_agent_code_object(
      executable, agent, code_object_reader, options, loaded_code_object);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.code_objects().loaded(executable);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                       hsa_code_object_t code_object, const char* options) {
  KR_SCOPE(hsa_executable_load_code_object);
  const hsa_status_t status =
      hook.next().hsa_executable_load_code_object(executable, agent, code_object, options);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.code_objects().loaded(executable);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char* options) {
  KR_SCOPE(hsa_executable_freeze);
  const hsa_status_t status = hook.next().hsa_executable_freeze(executable, options);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.code_objects().frozen(executable);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  KR_SCOPE(hsa_executable_destroy);
  bool taken = false;
  bool deferred = false;
  hook.observe_release([&](Replayer& r) {
    const std::vector<kreplay::replay::Agent*> agents = r.code_objects().take(executable);
    taken = true;
    deferred =
        r.memory().hold_executable(agents, [executable] { (void)real().hsa_executable_destroy(executable); });
  });
  if (deferred) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_executable_destroy(executable);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS && taken) r.code_objects().put_back(executable);
  });
  return status;
}

}  // extern "C"
