// The smallest program whose result tells how often its kernel ran on the application's data.
#pragma once

#include <vector>

#include "support/hsa_check.hpp"

namespace e2e {

/// Runs in_place on copies of `x` and `y` on the device `launches` times, on a queue and with a code object
/// of its own, and checks what the device has in the end; `x` is brought up to date on the host.
inline void update_in_place(Checks& checks, const Agents& agents, std::vector<unsigned>& x,
                            const std::vector<unsigned>& y, int launches) {
  const auto count = static_cast<unsigned>(x.size());
  unsigned* dev_x = to_device(agents, x);
  unsigned* dev_y = to_device(agents, y);
  {
    const CodeObject code(agents);
    Queue queue(agents);
    for (int launch = 0; launch < launches; ++launch) {
      queue.dispatch(code.kernel("in_place"), count, 64, {}, dev_x, dev_y, count);
      in_place_host(x, y);
    }
    queue.drain();
  }
  checks.equal("x", from_device(agents, dev_x, count), x);
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
}

}  // namespace e2e
