// C81: the runtime is opened, used, shut down and closed ten times, as libraries do that only look for
// devices; each life has its own agents, queues and code objects, and replays.
//
// e2e-replayed: ^in_place 10
#include "cases/in_place_update.hpp"
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C81_ten_lives");
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 811);
  const auto y = e2e::random_values<unsigned>(count, 812);
  for (int life = 0; life < 10; ++life) {
    HSA_OK(hsa_init());  // a look at the devices, nothing else
    (void)e2e::find_agents();
    HSA_OK(hsa_shut_down());
    HSA_OK(hsa_init());
    const e2e::Agents agents = e2e::find_agents();
    e2e::update_in_place(checks, agents, x, y, 1);
    HSA_OK(hsa_shut_down());
  }
  return checks.finish();
}
