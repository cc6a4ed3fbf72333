#include "cli/policy.hpp"

namespace kreplay::cli {

KernelLimit limit_for(const Policy& policy, const ShapeKey& key) {
  KernelLimit out{policy.limit, false};
  for (const KernelRule& rule : policy.rules) {
    if (!rule.grid.empty() && rule.grid != dimensions(key.grid)) continue;
    if (!rule.name.found_in(key.kernel)) continue;
    out.limit.relative = rule.relative.value_or(out.limit.relative);
    out.limit.absolute_ns = rule.absolute_ns.value_or(out.limit.absolute_ns);
    if (rule.per_run_ns) out.limit.per_run_ns = rule.per_run_ns;
    out.ignore = rule.ignore;
  }
  return out;
}

std::string normalised(const Policy& policy, const std::string& name) {
  std::string out = name;
  for (const Rename& rename : policy.renames) out = rename.match.replaced_in(out, rename.replace);
  return out.empty() ? name : out;
}

void normalise_names(const Policy& policy, Results* results) {
  if (policy.renames.empty()) return;
  std::map<std::string, std::string> names;
  const auto renamed = [&](const std::string& name) -> const std::string& {
    const auto [place, added] = names.try_emplace(name);
    if (added) place->second = normalised(policy, name);
    return place->second;
  };
  std::map<ShapeKey, Samples> samples;
  for (const auto& [key, value] : results->samples)
    samples[{renamed(key.kernel), key.grid, key.workgroup}].add(value);
  results->samples = std::move(samples);
  std::map<ShapeKey, uint64_t> impossible;
  for (const auto& [key, count] : results->impossible_passes)
    impossible[{renamed(key.kernel), key.grid, key.workgroup}] += count;
  results->impossible_passes = std::move(impossible);
  std::map<std::string, Facts> facts;
  for (const auto& [kernel, of_kernel] : results->facts)
    for (const auto& [name, values] : of_kernel)
      facts[renamed(kernel)][name].insert(values.begin(), values.end());
  results->facts = std::move(facts);
  for (auto& [id, kernel] : results->totals.kernels) kernel.name = renamed(kernel.name);
}

}  // namespace kreplay::cli
