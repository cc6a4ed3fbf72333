// A process that starts the tools as the interceptor does, and ends.
#include <cstdio>

#include "tool_api/tools.hpp"

extern "C" char** environ;

int main() {
  kreplay::tool_api::start(kreplay::read_options(environ));
  std::printf("host: tools '%s', present %d, replay %d\n", kreplay::tool_api::tool_names().c_str(),
              kreplay::tool_api::tool_present() ? 1 : 0, kreplay::tool_api::replay_tool() != nullptr ? 1 : 0);
  std::fflush(stdout);
  return 0;
}
