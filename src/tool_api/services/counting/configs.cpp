#include "tool_api/services/counting/configs.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "tool_api/agents.hpp"

namespace kreplay::tool_api {

rocprofiler_status_t CounterConfig::add(const CounterDefinition& counter) {
  if (std::find(counters_.begin(), counters_.end(), &counter) != counters_.end())
    return ROCPROFILER_STATUS_SUCCESS;
  const auto needed = CounterDefinitions::current().basics(counter);
  if (!needed) return ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND;
  for (const CounterDefinition* basic : *needed) {
    if (std::any_of(basics_.begin(), basics_.end(),
                    [&](const Basic& each) { return each.definition == basic; }))
      continue;
    const Result<PmcBlock> block = library_.block(handle_, basic->block);
    if (!block) {
      log::warn("counters", "{}: {}", basic->name, block.status().message());
      return ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND;
    }
    const auto used = std::count_if(basics_.begin(), basics_.end(),
                                    [&](const Basic& each) { return each.block.id == block->id; });
    if (static_cast<uint64_t>(used) >= block->counters) return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
    basics_.push_back({basic, *block});
  }
  counters_.push_back(&counter);
  return ROCPROFILER_STATUS_SUCCESS;
}

Result<std::unique_ptr<PmcPackets>> CounterConfig::take(PacketMemory& memory) {
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<PmcPackets> packets = std::move(idle_.back());
      idle_.pop_back();
      if (&packets->memory() == &memory) return packets;
      (void)packets.release();  // of a runtime that was shut down: its memory went with it
    }
  }
  std::vector<PmcEvent> events;
  for (const Basic& basic : basics_)
    for (uint32_t instance = 0; instance < basic.block.instances; ++instance)
      events.push_back({instance, basic.definition->event, 0, basic.block.id});
  return library_.create(handle_, events, memory);
}

void CounterConfig::give(std::unique_ptr<PmcPackets> packets) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(packets));
  } catch (...) {  // out of memory: the next one makes its own
  }
}

Status CounterConfig::read(PmcPackets& packets,
                           std::vector<std::pair<const CounterDefinition*, Sample>>& out) const {
  std::map<const CounterDefinition*, std::vector<Sample>> values;
  const Status read = packets.values([&](const PmcValue& value) {
    for (const Basic& basic : basics_)
      if (basic.block.id == value.event.block && basic.definition->event == value.event.event)
        values[basic.definition].push_back({value.position, static_cast<double>(value.value)});
  });
  if (!read.ok()) return read;
  Expression::Lookup lookup = [&](const std::string& name) -> Result<std::vector<Sample>> {
    const CounterDefinition* found =
        CounterDefinitions::current().find(counters_.front()->architecture, name);
    if (found == nullptr) return Status(Error::not_found, name);
    return found->derived() ? found->parsed->evaluate(lookup) : values[found];
  };
  for (const CounterDefinition* counter : counters_) {
    Result<std::vector<Sample>> samples = lookup(counter->name);
    if (!samples) return samples.status();
    for (const Sample& sample : *samples) out.emplace_back(counter, sample);
  }
  return {};
}

rocprofiler_status_t CounterConfigs::create(rocprofiler_agent_id_t id, const rocprofiler_counter_id_t* ids,
                                            size_t count, rocprofiler_counter_config_id_t* config) {
  const rocprofiler_agent_v0_t* agent = AgentList::current().find(id);
  if (agent == nullptr) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
  if (config == nullptr || (ids == nullptr && count != 0)) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  std::vector<const CounterDefinition*> asked;
  for (size_t i = 0; i < count; ++i) {
    const CounterDefinition* counter = CounterDefinitions::current().find(ids[i].handle);
    if (counter == nullptr) return ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND;
    if (counter->architecture != agent->name) return ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT;
    asked.push_back(counter);
  }
  // Those of the set that the id names on entry come after the new ones; an unknown id is as none.
  if (const auto base = find(*config); base && base->agent().handle == id.handle)
    asked.insert(asked.end(), base->counters().begin(), base->counters().end());
  const Result<AqlProfile*> library = AqlProfile::current();
  const Result<uint64_t> handle = library ? (*library)->agent(*agent) : Result<uint64_t>(library.status());
  if (!handle) {
    log::warn("counters", "{}", handle.status().message());
    return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
  }
  auto made = std::make_shared<CounterConfig>(**library, id, *handle);
  for (const CounterDefinition* counter : asked)
    if (const rocprofiler_status_t status = made->add(*counter); status != ROCPROFILER_STATUS_SUCCESS)
      return status;
  const std::lock_guard lock(mutex_);
  config->handle = next_++;
  configs_[config->handle] = std::move(made);
  return ROCPROFILER_STATUS_SUCCESS;
}

void CounterConfigs::destroy(rocprofiler_counter_config_id_t id) {
  std::shared_ptr<CounterConfig> gone;  // freed without the lock: that calls the library
  const std::lock_guard lock(mutex_);
  const auto found = configs_.find(id.handle);
  if (found == configs_.end()) return;
  gone = std::move(found->second);
  configs_.erase(found);
}

std::shared_ptr<CounterConfig> CounterConfigs::find(rocprofiler_counter_config_id_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = configs_.find(id.handle);
  return found == configs_.end() ? nullptr : found->second;
}

}  // namespace kreplay::tool_api
