// Whole scenarios with the k-th allocation, call of the runtime or call of the operating system failing, for
// every k: the application's data and status are right, and no window stays behind that another thread would
// wait for.
//
// Each k in a child that starts everything anew. KRTEST_EVERY=1 tries every k, else some of them;
// KRTEST_ONLY=K runs one, in this process, for a debugger.
#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <thread>

#include "fault/faults.hpp"

using namespace fault;  // NOLINT(google-build-using-namespace): test code

namespace {

constexpr unsigned kCount = 200;

/// What the children end with, apart from 2 (a call of the application failed) and 3 (a wait did).
enum Status { kInjected = 7, kPastTheLast = 8, kWrong = 9 };

/// Dispatches of three kernels, copies and frees between them, a second queue; all that belongs to one life.
class Scene {
 public:
  Scene() {
    HSA_OK(hsa_init());
    agents_ = e2e::find_agents();
    // Not while metadata is read: the JSON library's destructors allocate and end the process
    // (docs/limits.md).
    spare_allocations(true);
    code_ = std::make_unique<e2e::CodeObject>(agents_);
    spare_allocations(false);
  }
  /// @return whether everything holds what it must
  bool run() {
    std::vector<unsigned> x(kCount), y(kCount);
    for (unsigned i = 0; i < kCount; ++i) x[i] = 7 * i, y[i] = 1000 - i;
    unsigned* const device_x = e2e::to_device(agents_, x);
    unsigned* const device_y = e2e::to_device(agents_, y);
    unsigned* log = e2e::to_device(agents_, std::vector<unsigned>(8, 0));
    bool right = true;
    {
      e2e::Queue queue(agents_);
      for (unsigned round = 0; round < 2; ++round) {
        update(queue, device_x, device_y, x, y);
        unsigned* const unrelated = e2e::allocate<unsigned>(agents_, agents_.device, 5000);
        dispatch(queue, "append", log, round + 1);
        copy(device_y, device_x, kCount / 2);
        std::copy_n(x.begin(), kCount / 2, y.begin());
        HSA_OK(hsa_amd_memory_pool_free(unrelated));
        dispatch(queue, "count_up", 3u);
      }
      right = e2e::from_device(agents_, device_x, kCount) == x && right;
      disarm();
      // Whatever has become of replay: another thread's work on another queue is let in.
      std::thread([&] {
        e2e::Queue another(agents_);
        update(another, device_x, device_y, x, y);
      }).join();
    }
    const auto* counter = static_cast<const unsigned*>(code_->variable("counter"));
    right = e2e::from_device(agents_, device_x, kCount) == x && right;
    right = e2e::from_device(agents_, device_y, kCount) == y && right;
    right = e2e::from_device(agents_, log, 3) == std::vector<unsigned>{2, 1, 2} && right;
    right = e2e::from_device(agents_, counter, 1)[0] == 2 * 64 * 3 && right;
    for (unsigned* memory : {device_x, device_y, log}) HSA_OK(hsa_amd_memory_pool_free(memory));
    return right;
  }
  ~Scene() {
    code_.reset();
    HSA_OK(hsa_shut_down());
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

 private:
  template <class... Args>
  void dispatch(e2e::Queue& queue, const char* kernel, Args... args) {
    const hsa_signal_t done = e2e::make_signal(1);
    queue.dispatch(code_->kernel(kernel), std::string(kernel) == "in_place" ? 256 : 64, 64, done, args...);
    e2e::wait_below(done, 1, kernel);
    if (hsa_signal_load_scacquire(done) != 0) {  // one completion, whatever happened
      std::printf("error the signal of %s is %lld\n", kernel,
                  static_cast<long long>(hsa_signal_load_scacquire(done)));
      std::_Exit(kWrong);
    }
    HSA_OK(hsa_signal_destroy(done));
  }
  void update(e2e::Queue& queue, unsigned* device_x, const unsigned* device_y, std::vector<unsigned>& x,
              const std::vector<unsigned>& y) {
    dispatch(queue, "in_place", device_x, device_y, kCount);
    for (unsigned i = 0; i < kCount; ++i) x[i] = x[i] * 3u + y[i];
  }
  void copy(unsigned* to, const unsigned* from, unsigned count) {
    const hsa_signal_t done = e2e::make_signal(1);
    HSA_OK(hsa_amd_memory_async_copy(to, agents_.gpu, from, agents_.gpu, count * sizeof(unsigned), 0, nullptr,
                                     done));
    e2e::wait_below(done, 1, "a copy");
    HSA_OK(hsa_signal_destroy(done));
  }

  e2e::Agents agents_;
  std::unique_ptr<e2e::CodeObject> code_;
};

int play(const std::string& what, uint64_t k) {
  std::set_terminate([] {  // says who threw where nothing may
    void* frames[40];
    backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
    std::abort();
  });
  set(what + ":" + std::to_string(k));
  arm();
  bool right = false;
  {
    Scene scene;
    right = scene.run();
  }
  return !right ? kWrong : injected() != 0 ? kInjected : kPastTheLast;
}

/// Every k up to the last call, or every `stride`-th after the first ones.
void sweep(const std::string& what, uint64_t stride, unsigned at_least) {
  if (const char* only = std::getenv("KRTEST_ONLY")) std::exit(play(what, std::strtoull(only, nullptr, 10)));
  if (std::getenv("KRTEST_EVERY") != nullptr) stride = 1;
  unsigned failed = 0;
  bool past_the_last = false;
  for (uint64_t k = 1; k < 20'000 && !past_the_last; k += k < 4 ? 1 : stride) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a child that hangs ends with a signal
      std::exit(play(what, k));
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    past_the_last = WIFEXITED(status) && WEXITSTATUS(status) == kPastTheLast;
    if (past_the_last) break;
    ++failed;
    INFO(what << " " << k << ": " << (WIFEXITED(status) ? "status " : "signal ")
              << (WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == kInjected));
  }
  CHECK(past_the_last);
  CHECK(failed >= at_least);  // the sweep reached the library
  std::printf("%u faults of %s\n", failed, what.c_str());
}

}  // namespace

TEST_CASE("scenario_allocation_k_fails") { sweep("malloc", 83, 10); }

TEST_CASE("scenario_runtime_call_k_fails") { sweep("runtime", 7, 10); }

TEST_CASE("scenario_system_call_k_fails") { sweep("system", 7, 5); }

TEST_CASE("a_fork_child_allocates_nothing_of_ours") {
  // With KRTEST_STRICT the layer ends a child in which the library allocates.
  Machine& m = Machine::get();
  unsigned* const x = m.device({1});
  m.run(m.kernel("append"), m.device(std::vector<unsigned>(8, 0)), 1u);
  const pid_t child = fork();
  if (child == 0) std::exit(0);  // exit handlers of the library run
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(m.value(x) == 1);
}
