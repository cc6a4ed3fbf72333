#include "tool_api/services/counting/counter_info.hpp"

#include <map>
#include <mutex>

#include "base/log.hpp"
#include "tool_api/agents.hpp"
#include "tool_api/services/counting/aqlprofile.hpp"

namespace kreplay::tool_api {
namespace {

constexpr const char* kDimensionNames[] = {
    "DIMENSION_NONE",  "DIMENSION_XCC",          "DIMENSION_AID", "DIMENSION_SHADER_ENGINE",
    "DIMENSION_AGENT", "DIMENSION_SHADER_ARRAY", "DIMENSION_WGP", "DIMENSION_INSTANCE"};

const rocprofiler_agent_v0_t* agent_of(const std::string& architecture) {
  for (const void* each : AgentList::current().pointers()) {
    const auto* agent = static_cast<const rocprofiler_agent_v0_t*>(each);
    if (agent->type == ROCPROFILER_AGENT_TYPE_GPU && architecture == agent->name) return agent;
  }
  return nullptr;
}

/// Of a basic counter. @return empty, with a line, when they cannot be told
std::vector<AqlProfile::Dimension> dimensions_of(const CounterDefinition& counter) {
  const rocprofiler_agent_v0_t* agent = agent_of(counter.architecture);
  if (agent == nullptr) return {};
  const auto ask = [&]() -> Result<std::vector<AqlProfile::Dimension>> {
    Result<AqlProfile*> library = AqlProfile::current();
    if (!library) return library.status();
    Result<uint64_t> handle = (*library)->agent(*agent);
    if (!handle) return handle.status();
    Result<PmcBlock> block = (*library)->block(*handle, counter.block);
    if (!block) return block.status();
    return (*library)->dimensions(*handle, {0, counter.event, 0, block->id});
  };
  Result<std::vector<AqlProfile::Dimension>> found = ask();
  if (found) return *found;
  log::warn("counters", "{}: {}", counter.name, found.status().message());
  return {};
}

}  // namespace

rocprofiler_counter_info_v0_t counter_info_v0(const CounterDefinition& counter) {
  rocprofiler_counter_info_v0_t out = {};
  out.id = {counter.id};
  out.name = counter.name.c_str();
  out.description = counter.description.c_str();
  out.block = counter.block.c_str();
  out.expression = counter.expression.c_str();
  out.is_derived = counter.derived() ? 1 : 0;
  return out;
}

const CounterInfo* CounterInfo::of(const CounterDefinition& counter) {
  static std::mutex mutex;
  static auto* known = new std::map<uint64_t, std::unique_ptr<CounterInfo>>;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known->find(counter.id); found != known->end()) return found->second.get();
  }
  std::unique_ptr<CounterInfo> made(new CounterInfo(counter));
  if (counter.derived()) {
    made->dimensions_.push_back({kDimensionNames[0], 1, 0});
  } else {
    for (const AqlProfile::Dimension& dimension : dimensions_of(counter))
      if (dimension.number < std::size(kDimensionNames))
        made->dimensions_.push_back({kDimensionNames[dimension.number], dimension.extent, dimension.number});
    if (made->dimensions_.empty()) return nullptr;
  }
  made->make_instances();
  const std::lock_guard lock(mutex);
  auto& slot = (*known)[counter.id];
  if (!slot) slot = std::move(made);
  return slot.get();
}

void CounterInfo::make_instances() {
  for (const auto& dimension : dimensions_) dimension_pointers_.push_back(&dimension);
  size_t count = 1;
  for (const auto& dimension : dimensions_) count *= dimension.instance_size;
  for (size_t n = 0; n < count; ++n) {
    auto instance = std::make_unique<Instance>();
    uint64_t id = counter_.id << 48;
    size_t rest = n;
    for (size_t d = dimensions_.size(); d-- > 0;) {  // the last one varies fastest
      const auto& dimension = dimensions_[d];
      const uint64_t at = rest % dimension.instance_size;
      rest /= dimension.instance_size;
      if (dimension.id != 0) id |= at << (dimension.id - 1) * 6;
      instance->positions.insert(instance->positions.begin(),
                                 {sizeof(rocprofiler_counter_dimension_info_t), dimension.name, at});
    }
    for (const auto& position : instance->positions) instance->pointers.push_back(&position);
    instance->info = {
        sizeof instance->info, id, {counter_.id}, instance->pointers.size(), instance->pointers.data()};
    instance_pointers_.push_back(&instance->info);
    instances_.push_back(std::move(instance));
  }
}

void CounterInfo::fill(rocprofiler_counter_info_v1_t& info) const {
  const rocprofiler_counter_info_v0_t v0 = counter_info_v0(counter_);
  info = {};
  info.size = sizeof info;
  info.id = v0.id;
  info.name = v0.name;
  info.description = v0.description;
  info.block = v0.block;
  info.expression = v0.expression;
  info.is_derived = v0.is_derived;
  info.dimensions_count = dimension_pointers_.size();
  info.dimensions =
      const_cast<const rocprofiler_counter_record_dimension_info_t**>(dimension_pointers_.data());
  info.dimensions_instances_count = instance_pointers_.size();
  info.dimensions_instances = instance_pointers_.data();
}

}  // namespace kreplay::tool_api
