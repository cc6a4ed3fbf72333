#include "base/name_pattern.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/pattern_engine.h"

namespace kreplay {
namespace {

constexpr const char* kLibrary = "libkreplay-pattern.so";
/// A function that every version of RE2 has under this name.
constexpr const char* kAnyRe2 = "_ZN3re26Regexp6DecrefEv";

using Engine = struct kreplay_pattern_engine;
std::atomic<const Engine*> g_engine{nullptr};

std::string object_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "the program";
}

/// Where a name relative to the folder at the start leads; empty: the loader's name is a whole path.
char g_own_path[PATH_MAX];
__attribute__((constructor)) void remember_own_path() {
  Dl_info info{};
  if (::dladdr(g_own_path, &info) == 0 || info.dli_fname == nullptr || info.dli_fname[0] == '/') return;
  if (::realpath(info.dli_fname, g_own_path) == nullptr) g_own_path[0] = '\0';
}

Result<const Engine*> load() {
  const std::string own = g_own_path[0] != '\0' ? g_own_path : object_of(g_own_path);
  const std::string path = own.substr(0, own.rfind('/') + 1) + kLibrary;
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return {Error::not_found, "not usable: the pattern library cannot be loaded (" +
                                  std::string(why != nullptr ? why : path.c_str()) + ")"};
  }
  // The program's names come first also for what is loaded here; with another version's functions nothing
  // works.
  void* theirs = ::dlsym(RTLD_DEFAULT, kAnyRe2);
  if (theirs != nullptr && theirs != ::dlsym(handle, kAnyRe2)) {
    ::dlclose(handle);
    return {Error::not_found, "not usable: the program has an RE2 of its own (" + object_of(theirs) + ")"};
  }
  const auto* engine = static_cast<const Engine*>(::dlsym(handle, "kreplay_pattern_engine"));
  if (engine == nullptr) return {Error::not_found, "not usable: " + path + " is of another version"};
  return engine;
}

Result<const Engine*> engine() {
  if (&::kreplay_pattern_engine != nullptr) return &::kreplay_pattern_engine;
  if (const Engine* known = g_engine.load(std::memory_order_acquire)) return known;
  auto loaded = load();  // two threads may do so at once: the library is the same
  if (loaded) g_engine.store(*loaded, std::memory_order_release);
  return loaded;
}

}  // namespace

bool NamePattern::engine_at_hand() {
  return &::kreplay_pattern_engine != nullptr || g_engine.load(std::memory_order_acquire) != nullptr;
}

Result<NamePattern> NamePattern::compile(std::string_view expression) {
  if (expression.size() > kMaxBytes)
    return {Error::invalid_argument, "longer than " + std::to_string(kMaxBytes) + " characters"};
  auto at_hand = engine();
  if (!at_hand) return at_hand.status();
  std::array<char, 256> why{};
  void* compiled = (*at_hand)->compile(expression.data(), expression.size(), why.data(), why.size());
  if (compiled == nullptr)
    return {Error::invalid_argument, std::string("not a regular expression (") + why.data() + ")"};
  g_engine.store(*at_hand, std::memory_order_release);
  return NamePattern(std::unique_ptr<void, Destroy>(compiled, (*at_hand)->destroy));
}

bool NamePattern::matches(std::string_view name) const {
  return g_engine.load(std::memory_order_acquire)->matches(compiled_.get(), name.data(), name.size()) != 0;
}

}  // namespace kreplay
