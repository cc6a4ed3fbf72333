#include "replay/queue_protocol.hpp"

#include <sched.h>

namespace kreplay::replay {

void FutexSync::yield() { sched_yield(); }

template class BasicQueueProtocol<FutexSync>;

}  // namespace kreplay::replay
