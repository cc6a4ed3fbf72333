// C79: static destructors and a thread-local one free device memory, destroy a queue and unload code after
// main, while a detached thread goes on launching. The exit status is the program's own.
//
// e2e-exit: 7
// e2e-replayed: ^in_place 1
#include <pthread.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/hsa_check.hpp"

namespace {

struct Global {
  e2e::Agents agents;
  std::unique_ptr<e2e::CodeObject> code;
  std::unique_ptr<e2e::Queue> queue;
  unsigned* x = nullptr;
  ~Global() {
    if (x == nullptr) return;
    queue.reset();
    code.reset();
    HSA_OK(hsa_amd_memory_pool_free(x));
    std::printf("static destructor\n");
  }
};
// Made before the runtime or any preload registers a handler of its own, so destroyed after them.
Global g_global;

struct OfThread {
  unsigned* x = nullptr;
  ~OfThread() {
    if (x != nullptr) HSA_OK(hsa_amd_memory_pool_free(x));
  }
};
thread_local OfThread t_data;

void free_in_key_destructor(void* data) { HSA_OK(hsa_amd_memory_pool_free(data)); }

}  // namespace

int main() {
  e2e::Checks checks("C79_destructors");
  HSA_OK(hsa_init());
  Global& g = g_global;
  g.agents = e2e::find_agents();
  g.code = std::make_unique<e2e::CodeObject>(g.agents);
  g.queue = std::make_unique<e2e::Queue>(g.agents);
  const unsigned count = 200;
  auto x = e2e::random_values<unsigned>(count, 791);
  g.x = e2e::to_device(g.agents, x);
  g.queue->dispatch(g.code->kernel("in_place"), count, 64, {}, g.x, g.x, count);
  g.queue->drain();
  for (unsigned& value : x) value = value * 3u + value;
  checks.equal("x", e2e::from_device(g.agents, g.x, count), x);

  std::thread([&] {  // its thread-local and its key are destroyed after all other code of the thread
    t_data.x = e2e::to_device(g.agents, std::vector<unsigned>(10, 1));
    pthread_key_t key;
    pthread_key_create(&key, free_in_key_destructor);
    pthread_setspecific(key, e2e::to_device(g.agents, std::vector<unsigned>(10, 2)));
  })
      .join();

  static std::atomic<int> launches{0};
  std::thread([agents = g.agents] {
    auto* code = new e2e::CodeObject(agents);
    auto* queue = new e2e::Queue(agents);
    unsigned* mine = e2e::to_device(agents, std::vector<unsigned>(10, 3));
    const e2e::Kernel kernel = code->kernel("in_place");
    for (;;) {
      queue->dispatch(kernel, 10, 64, {}, mine, mine, 10u);
      ++launches;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }).detach();
  while (launches < 3) std::this_thread::yield();
  return checks.finish() == 0 ? 7 : 1;
}
