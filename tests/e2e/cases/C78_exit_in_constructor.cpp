// C78: a library that is opened calls exit(5) in its constructor, with the loader's lock held and the
// runtime in use. The process ends with that status at once. The library is this program's own source,
// built twice.
//
// e2e-exit: 5
// e2e-replayed: ^in_place 1
#ifdef E2E_EXITS
#include <cstdlib>

__attribute__((constructor)) static void leave() { std::exit(5); }
#else
#include <dlfcn.h>

#include "support/hsa_check.hpp"

int main(int, char** argv) {
  e2e::Checks checks("C78_exit_in_constructor");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const unsigned count = 200;
  auto x = e2e::random_values<unsigned>(count, 781);
  unsigned* dev_x = e2e::to_device(agents, x);
  auto* code = new e2e::CodeObject(agents);
  auto* queue = new e2e::Queue(agents);
  queue->dispatch(code->kernel("in_place"), count, 64, {}, dev_x, dev_x, count);
  queue->drain();
  for (unsigned& value : x) value = value * 3u + value;
  checks.equal("x", e2e::from_device(agents, dev_x, count), x);
  (void)checks.finish();
  const std::string library = std::string(argv[0]) + "_library.so";
  dlopen(library.c_str(), RTLD_NOW);
  std::printf("error %s did not end the process\n", library.c_str());
  std::_Exit(1);
}
#endif
