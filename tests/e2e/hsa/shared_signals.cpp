// Completion signals of copies that something else changes, too: kernels and barriers that carry the same
// signal, the host's arithmetic of every kind, a value pointer. A replay must neither take such a copy for
// done nor wait for it for ever. e2e-candidates: ^in_place 128
#include <thread>

#include "support/hsa_check.hpp"

namespace {

const unsigned kCount = 20'000;
const size_t kBytes = kCount * sizeof(unsigned);

struct Setup {
  e2e::Agents agents = e2e::find_agents();
  e2e::CodeObject code{agents};
  e2e::Kernel in_place = code.kernel("in_place");
  e2e::Queue queue{agents};
  unsigned* staging = e2e::allocate<unsigned>(agents, agents.host, kCount);
  std::vector<unsigned> y = e2e::random_values<unsigned>(kCount, 41);
  unsigned* dev_y = e2e::to_device(agents, y);
  std::vector<unsigned> x = e2e::random_values<unsigned>(kCount, 42);
  unsigned* dev_x = e2e::to_device(agents, x);
  unsigned* dev_z = e2e::allocate<unsigned>(agents, agents.device, kCount);

  /// x = 3 x + y on the device and on the host. @param done counted down by the dispatch
  void step(hsa_signal_t done) {
    queue.dispatch(in_place, kCount, 64, done, dev_x, dev_y, kCount);
    e2e::in_place_host(x, y);
  }
  void copy_up(hsa_signal_t after, hsa_signal_t done) {
    HSA_OK(hsa_amd_memory_async_copy(dev_z, agents.gpu, staging, agents.cpu, kBytes,
                                     after.handle == 0 ? 0 : 1, after.handle == 0 ? nullptr : &after, done));
  }
  void check(e2e::Checks& checks, const char* name, const std::vector<unsigned>& z) {
    checks.equal(name, e2e::from_device(agents, dev_x, kCount), x);
    checks.equal(name, e2e::from_device(agents, dev_z, kCount), z);
  }
};

/// A dispatch and a copy count down one signal; the dispatch ends first, and the copy runs when another
/// dispatch is under way. @param first whether the dispatch is submitted before the copy
void shared_with_packets(e2e::Checks& checks, Setup& s, bool first) {
  for (unsigned round = 0; round < 20; ++round) {
    const auto z = e2e::random_values<unsigned>(kCount, 100 + round);
    std::memcpy(s.staging, z.data(), kBytes);
    const hsa_signal_t shared = e2e::make_signal(2);
    const hsa_signal_t go = e2e::make_signal(1);
    const hsa_signal_t last = e2e::make_signal(1);
    if (first) s.step(shared);
    s.copy_up(go, shared);
    if (!first) s.step(shared);
    e2e::wait_below(shared, 2, "the dispatch");
    std::thread releases([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(500 * round));  // when does not matter
      hsa_signal_store_screlease(go, 0);
    });
    s.step(last);
    releases.join();
    e2e::wait_below(last, 1, "the second dispatch");
    e2e::wait_below(shared, 1, "the copy");
    s.check(checks, first ? "dispatch_then_copy" : "copy_then_dispatch", z);
    for (const hsa_signal_t signal : {shared, go, last}) HSA_OK(hsa_signal_destroy(signal));
  }
}

/// One signal for many copies, armed again in every way there is.
void armed_again(e2e::Checks& checks, Setup& s) {
  const hsa_signal_t done = e2e::make_signal(0);
  const hsa_signal_t ran = e2e::make_signal(1);
  using Arm = void (*)(hsa_signal_t);
  const Arm arms[] = {
      [](hsa_signal_t g) { hsa_signal_add_relaxed(g, 1); },
      [](hsa_signal_t g) { hsa_signal_add_screlease(g, 1); },
      [](hsa_signal_t g) { (void)hsa_signal_exchange_scacq_screl(g, 1); },
      [](hsa_signal_t g) { (void)hsa_signal_exchange_relaxed(g, 1); },
      [](hsa_signal_t g) { (void)hsa_signal_cas_scacquire(g, 0, 1); },
      [](hsa_signal_t g) { hsa_signal_subtract_scacq_screl(g, -1); },
      [](hsa_signal_t g) { hsa_signal_or_relaxed(g, 1); },
      [](hsa_signal_t g) { hsa_signal_xor_scacquire(g, 1); },
      [](hsa_signal_t g) {
        hsa_signal_store_relaxed(g, 7);
        hsa_signal_and_screlease(g, 1);
      },
      [](hsa_signal_t g) { hsa_signal_silent_store_relaxed(g, 1); },
  };
  for (unsigned round = 0; round < 40; ++round) {
    const auto z = e2e::random_values<unsigned>(kCount, 200 + round);
    std::memcpy(s.staging, z.data(), kBytes);
    arms[round % std::size(arms)](done);
    s.copy_up({0}, done);
    hsa_signal_store_relaxed(ran, 1);
    s.step(ran);
    e2e::wait_below(ran, 1, "the dispatch");
    e2e::wait_below(done, 1, "the copy");
    if (round % std::size(arms) < 2) s.check(checks, "armed_again", z);
  }
  // Moved while the copy is on its way.
  const hsa_signal_t go = e2e::make_signal(1);
  hsa_signal_store_relaxed(done, 1);
  s.copy_up(go, done);
  hsa_signal_add_relaxed(done, 5);
  hsa_signal_subtract_relaxed(done, 2);
  hsa_signal_store_relaxed(ran, 1);
  s.step(ran);
  hsa_signal_store_screlease(go, 0);
  checks.value("moved", e2e::wait_below(done, 4, "the copy"), hsa_signal_value_t{3});
  e2e::wait_below(ran, 1, "the dispatch");
  for (const hsa_signal_t signal : {done, ran, go}) HSA_OK(hsa_signal_destroy(signal));
}

/// A signal whose value has an address that the runtime tells.
hsa_signal_t plain_signal() {
  hsa_signal_t signal{};
  HSA_OK(hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &signal));
  return signal;
}

/// The value is changed through its address: no call, no packet.
void by_pointer(e2e::Checks& checks, Setup& s) {
  const hsa_signal_t done = plain_signal();
  const hsa_signal_t go = e2e::make_signal(1);
  const hsa_signal_t ran = e2e::make_signal(1);
  volatile hsa_signal_value_t* value = nullptr;
  HSA_OK(hsa_amd_signal_value_pointer(done, &value));
  for (unsigned round = 0; round < 7; ++round) {
    const auto z = e2e::random_values<unsigned>(kCount, 300 + round);
    std::memcpy(s.staging, z.data(), kBytes);
    hsa_signal_store_relaxed(go, 1);
    __atomic_store_n(value, 2, __ATOMIC_RELEASE);
    s.copy_up(go, done);
    __atomic_fetch_sub(value, 1, __ATOMIC_ACQ_REL);  // as a kernel may: not the copy
    hsa_signal_store_relaxed(ran, 1);
    std::thread releases([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(round));  // when does not matter
      hsa_signal_store_screlease(go, 0);
    });
    s.step(ran);
    releases.join();
    e2e::wait_below(ran, 1, "the dispatch");
    e2e::wait_below(done, 1, "the copy");
    s.check(checks, "by_pointer", z);
  }
  for (const hsa_signal_t signal : {done, go, ran}) HSA_OK(hsa_signal_destroy(signal));
}

/// Times of a copy whose signal was shared are still the copy's.
void times(e2e::Checks& checks, Setup& s) {
  HSA_OK(hsa_amd_profiling_async_copy_enable(true));
  const hsa_signal_t done = plain_signal();
  volatile hsa_signal_value_t* value = nullptr;
  HSA_OK(hsa_amd_signal_value_pointer(done, &value));
  s.copy_up({0}, done);
  e2e::wait_below(done, 1, "the copy");
  hsa_amd_profiling_async_copy_time_t time{};
  HSA_OK(hsa_amd_profiling_get_async_copy_time(done, &time));
  checks.value("times", time.start != 0 && time.end >= time.start, true);
  HSA_OK(hsa_signal_destroy(done));
}

}  // namespace

int main() {
  e2e::Checks checks("shared_signals");
  HSA_OK(hsa_init());
  {
    Setup s;
    shared_with_packets(checks, s, false);
    shared_with_packets(checks, s, true);
    armed_again(checks, s);
    by_pointer(checks, s);
    times(checks, s);
  }
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
