#include "cli/unused_limits.hpp"

#include <algorithm>

namespace kreplay::cli {
namespace {

/// What rules may match, under normalised names.
struct Known {
  std::set<std::string> kernels;
  std::set<std::pair<std::string, std::string>> shapes;  ///< kernel and grid
  std::map<std::string, std::set<std::string>> facts;    ///< of the new side, by kernel
  std::vector<bool> renamed;                             ///< by rename
};

std::string apply_renames(const Policy& policy, const std::string& name, std::vector<bool>* used) {
  std::string out = name;
  for (size_t i = 0; i < policy.renames.size(); ++i) {
    if (!policy.renames[i].match.found_in(out)) continue;
    (*used)[i] = true;
    out = policy.renames[i].match.replaced_in(out, policy.renames[i].replace);
  }
  return out.empty() ? name : out;
}

Known known_in(const Policy& policy, const Results& base, const Results& fresh) {
  Known known;
  known.renamed.resize(policy.renames.size());
  for (const Results* side : {&base, &fresh}) {
    for (const auto& [id, kernel] : side->totals.kernels)
      known.kernels.insert(apply_renames(policy, kernel.name, &known.renamed));
    for (const auto& [key, samples] : side->samples) {
      const std::string name = apply_renames(policy, key.kernel, &known.renamed);
      known.kernels.insert(name);
      known.shapes.emplace(name, dimensions(key.grid));
    }
    for (const auto& [kernel, facts] : side->facts) {
      const std::string name = apply_renames(policy, kernel, &known.renamed);
      known.kernels.insert(name);
      if (side != &fresh) continue;
      for (const auto& [fact, values] : facts) known.facts[name].insert(fact);
    }
  }
  return known;
}

bool any_kernel(const Known& known, const Pattern& name) {
  return std::any_of(known.kernels.begin(), known.kernels.end(),
                     [&](const std::string& kernel) { return name.found_in(kernel); });
}

bool any_shape(const Known& known, const KernelRule& rule) {
  return std::any_of(known.shapes.begin(), known.shapes.end(), [&](const auto& shape) {
    return shape.second == rule.grid && rule.name.found_in(shape.first);
  });
}

/// Why a fact's limit holds nowhere; empty when it holds somewhere.
std::string why_unused(const Known& known, const FactRule& rule) {
  if (rule.kernel && !any_kernel(known, *rule.kernel)) return "matches no kernel";
  for (const auto& [kernel, facts] : known.facts)
    if (facts.count(rule.name) != 0 && (!rule.kernel || rule.kernel->found_in(kernel))) return {};
  return "is a fact of no kernel of the new results";
}

}  // namespace

std::vector<std::string> unused_limits(const Policy& policy, const Results& base, const Results& fresh) {
  const Known known = known_in(policy, base, fresh);
  std::vector<std::string> sentences;
  for (const KernelRule& rule : policy.rules) {
    if (!any_kernel(known, rule.name))
      sentences.push_back(rule.where + " matches no kernel");
    else if (!rule.grid.empty() && !any_shape(known, rule))
      sentences.push_back(rule.where + " matches kernels, but none with the grid " + rule.grid);
  }
  for (const FactRule& rule : policy.facts)
    if (const std::string why = why_unused(known, rule); !why.empty())
      sentences.push_back(rule.where + " " + why);
  for (size_t i = 0; i < policy.renames.size(); ++i)
    if (!known.renamed[i]) sentences.push_back(policy.renames[i].where + " matches no kernel");
  return sentences;
}

}  // namespace kreplay::cli
