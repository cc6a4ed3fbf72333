// C87: the tables of two runtimes. Each case in a child, because what it does to the process is for good.

#define AMD_INTERNAL_BUILD
#include <dlfcn.h>
#include <hsa/hsa_api_trace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "intercept/process.hpp"

extern "C" bool OnLoad(void* table, uint64_t runtime_version, uint64_t failed_tool_count,
                       const char* const* failed_tool_names);

namespace {

struct FakeRuntime {
  explicit FakeRuntime(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    const auto get = reinterpret_cast<HsaApiTable* (*)()>(dlsym(handle, "fake_runtime_table"));
    table = get();
    original = table->amd_ext_->hsa_amd_memory_pool_free_fn;
  }
  bool patched() const { return table->amd_ext_->hsa_amd_memory_pool_free_fn != original; }
  void* handle;
  HsaApiTable* table = nullptr;
  decltype(&hsa_amd_memory_pool_free) original = nullptr;
};

/// @return what the child answered
template <typename Child>
int in_child(Child&& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = -1;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

bool passive() { return kreplay::intercept::process::g_phase.load() == kreplay::intercept::Phase::passive; }

}  // namespace

TEST_CASE("C87: the table of a second runtime is left alone, and replay ends") {
  CHECK(in_child([] {
          const FakeRuntime first(KREPLAY_FAKE_RUNTIME_A);
          OnLoad(first.table, 0, 0, nullptr);
          if (!first.patched() || passive()) return 1;
          OnLoad(first.table, 0, 0, nullptr);  // its next life
          if (passive()) return 2;
          const FakeRuntime second(KREPLAY_FAKE_RUNTIME_B);
          OnLoad(second.table, 0, 0, nullptr);
          if (second.patched() || !passive()) return 3;
          const auto* saved = kreplay::intercept::process::g_table.load();
          return saved->hsa_amd_memory_pool_free == first.original ? 0 : 4;
        }) == 0);
}

TEST_CASE("C81: a runtime that was closed and one opened from elsewhere are not two") {
  CHECK(in_child([] {
          const FakeRuntime first(KREPLAY_FAKE_RUNTIME_A);
          OnLoad(first.table, 0, 0, nullptr);
          if (dlclose(first.handle) != 0) return 1;
          const FakeRuntime second(KREPLAY_FAKE_RUNTIME_B);
          OnLoad(second.table, 0, 0, nullptr);
          return second.patched() && !passive() ? 0 : 2;
        }) == 0);
}
