// A folder of runs to compare with, one folder in it per machine key.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"

namespace kreplay::cli {

/// DIR/kreplay-baselines      marks the store
/// DIR/KEY/TIME-PID-HOST.jsonl  a run, by its start in ns since 1970
class BaselineStore {
 public:
  explicit BaselineStore(std::string folder) : folder_(std::move(folder)) {}

  static bool is_store(const std::string& folder);

  struct Added {
    std::string path;
    std::string machine_key;
    size_t runs = 0;  ///< of that machine, afterwards
  };
  /// Copies a result file in, creating the store as needed; the same run again replaces itself. The oldest
  /// runs beyond `keep` go.
  /// @return Error::invalid_argument for a file that is cut off, holds no measured pass or several machines;
  ///         Error::io
  Result<Added> add(const std::string& path, size_t keep);
  /// Removes the runs of one machine.
  Status clear(const std::string& machine_key);

  struct Machine {
    std::string key;
    std::vector<std::string> runs;  ///< paths, oldest first
  };
  /// By key. @return Error::not_found where there is no store
  Result<std::vector<Machine>> machines() const;
  std::string folder_of(const std::string& machine_key) const { return folder_ + "/" + machine_key; }

 private:
  std::string folder_;
};

}  // namespace kreplay::cli
