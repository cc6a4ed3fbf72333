#include "replay/thread_state.hpp"

#include <unistd.h>

namespace kreplay::replay {

constinit thread_local ThreadState t_state KREPLAY_TLS_MODEL;

uint32_t thread_id() {
  if (t_state.tid == 0) t_state.tid = static_cast<uint32_t>(gettid());
  return t_state.tid;
}

}  // namespace kreplay::replay
