// Does what its arguments say, in order, on one queue: N launches a kernel N times, each waited for;
// push:TEXT, pop, mark:TEXT, start:TEXT, stop call roctx; kill ends the process hard; calls:N expects so many
// roctx calls so far. "rank" launches once more for each rank below its own.
#include <csignal>
#include <cstdlib>
#include <string>

#include "support/hsa_check.hpp"

extern "C" {
extern int roctx_calls;
void roctxMarkA(const char*);
int roctxRangePushA(const char*);
int roctxRangePop();
uint64_t roctxRangeStartA(const char*);
void roctxRangeStop(uint64_t);
}

namespace {

void launch(e2e::Queue& queue, const e2e::Kernel& kernel, unsigned long count) {
  for (unsigned long i = 0; i < count; ++i) {
    queue.dispatch(kernel, 64, 64, {}, 1u);
    queue.drain();
  }
}

/// @return false when the action is not known, or an expectation does not hold
bool act(const std::string& action, e2e::Queue& queue, const e2e::Kernel& kernel, uint64_t& range) {
  const size_t colon = action.find(':');
  const std::string name = action.substr(0, colon);
  const std::string text = colon == std::string::npos ? "" : action.substr(colon + 1);
  if (name == "push") return roctxRangePushA(text.c_str()) >= 0;
  if (name == "pop") return roctxRangePop() >= 0;
  if (name == "mark") return roctxMarkA(text.c_str()), true;
  if (name == "start") return (range = roctxRangeStartA(text.c_str())) != 0;
  if (name == "stop") return roctxRangeStop(range), true;
  if (name == "calls") return roctx_calls == std::stoi(text);
  if (name == "kill") return std::raise(SIGKILL) == 0;
  if (name == "rank") {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    return launch(queue, kernel, rank == nullptr ? 0 : std::stoul(rank)), true;
  }
  return launch(queue, kernel, std::stoul(name)), true;
}

}  // namespace

int main(int argc, char** argv) {
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  int status = 0;
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel kernel = code.kernel("count_up");
    e2e::Queue queue(agents, 64);
    uint64_t range = 0;
    for (int i = 1; i < argc && status == 0; ++i) {
      if (act(argv[i], queue, kernel, range)) continue;
      std::printf("error at %s\n", argv[i]);
      status = 4;
    }
  }
  HSA_OK(hsa_shut_down());
  return status;
}
