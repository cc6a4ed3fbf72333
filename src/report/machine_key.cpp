#include "report/machine_key.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/fnv1a.hpp"

namespace kreplay::report {

Facts machine_facts(const RunInfo& info, const std::string& root) {
  constexpr uint64_t kMemoryStep = uint64_t{256} << 20;
  std::vector<RunInfo::Agent> agents = info.agents;
  std::stable_sort(agents.begin(), agents.end(),
                   [](const auto& a, const auto& b) { return a.node < b.node; });
  Facts facts;
  for (size_t i = 0; i < agents.size(); ++i) {
    const auto& agent = agents[i];
    facts.emplace_back(
        fmt::format("agent{}", i),
        fmt::format("{}, {}, {} MiB, {} compute units", agent.name, agent.product,
                    (agent.memory_bytes / kMemoryStep * kMemoryStep) >> 20, agent.compute_units));
  }
  const std::string module = root + "/sys/module/amdgpu";
  std::string driver = ::access(module.c_str(), F_OK) == 0 ? "in-tree" : "none";
  std::ifstream version(module + "/version");  // only drivers built outside the kernel's tree have one
  version >> driver;
  facts.emplace_back("driver", driver);
  return facts;
}

std::string machine_key(Facts facts) {
  std::sort(facts.begin(), facts.end());
  Fnv1a hash;
  for (const auto& [name, value] : facts) hash.mix(name).mix("=").mix(value).mix("\n");
  return fmt::format("{:016x}", hash.value());
}

}  // namespace kreplay::report
