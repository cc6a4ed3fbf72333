// The runtime started and shut down three times in one process, with work each time; reference counted
// inits inside.
// e2e-replayed: ^in_place 6
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("init_again");
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 331);
  const auto y = e2e::random_values<unsigned>(count, 332);
  for (int life = 0; life < 3; ++life) {
    HSA_OK(hsa_init());
    HSA_OK(hsa_init());
    HSA_OK(hsa_shut_down());  // still one reference
    const e2e::Agents agents = e2e::find_agents();
    unsigned* dev_x = e2e::to_device(agents, x);
    unsigned* dev_y = e2e::to_device(agents, y);
    {
      const e2e::CodeObject code(agents);
      e2e::Queue queue(agents);
      for (int launch = 0; launch < 2; ++launch) {
        queue.dispatch(code.kernel("in_place"), count, 64, {}, dev_x, dev_y, count);
        e2e::in_place_host(x, y);
      }
      queue.drain();
      checks.equal("in_place", e2e::from_device(agents, dev_x, count), x);
    }
    HSA_OK(hsa_amd_memory_pool_free(dev_x));
    HSA_OK(hsa_amd_memory_pool_free(dev_y));
    HSA_OK(hsa_shut_down());
    checks.value("not_initialised", static_cast<int>(hsa_shut_down()),
                 static_cast<int>(HSA_STATUS_ERROR_NOT_INITIALIZED));
  }
  return checks.finish();
}
