// pattern_program LIBRARY: what becomes of a pattern of LIBRARY in this program.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#ifdef OTHER_RE2
// What an RE2 of another version has under the same name; nobody may call it.
extern "C" __attribute__((visibility("default"))) void _ZN3re26Regexp6DecrefEv() { __builtin_trap(); }
#endif

namespace {

using Try = const char* (*)(const char*, const char*);
int failures = 0;

void check(const std::string& answer, const char* holds) {
  if (answer.find(holds) != std::string::npos) return;
  std::printf("FAILED: \"%s\" does not hold \"%s\"\n", answer.c_str(), holds);
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const auto try_pattern =
      library == nullptr ? nullptr : reinterpret_cast<Try>(dlsym(library, "try_pattern"));
  if (try_pattern == nullptr) {
    std::printf("FAILED: %s\n", dlerror());
    return 1;
  }
  if (chdir("/") != 0) return 1;  // the library was loaded by a relative name
#ifdef OTHER_RE2
  check(try_pattern("sum<.*>", "sum<float>"),
        "KREPLAY_KERNELS=\"sum<.*>\": not usable: the program has an RE2 of its own (");
  check(try_pattern("sum<.*>", "sum<float>"), "base_other_re2)");
#else
  check(
      try_pattern("(a)\\1", "aa"),
      "KREPLAY_KERNELS=\"(a)\\1\": not a regular expression (back-references are not supported); accepted: ");
  check(try_pattern("sum<.*>", "sum<float>"), "matches");
  if (dlsym(RTLD_DEFAULT, "_ZN3re26Regexp6DecrefEv") != nullptr)
    check("RE2 reached the program's scope", "nothing");
#endif
  return failures == 0 ? 0 : 1;
}
