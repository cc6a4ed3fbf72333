// The built-in timing tool: selection, launch counts, and no allocation once a kernel is known.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "tool_api/timing_tool.hpp"

namespace {
std::atomic<bool> g_counting{false};
std::atomic<uint64_t> g_allocations{0};
}  // namespace

void* operator new(size_t size) {
  if (g_counting.load(std::memory_order_relaxed)) ++g_allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  if (g_counting.load(std::memory_order_relaxed)) ++g_allocations;
  return std::malloc(size);
}
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, size_t) noexcept { std::free(p); }

using namespace kreplay;            // NOLINT(google-build-using-namespace): test code
using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace)

namespace {

report::KernelInfo kernel(std::string_view symbol, std::string_view demangled) {
  report::KernelInfo info;
  info.symbol = symbol;
  info.demangled = demangled;
  return info;
}

std::unique_ptr<TimingTool> make(const Options& options) {
  auto tool = TimingTool::make(options);
  REQUIRE(tool.ok());
  return std::move(*tool);
}

ReplayCall call_of(const report::KernelInfo* info, uint64_t agent = 1) {
  ReplayCall call;
  call.kernel = info;
  call.agent = agent;
  return call;
}

bool wanted(TimingTool& tool, const report::KernelInfo* info, report::Reason* why = nullptr) {
  ReplayCall call = call_of(info);
  const bool wants = tool.wants(call);
  CHECK(wants == (call.skipped == report::Reason::none));
  if (why != nullptr) *why = call.skipped;
  return wants;
}

/// Passes of the given durations, as the window shows them to the tool one by one. @return passes that ran
size_t run_passes(TimingTool& tool, ReplayCall& call, const std::vector<uint64_t>& durations) {
  std::vector<report::PassTime> times;
  times.reserve(durations.size());
  tool.config_enter(call);
  for (size_t pass = 0; pass < durations.size(); ++pass) {
    times.push_back({1000, 1000 + durations[pass]});
    call.pass_times = times;
    if (!tool.continue_after(call, pass)) return pass + 1;
  }
  return durations.size();
}

const report::KernelInfo kScale = kernel("_Z5scalePff", "scale(float*, float)");
const report::KernelInfo kReduce = kernel("_Z6reducePf", "reduce(float*)");
const report::KernelInfo kFill = kernel("__amd_rocclr_fillBufferAligned", "__amd_rocclr_fillBufferAligned");

}  // namespace

TEST_CASE("every_application_kernel_is_wanted_by_default") {
  const auto tool = make({});
  CHECK(tool->listening());
  CHECK(wanted(*tool, &kScale));
  CHECK(wanted(*tool, &kReduce));
}

TEST_CASE("runtime_internal_kernels_are_left_out_unless_asked_for") {
  report::Reason why = report::Reason::none;
  const auto tool = make({});
  CHECK_FALSE(wanted(*tool, &kFill, &why));
  CHECK(why == report::Reason::runtime_internal);
  CHECK_FALSE(wanted(*tool, nullptr, &why));
  CHECK(why == report::Reason::runtime_internal);
  Options options;
  options.internal_kernels = true;
  const auto all = make(options);
  CHECK(wanted(*all, &kFill));
  CHECK(wanted(*all, nullptr));
}

TEST_CASE("kernels_and_exclude_search_the_demangled_name") {
  Options options;
  options.kernels = "^(scale|reduce)\\(";
  options.exclude = "reduce";
  const auto tool = make(options);
  report::Reason why = report::Reason::none;
  CHECK(wanted(*tool, &kScale));
  CHECK_FALSE(wanted(*tool, &kReduce, &why));
  CHECK(why == report::Reason::filtered);
  const report::KernelInfo other = kernel("scale_other", "my::scale(int)");
  CHECK_FALSE(wanted(*tool, &other));
}

TEST_CASE("a_very_long_name_does_not_overflow_a_small_stack") {
  Options options;
  options.kernels = GENERATE("^(a|b)*c$", "(a).*a.*c");
  const auto tool = make(options);
  const std::string name = std::string(200'000, 'a') + "c";
  const report::KernelInfo info = kernel("long", name);
  bool wants = false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  struct Job {
    TimingTool* tool;
    const report::KernelInfo* info;
    bool* wants;
  } job{tool.get(), &info, &wants};
  pthread_t thread;
  REQUIRE(pthread_create(
              &thread, &attributes,
              [](void* p) -> void* {
                const auto* j = static_cast<Job*>(p);
                ReplayCall call = call_of(j->info);
                *j->wants = j->tool->wants(call);
                return nullptr;
              },
              &job) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(wants);
}

TEST_CASE("malformed_expressions_and_launches_are_refused_with_variable_and_value") {
  for (const auto& [variable, value] : {std::pair{"KREPLAY_KERNELS", "["},
                                        {"KREPLAY_KERNELS", "(ab)c\\1"},
                                        {"KREPLAY_EXCLUDE", "a("},
                                        {"KREPLAY_LAUNCHES", "x"}}) {
    Options options;
    const std::string name = variable;
    (name == "KREPLAY_KERNELS"   ? options.kernels
     : name == "KREPLAY_EXCLUDE" ? options.exclude
                                 : options.launches) = value;
    const auto tool = TimingTool::make(options);
    REQUIRE_FALSE(tool.ok());
    CHECK(tool.error() == Error::invalid_argument);
    CHECK(tool.status().message().find(name) != std::string::npos);
    CHECK(tool.status().message().find(value) != std::string::npos);
  }
}

TEST_CASE("launches_are_selected_per_kernel_and_agent") {
  Options options;
  options.launches = "2,4-5";
  const auto tool = make(options);
  std::vector<uint64_t> chosen;
  for (uint64_t i = 1; i <= 7; ++i) {
    ReplayCall call = call_of(&kScale);
    if (tool->wants(call)) chosen.push_back(call.launch);
    CHECK(call.launch == i);
    CHECK((call.skipped == report::Reason::none || call.skipped == report::Reason::filtered));
  }
  CHECK(chosen == std::vector<uint64_t>{2, 4, 5});
  ReplayCall other_agent = call_of(&kScale, 2);
  CHECK_FALSE(tool->wants(other_agent));
  CHECK(other_agent.launch == 1);
  ReplayCall other_kernel = call_of(&kReduce);
  CHECK_FALSE(tool->wants(other_kernel));
  CHECK(other_kernel.launch == 1);
}

TEST_CASE("passes_come_from_the_options") {
  Options options;
  options.passes = 3;
  const auto tool = make(options);
  ReplayCall call = call_of(&kScale);
  REQUIRE(tool->wants(call));
  const PassPlan plan = tool->config_enter(call);
  CHECK(plan.mode == PassMode::fixed);
  CHECK(plan.passes == 3);
  CHECK(tool->continue_after(call, 0));
  CHECK(tool->continue_after(call, 1));
  CHECK_FALSE(tool->continue_after(call, 2));
  options.passes = 1;
  CHECK(make(options)->config_enter(call).mode == PassMode::once);
}

TEST_CASE("a_known_kernel_costs_no_allocation") {
  Options options;
  options.kernels = "scale";
  options.exclude = "never";
  options.launches = "1-";
  const auto tool = make(options);
  ReplayCall first = call_of(&kScale), filtered = call_of(&kReduce);
  tool->wants(first);
  tool->wants(filtered);
  g_allocations = 0;
  g_counting = true;
  uint64_t wants = 0;
  for (int i = 0; i < 1000; ++i) {
    ReplayCall a = call_of(&kScale), b = call_of(&kReduce);
    wants += tool->wants(a) ? 1 : 0;
    wants += tool->wants(b) ? 1 : 0;
    tool->config_enter(a);
    tool->pass_enter(a, 0);
    tool->pass_exit(a, 0);
    tool->continue_after(a, 0);
    tool->config_exit(a);
  }
  g_counting = false;
  CHECK(wants == 1000);
  CHECK(g_allocations == 0);
}

TEST_CASE("threads_count_every_launch_once") {
  const auto tool = make({});
  std::vector<report::KernelInfo> kernels(200, kScale);
  std::vector<std::thread> threads;
  std::vector<uint64_t> sums(4);
  for (size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round)
        for (const auto& k : kernels) {
          ReplayCall call = call_of(&k);
          tool->wants(call);
          sums[t] += call.launch;
        }
    });
  for (auto& thread : threads) thread.join();
  uint64_t sum = 0;
  for (const uint64_t s : sums) sum += s;
  CHECK(sum == 200u * (80u * 81u / 2));  // per kernel 1 + 2 + ... + 80
}

TEST_CASE("warm-up passes come before those that count") {
  Options options;
  options.passes = 3;
  options.warmup = 2;
  auto tool = make(options);
  ReplayCall call = call_of(&kScale);
  const PassPlan plan = tool->config_enter(call);
  CHECK(plan.mode == PassMode::fixed);
  CHECK(plan.passes == 5);
  CHECK(call.warmup == 2);
  options.passes = 1;
  CHECK(make(options)->config_enter(call).passes == 3);
}

TEST_CASE("passes end when the median is known well enough, and the call says so") {
  Options options;
  options.until_rel_error = 0.01;
  options.min_passes = 8;
  options.max_passes = 40;
  options.warmup = 1;
  auto tool = make(options);
  ReplayCall call = call_of(&kScale);
  std::vector<uint64_t> steady(100, 5000);
  steady[0] = 90'000;  // warm-up
  CHECK(run_passes(*tool, call, steady) == 1 + 8);
  CHECK(call.passes_end == report::PassesEnd::converged);
  CHECK(call.relative_error_ppm == 0);

  ReplayCall noisy_call = call_of(&kScale);
  std::vector<uint64_t> noisy;
  for (uint64_t i = 0; i < 100; ++i) noisy.push_back(i % 2 == 0 ? 4000 : 6000);
  CHECK(run_passes(*tool, noisy_call, noisy) == 1 + 40);
  CHECK(noisy_call.passes_end == report::PassesEnd::max_passes);
  CHECK(noisy_call.relative_error_ppm > 100'000);

  options.max_time_ns = 1;
  tool = make(options);
  ReplayCall late_call = call_of(&kScale);
  CHECK(run_passes(*tool, late_call, noisy) == 1 + 8);  // the least number is run all the same
  CHECK(late_call.passes_end == report::PassesEnd::max_time);
}

TEST_CASE("the error of a growing number of passes takes no memory once its buffer is there") {
  Options options;
  options.until_rel_error = 1e-9;
  options.min_passes = 6;
  options.max_passes = 200;
  auto tool = make(options);
  std::vector<uint64_t> noisy;
  for (uint64_t i = 0; i < 200; ++i) noisy.push_back(1000 + i * 7919 % 501);
  ReplayCall first = call_of(&kScale);
  CHECK(run_passes(*tool, first, noisy) == 200);
  std::vector<report::PassTime> times;
  times.reserve(noisy.size());
  for (const uint64_t duration : noisy) times.push_back({0, duration});
  ReplayCall call = call_of(&kScale);
  tool->config_enter(call);
  g_allocations = 0;
  g_counting = true;
  for (size_t pass = 0; pass < times.size(); ++pass) {
    call.pass_times = std::span(times).first(pass + 1);
    (void)tool->continue_after(call, pass);
  }
  g_counting = false;
  CHECK(g_allocations.load() == 0);
}

TEST_CASE("only the agents that were named are replayed on") {
  Options options;
  options.agents = *NumberSet::parse("1", 0);
  auto tool = make(options);
  ReplayCall first = call_of(&kScale, 100), second = call_of(&kScale, 101);
  first.agent_index = 0;
  second.agent_index = 1;
  CHECK_FALSE(tool->wants(first));
  CHECK(first.skipped == report::Reason::filtered);
  CHECK(tool->wants(second));
}

TEST_CASE("launches outside of the markers are counted, not replayed") {
  MarkerGate gate;
  gate.configure("begin", "end");
  auto tool = std::move(*TimingTool::make(Options(), gate));
  CHECK_FALSE(wanted(*tool, &kScale));
  gate.mark("begin");
  ReplayCall inside = call_of(&kScale);
  CHECK(tool->wants(inside));
  CHECK(inside.launch == 2);
  gate.mark("end");
  CHECK_FALSE(wanted(*tool, &kScale));
}
