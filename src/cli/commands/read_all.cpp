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

}  // namespace kreplay::cli
