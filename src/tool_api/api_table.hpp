// Tables that runtimes offered through rocprofiler_set_api_table.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "rocprofiler-sdk/experimental/registration.h"
#include "tool_api/tools.hpp"

namespace kreplay::tool_api {

ApiTableHandler api_table_handler() noexcept;

/// Whether `name` is a library upstream knows.
bool is_known_table(const char* name);

/// What was offered so far, for rocprofiler_iterate_runtime_registration_info.
class TableLog {
 public:
  struct Row {
    std::string name;
    uint32_t lib_version = 0;
    uint64_t tables = 0;
  };
  static TableLog& current();
  void add(Row row) {
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(row));
  }
  std::vector<Row> rows() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
};

}  // namespace kreplay::tool_api
