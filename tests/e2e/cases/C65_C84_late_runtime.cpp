// C65, C84: a program that is not linked to the runtime opens it late and locally, and finds every
// function with dlsym on that handle.
//
// e2e-replayed: ^in_place 3
#include <dlfcn.h>

#include "cases/in_place_update.hpp"
#include "cases/late_runtime.hpp"
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("C65_C84_late_runtime");
  // The preloads must not have brought the runtime in.
  checks.that("not_loaded", dlopen("libhsa-runtime64.so.1", RTLD_NOLOAD | RTLD_LAZY) == nullptr);
  checks.that("functions", e2e::open_runtime("libhsa-runtime64.so.1") > 100);
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 651);
  const auto y = e2e::random_values<unsigned>(count, 652);
  e2e::update_in_place(checks, agents, x, y, 3);
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
