// What tools are told of a counter: strings, dimensions, and every instance. Made once per counter, kept for
// ever.
#pragma once

#include <memory>
#include <vector>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/services/counting/definitions.hpp"

namespace kreplay::tool_api {

rocprofiler_counter_info_v0_t counter_info_v0(const CounterDefinition& counter);

class CounterInfo {
 public:
  /// Null when no agent of its architecture is there, or the library that knows the dimensions is not.
  static const CounterInfo* of(const CounterDefinition& counter);

  const std::vector<rocprofiler_counter_record_dimension_info_t>& dimensions() const { return dimensions_; }
  size_t instances() const { return instances_.size(); }
  void fill(rocprofiler_counter_info_v1_t& info) const;

 private:
  explicit CounterInfo(const CounterDefinition& counter) : counter_(counter) {}
  void make_instances();

  struct Instance {
    rocprofiler_counter_record_dimension_instance_info_t info = {};
    std::vector<rocprofiler_counter_dimension_info_t> positions;
    std::vector<const rocprofiler_counter_dimension_info_t*> pointers;
  };
  const CounterDefinition& counter_;
  std::vector<rocprofiler_counter_record_dimension_info_t> dimensions_;
  std::vector<const rocprofiler_counter_record_dimension_info_t*> dimension_pointers_;
  std::vector<std::unique_ptr<Instance>> instances_;
  mutable std::vector<const rocprofiler_counter_record_dimension_instance_info_t*> instance_pointers_;
};

}  // namespace kreplay::tool_api
