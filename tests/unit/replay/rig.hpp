// A replayer on the fake GPU, with a scripted tool and the records it wrote.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "fake_gpu.hpp"
#include "replay/replayer.hpp"
#include "replay/thread_state.hpp"

/// Answers as told and writes down what it was asked, e.g. "config_enter", "pass_enter 0".
class ScriptTool : public kreplay::tool_api::ReplayTool {
 public:
  kreplay::tool_api::PassPlan plan{kreplay::tool_api::PassMode::fixed, 3};
  std::atomic<bool> listens{true};
  rocprofiler_kernel_dispatch_info_t info = {};  ///< of the last CONFIG ENTER
  std::function<bool(kreplay::tool_api::Candidate&)> wants_if = [](auto&) { return true; };
  /// In the place of `plan`, when set.
  std::function<kreplay::tool_api::PassPlan(const kreplay::tool_api::ReplayCall&)> plan_for;
  std::function<bool(uint64_t pass)> go_on = [](uint64_t) { return true; };
  std::function<void(const std::string& event)> on_event = [](const std::string&) {};

  std::vector<std::string> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  uint64_t launches() const { return launches_.load(); }  ///< candidates so far
  void clear() {
    const std::lock_guard lock(mutex_);
    events_.clear();
  }

  bool listening() const noexcept override { return listens.load(); }
  bool wants(kreplay::tool_api::Candidate& call) noexcept override {
    call.launch = ++launches_;
    return wants_if(call);
  }
  kreplay::tool_api::PassPlan config_enter(kreplay::tool_api::ReplayCall& call) noexcept override {
    {
      const std::lock_guard lock(mutex_);
      info = call.info;
    }
    event("config_enter");
    return plan_for ? plan_for(call) : plan;
  }
  void pass_enter(kreplay::tool_api::ReplayCall&, uint64_t pass) noexcept override {
    event("pass_enter " + std::to_string(pass));
  }
  void pass_exit(kreplay::tool_api::ReplayCall&, uint64_t pass) noexcept override {
    event("pass_exit " + std::to_string(pass));
  }
  bool continue_after(kreplay::tool_api::ReplayCall&, uint64_t pass) noexcept override {
    event("continue_after " + std::to_string(pass));
    return go_on(pass);
  }
  void config_exit(kreplay::tool_api::ReplayCall&) noexcept override { event("config_exit"); }

 private:
  void event(const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(text);
    }
    on_event(text);
  }
  mutable std::mutex mutex_;
  std::vector<std::string> events_;
  std::atomic<uint64_t> launches_{0};
};

struct Rig {
  explicit Rig(unsigned gpus = 1, const kreplay::Options& options = fast_options()) : gpu(gpus) {
    // An assertion of the library that fails is a failed test.
    kreplay::set_check_action([](const char*) noexcept { std::abort(); });
    s_tool = &tool;
    static std::atomic<int> count{0};
    path = std::filesystem::temp_directory_path() /
           ("kreplay-rig-" + std::to_string(getpid()) + "-" + std::to_string(++count) + ".jsonl");
    const kreplay::Status opened = sink.open(path.string());
    if (!opened.ok()) throw std::runtime_error(opened.message());
    replayer = std::make_unique<kreplay::replay::Replayer>(
        gpu.api, sink, options, [] { return static_cast<kreplay::tool_api::ReplayTool*>(s_tool); }, nullptr);
    const kreplay::Status started = replayer->start();
    if (!started.ok()) throw std::runtime_error(started.message());
  }
  ~Rig() {
    gpu.stop();  // its handlers use the replayer
    s_tool = nullptr;
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  static kreplay::Options fast_options() {
    kreplay::Options options;
    options.pass_timeout_ns = 20'000'000'000;
    options.drain_timeout_ns = 20'000'000'000;
    options.host_bytes = 1 << 30;
    options.decline_on_stuck_drain = true;
    return options;
  }

  hsa_queue_t* real_queue(unsigned gpu_index = 0, uint32_t size = 64,
                          hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI) {
    hsa_queue_t* out = nullptr;
    gpu.api.hsa_queue_create({FakeGpu::gpu(gpu_index)}, size, type, nullptr, nullptr, 0, 0, &out);
    return out;
  }
  /// Device memory that the replayer knows about.
  template <typename T>
  T* device(size_t count, unsigned gpu_index = 0) {
    void* memory = nullptr;
    gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kDevicePool + gpu_index}, count * sizeof(T), 0, &memory);
    std::memset(memory, 0, count * sizeof(T));
    replayer->memory().allocated(memory, count * sizeof(T), FakeGpu::kDevicePool + gpu_index, 0);
    return static_cast<T*>(memory);
  }
  kreplay::replay::Agent& agent(unsigned i = 0) { return *replayer->agents().at(i); }

  /// Record lines written so far that contain `text`.
  unsigned records_with(const std::string& text) const {
    std::ifstream in(path);
    unsigned count = 0;
    for (std::string line; std::getline(in, line);)
      if (line.find(text) != std::string::npos) ++count;
    return count;
  }

  FakeGpu gpu;
  ScriptTool tool;
  kreplay::report::OutcomeSink sink;
  std::filesystem::path path;
  std::unique_ptr<kreplay::replay::Replayer> replayer;
  static inline ScriptTool* s_tool = nullptr;
};

/// A tracked queue the test submits through like a proxy does: it holds the queue while it submits.
class HeldQueue {
 public:
  explicit HeldQueue(Rig& rig, unsigned gpu_index = 0, hsa_queue_type32_t type = HSA_QUEUE_TYPE_MULTI)
      : rig_(rig),
        queue(rig.gpu.api, rig.replayer->next_queue_id(), rig.agent(gpu_index),
              rig.real_queue(gpu_index, 64, type), type) {
    rig.replayer->add_queue(queue);
  }
  ~HeldQueue() {
    if (!taken_) (void)take([] {});
  }
  /// As before the real queue is destroyed: the replayer looks at it no more.
  bool take(const std::function<void()>& destroy) {
    taken_ = true;
    return rig_.replayer->take_queue(queue, destroy);
  }
  void submit(const kreplay::hsa::Packet& packet) {
    const kreplay::replay::OursScope ours;
    REQUIRE(queue.take_for(kPatienceNs));
    queue.hold();
    kreplay::replay::Dispatcher::Candidate candidate;
    if (rig_.replayer->dispatcher().wants(queue, kreplay::hsa::kernel_object(&packet), candidate))
      rig_.replayer->dispatcher().submit(queue, packet, candidate);
    else
      rig_.replayer->dispatcher().submit_once(queue, packet);
    queue.accounts.take_to(queue.accounts.taken() + 1);
    queue.let_go();
  }
  /// Forwards a packet that is no candidate.
  void forward(const kreplay::hsa::Packet& packet) {
    REQUIRE(queue.take_for(kPatienceNs));
    queue.hold();
    rig_.replayer->dispatcher().submit_once(queue, packet);
    queue.accounts.take_to(queue.accounts.taken() + 1);
    queue.let_go();
  }

 private:
  static constexpr uint64_t kPatienceNs = 60'000'000'000;
  Rig& rig_;
  bool taken_ = false;

 public:
  kreplay::replay::Queue queue;
};

/// Waits until `done` holds; false after half a minute.
inline bool eventually(const std::function<bool()>& done) {
  for (int i = 0; i < 300'000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return false;
}
