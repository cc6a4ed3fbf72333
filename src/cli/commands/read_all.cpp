#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/output.hpp"

namespace kreplay::cli {

bool read_all(const std::vector<std::string>& paths, Results* results) {
  for (const std::string& path : paths) {
    if (const Status status = read_results(path, results); !status) {
      say(status.message());
      return false;
    }
  }
  for (const std::string& note : results->notes) say(note);
  return true;
}

std::vector<std::string> result_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::filesystem::path name = entry.path().filename();
    if (name.extension() == ".gz") name = name.stem();
    if (entry.is_regular_file() && name.extension() == ".jsonl") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool read_side(const std::string& path, Results* results) {
  std::error_code ignored;  // what cannot be looked at is left to the reader, which says why
  if (!std::filesystem::is_directory(path, ignored)) return read_all({path}, results);
  const std::vector<std::string> paths = result_files(path);
  if (paths.empty()) say(path + ": holds no result file (*.jsonl, *.jsonl.gz)");
  return !paths.empty() && read_all(paths, results);
}

}  // namespace kreplay::cli
