// The pool of signals of ours, with a runtime that hands out numbers.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/check.hpp"
#include "device/signal_pool.hpp"

namespace {

std::vector<std::string> g_told;

/// What was told of assertions meanwhile.
struct Told {
  Told() {
    g_told.clear();
    kreplay::set_check_action([](const char* what) noexcept { g_told.emplace_back(what); });
  }
  ~Told() { kreplay::set_check_action(nullptr); }
};

kreplay::hsa::HsaApi runtime() {
  kreplay::hsa::HsaApi api;
  api.hsa_signal_create = [](hsa_signal_value_t, uint32_t, const hsa_agent_t*, hsa_signal_t* out) {
    static uint64_t last = 0;
    out->handle = ++last;
    return HSA_STATUS_SUCCESS;
  };
  api.hsa_signal_destroy = [](hsa_signal_t) { return HSA_STATUS_SUCCESS; };
  return api;
}

}  // namespace

TEST_CASE("a signal that is out while the pool is emptied comes back without an allocation") {
  const Told told;
  const kreplay::hsa::HsaApi api = runtime();
  kreplay::device::SignalPool pool(api);
  const hsa_signal_t out = *pool.acquire();
  pool.release(*pool.acquire());
  pool.drop_all();
  pool.release(out);
  CHECK(g_told.empty());
  CHECK(pool.acquire()->handle == out.handle);
}

TEST_CASE("a signal that is given back twice is told") {
  const Told told;
  const kreplay::hsa::HsaApi api = runtime();
  kreplay::device::SignalPool pool(api);
  const hsa_signal_t signal = *pool.acquire();
  pool.release(signal);
  CHECK(g_told.empty());
  pool.release(signal);
  CHECK(g_told == std::vector<std::string>{"no more signals are given back than were made"});
}

TEST_CASE("the pool calls the runtime under no lock") {
  const Told told;
  const kreplay::hsa::HsaApi api = runtime();
  kreplay::device::SignalPool pool(api);
  kreplay::Mutex mutex;
  const std::lock_guard lock(mutex);
  (void)pool.acquire();
  CHECK(g_told == std::vector<std::string>{"no lock of ours is held across a call out"});
}
