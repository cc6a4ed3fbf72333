// Which counters exist on which architecture: events by block and number, and derived ones by expression. A
// table of our own for gfx900, gfx906 and gfx90a; a tool adds its own with rocprofiler_create_counter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "tool_api/services/counting/expression.hpp"

namespace kreplay::tool_api {

struct CounterDefinition {
  uint64_t id = 0;  ///< from 1; fits 16 bits
  std::string name;
  std::string architecture;  ///< "gfx906"
  std::string description;
  std::string block;  ///< empty: derived
  uint32_t event = 0;
  std::string expression;  ///< empty: basic
  std::shared_ptr<const Expression> parsed;
  bool derived() const { return block.empty(); }
};

/// Threads: any. Definitions live for ever.
class CounterDefinitions {
 public:
  /// The process's; made on first use.
  static CounterDefinitions& current();
  CounterDefinitions();

  const CounterDefinition* find(uint64_t id) const;
  const CounterDefinition* find(const std::string& architecture, const std::string& name) const;
  std::vector<const CounterDefinition*> of(const std::string& architecture) const;
  /// @return Error::invalid_argument for a name that exists or an expression that cannot be read
  Result<const CounterDefinition*> add(const std::string& architecture, const std::string& name,
                                       const std::string& expression, const std::string& description);
  /// The basic counters it needs, once each. @return Error::not_found with the name that is missing
  Result<std::vector<const CounterDefinition*>> basics(const CounterDefinition& definition) const;

 private:
  void insert(CounterDefinition definition);
  Status collect(const CounterDefinition& definition, std::vector<const CounterDefinition*>& out,
                 unsigned depth) const;

  mutable std::mutex mutex_;  // guards list_
  std::vector<std::unique_ptr<CounterDefinition>> list_;
};

}  // namespace kreplay::tool_api
