// A runtime whose table comes through rocprofiler-register, and then to OnLoad as well: taken once.
// e2e-replayed: ^in_place 6
// e2e-stderr: ^fixed_passes: 6 dispatches, 24 passes$
#include <dlfcn.h>

#include "register/registering_tool.hpp"
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("registered_table");
  HSA_OK(hsa_init());
  void* tool = dlopen(std::getenv("E2E_REGISTERING_TOOL"), RTLD_NOW | RTLD_NOLOAD);
  checks.value("the tool was loaded by the runtime", tool != nullptr, true);
  const RegisteredTable* (*seen)() = nullptr;
  if (tool != nullptr) *reinterpret_cast<void**>(&seen) = dlsym(tool, "registered_table");
  if (seen == nullptr) return checks.finish();
  checks.value("register is there", seen()->opened, 1);
  checks.value("status of the registration", seen()->status, 0);
  checks.value("observed before it", seen()->ours_before, 0);
  checks.value("observed after it", seen()->ours_after, 1);
  checks.value("the same after OnLoad", seen()->at != nullptr && *seen()->at == seen()->slot, true);

  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 1'000;
  auto x = e2e::random_values<unsigned>(count, 311);
  const auto y = e2e::random_values<unsigned>(count, 312);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_y = e2e::to_device(agents, y);
  {
    e2e::Queue queue(agents);
    const e2e::CodeObject code(agents);
    const e2e::Kernel in_place = code.kernel("in_place");
    const hsa_signal_t done = e2e::make_signal(1);
    for (unsigned launch = 0; launch < 6; ++launch) {
      hsa_signal_store_relaxed(done, 1);
      queue.dispatch(in_place, count, 64, done, dev_x, dev_y, count);
      e2e::wait_below(done, 1, "in_place");
      e2e::in_place_host(x, y);
    }
    checks.equal("in_place", e2e::from_device(agents, dev_x, count), x);
    HSA_OK(hsa_signal_destroy(done));
  }
  HSA_OK(hsa_amd_memory_pool_free(dev_x));
  HSA_OK(hsa_amd_memory_pool_free(dev_y));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
