// Initialisation and finalisation of the tools. One thread at a time has the turn; no lock is held while a
// tool runs, so a tool may call back into every exported function and into the runtime.
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "tool_api/discovery.hpp"
#include "tool_api/registry.hpp"
#include "tool_api/sdk_replay_tool.hpp"
#include "tool_api/services/services.hpp"
#include "tool_api/timing_tool.hpp"

namespace kreplay::tool_api {
namespace {

void finalize_function(rocprofiler_client_id_t id) { Registry::current().finalize_client(id.handle); }

}  // namespace

Registry::Turn Registry::take_turn() noexcept {
  std::unique_lock lock(turn_mutex_);
  if (turn_taken_ && pthread_equal(turn_owner_, pthread_self()) != 0) return Turn::within;
  const std::chrono::milliseconds limit(init_wait_ms_.load());
  if (!turn_done_.wait_for(lock, limit, [this] { return !turn_taken_; })) return Turn::timed_out;
  turn_taken_ = true;
  turn_owner_ = pthread_self();
  return Turn::mine;
}

void Registry::end_turn() noexcept {
  {
    const std::lock_guard lock(turn_mutex_);
    turn_taken_ = false;
  }
  turn_done_.notify_all();
}

bool Registry::in_child() const noexcept {
  const pid_t pid = started_pid_.load(std::memory_order_relaxed);
  return pid != 0 && pid != getpid();
}

std::vector<Client*> Registry::clients() const {
  const std::lock_guard lock(mutex_);
  std::vector<Client*> list;
  for (const auto& client : clients_) list.push_back(client.get());
  return list;
}

Client* Registry::add_client(const Discovered& tool) {
  const std::lock_guard lock(mutex_);
  if (tool.requested) built_in_allowed_ = false;
  for (const auto& client : clients_)
    if (client->configure == tool.configure) return nullptr;
  const auto place = static_cast<unsigned>(clients_.size());
  clients_.push_back(std::make_unique<Client>(tool.configure, tool.origin, place, client_base_ + place));
  clients_.back()->requested = tool.requested;
  return clients_.back().get();
}

void Registry::begin_init() noexcept {
  pid_t none = 0;
  if (started_pid_.compare_exchange_strong(none, getpid()) && this == &own())
    std::atexit([] { own().finalize(); });
  init_status_.store(-1, std::memory_order_release);
}

void Registry::end_init() noexcept {
  {
    const std::lock_guard lock(mutex_);
    initializing_ = nullptr;
  }
  choose_tool();
  note_idle();
  count_callbacks();
  init_status_.store(1, std::memory_order_release);
}

void Registry::configure_client(Client& client) noexcept {
  {
    const std::lock_guard lock(mutex_);
    initializing_ = &client;
  }
  rocprofiler_tool_configure_result_t* result = nullptr;
  bool threw = false;
  tool_enters(client, "rocprofiler_configure");
  try {
    result = client.configure(ROCPROFILER_VERSION, ROCPROFILER_VERSION_STRING, client.priority, &client.id);
  } catch (...) {
    threw = true;
    tool_threw(client, "rocprofiler_configure", "; it does not take part");
  }
  tool_leaves(client);
  if (result != nullptr) {
    const std::lock_guard lock(mutex_);
    client.result = *result;
    client.takes_part = true;
    return;
  }
  if (client.requested && !threw)
    tool_failed(client, "rocprofiler_configure returned NULL, so it does not take part");
  else if (!threw)
    log::info("rocprofiler_configure", "tool {}: returned NULL; it does not take part", name_of(client));
  drop_contexts_of(client);
}

void Registry::initialize_client(Client& client) noexcept {
  if (!client.takes_part || client.result.initialize == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    initializing_ = &client;
  }
  tool_enters(client, "its initialize");
  try {
    const int answer = client.result.initialize(finalize_function, client.result.tool_data);
    // Upstream does not look at the answer; its contexts go on, and finalize is still called.
    if (answer != 0) tool_failed(client, "its initialize returned " + std::to_string(answer));
  } catch (...) {
    tool_threw(client, "its initialize", "; its contexts are stopped, and it is not finalised");
    drop_contexts_of(client);
    const std::lock_guard lock(mutex_);
    client.takes_part = false;
  }
  tool_leaves(client);
}

void Registry::choose_tool() noexcept {
  ReplayTool* chosen = nullptr;
  if (replay_.load() != nullptr) {
    chosen = sdk_tool_.get();
  } else if (!tool_present()) {
    try {
      const std::lock_guard lock(mutex_);
      if (built_in_allowed_ && !timing_tool_) {
        auto made = TimingTool::make(options_);
        if (made)
          timing_tool_ = std::move(*made);
        else
          log::error("options", "{}", made.status().message());
      }
      if (built_in_allowed_) chosen = timing_tool_.get();
    } catch (...) {
      log::error("timing tool", "out of memory; there is no replay");
    }
  }
  const std::lock_guard lock(mutex_);
  const bool allowed = options_.enabled && options_.errors.empty();
  replay_tool_.store(allowed ? chosen : nullptr, std::memory_order_release);
}

void Registry::start() noexcept {
  if (init_status() == 1 || in_child()) return;
  switch (take_turn()) {
    case Turn::within:
      return;
    case Turn::timed_out:
      log::warn("start", "another thread's tool initialisation takes longer than {} ms; going on without it",
                init_wait_ms_.load());
      return;
    case Turn::mine:
      break;
  }
  if (init_status() != 1) {
    try {
      Discovery discovery;
      std::vector<rocprofiler_configure_func_t> forced;
      {
        const std::lock_guard lock(mutex_);
        if (!options_set_) {
          options_ = read_options(own_environment());
          options_set_ = true;
          replay_kind_ = static_cast<unsigned>(options_.replay_kind);
        }
        discovery = discovery_ ? discovery_ : Discovery(discover_tools);
        forced = forced_;
      }
      begin_init();
      for (const auto function : forced) add_client({function, "rocprofiler_force_configure"});
      auto found = discovery();
      if (!found) {
        note(handshake_event::tool_failed, found.status().message());
        log::error("ROCP_TOOL_LIBRARIES",
                   "{}; the process ends, because a run without the tool that was asked "
                   "for would look like a good one",
                   found.status().message());
        std::abort();
      }
      for (const Discovered& tool : *found) {
        if (tool.configure != nullptr)
          add_client(tool);
        else
          tool_failed(Client(nullptr, tool.origin, 0, 0),
                      "it exports no rocprofiler_configure, so it is no tool");
      }
      const auto list = clients();
      for (Client* client : list) configure_client(*client);
      for (Client* client : list) initialize_client(*client);
    } catch (...) {
      log::error("start", "out of memory while tools were initialised");
    }
    end_init();
  }
  end_turn();
}

rocprofiler_status_t Registry::force_configure(rocprofiler_configure_func_t function) {
  if (function == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (fini_status() != 0 || in_child()) return ROCPROFILER_STATUS_ERROR_FINALIZED;
  {
    const std::lock_guard lock(mutex_);
    for (const auto known : forced_)
      if (known == function) return ROCPROFILER_STATUS_SUCCESS;
    if (init_status() == -1 && forced_.empty()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    forced_.push_back(function);
  }
  if (init_status() == 0) start();
  // Initialised already, or begun before the function was noted: this client alone. add_client() knows a
  // client that was configured meanwhile.
  if (take_turn() != Turn::mine) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (Client* client = add_client({function, "rocprofiler_force_configure"})) {
    begin_init();
    configure_client(*client);
    initialize_client(*client);
    end_init();
  }
  end_turn();
  return ROCPROFILER_STATUS_SUCCESS;
}

void Registry::finalize() noexcept {
  if (init_status() == 0 || in_child()) return;
  int none = 0;
  if (!fini_status_.compare_exchange_strong(none, -1)) return;
  services_->code_objects.unload_all();
  try {
    for (Client* client : clients())
      if (client->takes_part) finalize_one(*client);
  } catch (...) {
    log::error("finalize", "out of memory; tools were not finalised");
  }
  fini_status_.store(1, std::memory_order_release);
}

void Registry::finalize_client(uint32_t handle) noexcept {
  if (in_child() || fini_status() != 0) return;
  try {
    Client* asked = nullptr;
    unsigned taking_part = 0;
    for (Client* client : clients()) {
      taking_part += client->takes_part ? 1 : 0;
      if (client->id.handle == handle) asked = client;
    }
    if (asked == nullptr || !asked->takes_part)
      log::warn("finalize", "no tool has the client handle {}", handle);
    else if (taking_part == 1)
      finalize();
    else
      finalize_one(*asked);
  } catch (...) {
    log::error("finalize", "out of memory; the tool was not finalised");
  }
}

}  // namespace kreplay::tool_api
