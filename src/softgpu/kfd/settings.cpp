#include "kfd/settings.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "kfd/temp_tree.hpp"
#include "kfd/topology.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

struct Settings {
  Options options;
  bool usable = true;
};

struct Tree {
  pid_t creator = 0;
  std::string path;
  bool usable = false;
};

// Both are made once per process and never destroyed: hooks run before constructors and after destructors.
std::atomic<const Settings*> g_settings{nullptr};
std::atomic<const Tree*> g_tree{nullptr};
pthread_mutex_t g_tree_mutex = PTHREAD_MUTEX_INITIALIZER;  // guards the making of g_tree
std::atomic<bool> g_fork_handlers{false};

const Settings* read_settings() {
  auto* made = new Settings();
  const ParsedOptions parsed = parse_options(kreplay::own_environment());
  made->options = parsed.options;
  made->usable = parsed.errors.empty();
  const Settings* expected = nullptr;
  if (!g_settings.compare_exchange_strong(expected, made)) {  // another thread was faster
    delete made;
    return expected;
  }
  for (const std::string& error : parsed.errors) log::error("options", "{}", error);
  if (!made->usable) log::error("options", "this process runs without a software GPU");
  if (made->options.trace) log::set_level(log::Level::debug);
  return made;
}

void register_fork_handlers() {
  if (g_fork_handlers.exchange(true)) return;
  pthread_atfork([] { pthread_mutex_lock(&g_tree_mutex); }, [] { pthread_mutex_unlock(&g_tree_mutex); },
                 [] { pthread_mutex_unlock(&g_tree_mutex); });
}

}  // namespace

const Options* settings() {
  const Settings* known = g_settings.load(std::memory_order_acquire);
  if (known == nullptr) known = read_settings();
  return known->usable ? &known->options : nullptr;
}

const std::string* topology_tree() {
  const Options* options = settings();
  if (options == nullptr) return nullptr;
  const Tree* tree = g_tree.load(std::memory_order_acquire);
  if (tree == nullptr || tree->creator != getpid()) {  // a parent removes its tree when it likes
    register_fork_handlers();
    pthread_mutex_lock(&g_tree_mutex);
    tree = g_tree.load(std::memory_order_acquire);
    if (tree == nullptr || tree->creator != getpid()) {
      auto* made = new Tree();
      made->creator = getpid();
      auto path = make_temp_tree(topology_files(*options, host_facts()));
      made->usable = path.ok();
      if (path) {
        made->path = *path;
      } else {
        log::error("topology", "{}; this process finds no GPU", path.status().message());
      }
      g_tree.store(made, std::memory_order_release);
      tree = made;
    }
    pthread_mutex_unlock(&g_tree_mutex);
  }
  return tree->usable ? &tree->path : nullptr;
}

}  // namespace softgpu::kfd
