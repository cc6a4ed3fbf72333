// Exported: counters, sets of counters, and dispatch counting.
#include <algorithm>
#include <map>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/api_checks.hpp"
#include "tool_api/guard.hpp"
#include "tool_api/services/counting/counter_info.hpp"
#include "tool_api/services/services.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

extern "C" {

rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(rocprofiler_agent_id_t agent_id,
                                                                  rocprofiler_available_counters_cb_t cb,
                                                                  void* user_data) {
  return guarded("rocprofiler_iterate_agent_supported_counters", [&] {
    const rocprofiler_agent_v0_t* agent = AgentList::current().find(agent_id);
    if (agent == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    if (cb == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<rocprofiler_counter_id_t> ids;
    for (const CounterDefinition* each : CounterDefinitions::current().of(agent->name))
      ids.push_back({each->id});
    if (ids.empty()) return ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED;
    return cb(agent_id, ids.data(), ids.size(), user_data);
  });
}

rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t counter_id,
                                                    rocprofiler_counter_info_version_id_t version,
                                                    void* info) {
  return guarded("rocprofiler_query_counter_info", [&] {
    const CounterDefinition* counter = CounterDefinitions::current().find(counter_id.handle);
    if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    if (info == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    switch (number_of(version)) {
      case ROCPROFILER_COUNTER_INFO_VERSION_0:
        *static_cast<rocprofiler_counter_info_v0_t*>(info) = counter_info_v0(*counter);
        return ROCPROFILER_STATUS_SUCCESS;
      case ROCPROFILER_COUNTER_INFO_VERSION_1: {
        const CounterInfo* known = CounterInfo::of(*counter);
        if (known == nullptr) return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
        known->fill(*static_cast<rocprofiler_counter_info_v1_t*>(info));
        return ROCPROFILER_STATUS_SUCCESS;
      }
      default:
        return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
    }
  });
}

rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                                         rocprofiler_counter_id_t* counter_id) {
  if (counter_id == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  counter_id->handle = id >> 48;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t id,
                                                                 rocprofiler_counter_dimension_id_t dim,
                                                                 size_t* pos) {
  if (pos == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  constexpr uint64_t kFields = (uint64_t{1} << 48) - 1;
  *pos = dim == 0 ? id & kFields : dim > 8 ? 0 : (id & kFields) >> (dim - 1) * 6 & 63;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_counter_dimensions(rocprofiler_counter_id_t id,
                                                            rocprofiler_available_dimensions_cb_t info_cb,
                                                            void* user_data) {
  return guarded("rocprofiler_iterate_counter_dimensions", [&] {
    const CounterDefinition* counter = CounterDefinitions::current().find(id.handle);
    if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    const CounterInfo* known = CounterInfo::of(*counter);
    if (known == nullptr) return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
    if (info_cb == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    (void)info_cb(id, known->dimensions().data(), known->dimensions().size(), user_data);
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
                                                              rocprofiler_counter_id_t counter_id,
                                                              size_t* instance_count) {
  return guarded("rocprofiler_query_counter_instance_count", [&] {
    if (no_agent(agent_id)) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    const CounterDefinition* counter = CounterDefinitions::current().find(counter_id.handle);
    if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    if (instance_count == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const CounterInfo* known = CounterInfo::of(*counter);
    if (known == nullptr) return ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND;
    *instance_count = known->instances();
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_create_counter(const char* name, size_t name_len, const char* expr,
                                                size_t expr_len, rocprofiler_agent_id_t agent,
                                                const char* description, size_t description_len,
                                                rocprofiler_counter_id_t* counter_id) {
  return guarded("rocprofiler_create_counter", [&] {
    const rocprofiler_agent_v0_t* found = AgentList::current().find(agent);
    if (found == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    if (name == nullptr || expr == nullptr || counter_id == nullptr)
      return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const auto added = CounterDefinitions::current().add(
        found->name, {name, name_len}, {expr, expr_len},
        description != nullptr ? std::string(description, description_len) : std::string());
    if (!added) {
      kreplay::log::warn("rocprofiler_create_counter", "{}", added.status().message());
      return added.error() == kreplay::Error::invalid_argument
                 ? ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT
                 : ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED;
    }
    counter_id->handle = (*added)->id;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_load_counter_definition(const char*, size_t, rocprofiler_counter_flag_t) {
  return guarded("rocprofiler_load_counter_definition", [&] {
    Registry::current().tell_refused({0}, "counter definitions from YAML",
                                     "the library has its own table; rocprofiler_create_counter adds to it");
    return kMissing;
  });
}

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t* counters_list,
                                                       size_t counters_count,
                                                       rocprofiler_counter_config_id_t* config_id) {
  return guarded("rocprofiler_create_counter_config", [&] {
    return Registry::current().services().configs.create(agent_id, counters_list, counters_count, config_id);
  });
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id) {
  return guarded("rocprofiler_destroy_counter_config", [&] {
    Registry::current().services().configs.destroy(config_id);
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_dispatch_counting_service_cb_t dispatch_callback,
    void* dispatch_callback_args, rocprofiler_dispatch_counting_record_cb_t record_callback,
    void* record_callback_args) {
  return guarded("rocprofiler_configure_callback_dispatch_counting_service", [&] {
    if (no_context(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (dispatch_callback == nullptr || record_callback == nullptr)
      return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    return Registry::current().configure_counting(
        context_id,
        {dispatch_callback, dispatch_callback_args, record_callback, record_callback_args, nullptr});
  });
}

rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_dispatch_counting_service_cb_t callback, void* callback_data_args) {
  return guarded("rocprofiler_configure_buffer_dispatch_counting_service", [&] {
    if (no_context(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
    if (callback == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    std::shared_ptr<Buffer> buffer = Registry::current().services().buffers.find(buffer_id);
    if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    return Registry::current().configure_counting(
        context_id, {callback, callback_data_args, nullptr, nullptr, std::move(buffer)});
  });
}

rocprofiler_status_t rocprofiler_dispatch_counting_service_set_agents(rocprofiler_context_id_t context_id,
                                                                      const rocprofiler_agent_id_t* agents,
                                                                      size_t agents_count) {
  return guarded("rocprofiler_dispatch_counting_service_set_agents", [&] {
    if (agents == nullptr && agents_count != 0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<uint64_t> list;
    for (size_t i = 0; i < agents_count; ++i) {
      if (no_agent(agents[i])) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
      list.push_back(agents[i].handle);
    }
    return Registry::current().set_counting_agents(context_id, std::move(list));
  });
}

}  // extern "C"
