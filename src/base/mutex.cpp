#include "base/mutex.hpp"

namespace kreplay {

constinit thread_local uint32_t t_locks_held KREPLAY_LOCKS_TLS_MODEL = 0;

}  // namespace kreplay
