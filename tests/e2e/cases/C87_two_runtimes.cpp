// C87: a second copy of the runtime in the process. The library says so and stays passive; the application
// works.
//
//   loaded_before         a copy of the file, opened before hsa_init
//   another_namespace     the same file, opened with dlmopen before hsa_init
//
// A copy cannot be initialised beside the first one here: they share the library below, which opens the
// driver once. What then happens is in unit intercept.
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "cases/in_place_update.hpp"
#include "cases/late_runtime.hpp"
#include "support/hsa_check.hpp"

namespace {

constexpr const char* kRuntime = "libhsa-runtime64.so.1";

/// The file that kRuntime was found in.
std::filesystem::path runtime_file() {
  Dl_info info{};
  void* handle = dlopen(kRuntime, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr || dladdr(dlsym(handle, "hsa_init"), &info) == 0) {
    std::printf("error no runtime\n");
    std::exit(2);
  }
  return std::filesystem::canonical(info.dli_fname);
}

void* open_copy() {
  const auto copy = std::filesystem::current_path() / kRuntime;
  std::filesystem::copy_file(runtime_file(), copy, std::filesystem::copy_options::overwrite_existing);
  return dlopen(copy.c_str(), RTLD_LAZY | RTLD_LOCAL);
}

void launch(e2e::Checks& checks, const e2e::Agents& agents) {
  const unsigned count = 300;
  auto x = e2e::random_values<unsigned>(count, 871);
  const auto y = e2e::random_values<unsigned>(count, 872);
  e2e::update_in_place(checks, agents, x, y, 2);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  e2e::Checks checks("C87_two_runtimes");
  checks.that("functions", e2e::open_runtime(kRuntime) > 100);
  if (how == "loaded_before") checks.that("copy", open_copy() != nullptr);
  if (how == "another_namespace")
    checks.that("copy", dlmopen(LM_ID_NEWLM, runtime_file().c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr);
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  launch(checks, agents);
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
