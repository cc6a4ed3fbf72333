#include "support/e2e_counting/faults.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "hsa/hsa_api.hpp"
#include "support/e2e_counting/counting.hpp"

namespace {

enum Wrapped {
#define KR_HOOK(fn) k_##fn,
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"
  k_iterate_loaded,
  k_loaded_info,
  k_malloc,
  k_runtime,
  k_system,
  kWrapped
};

const char* const kNames[kWrapped] = {
#define KR_HOOK(fn) #fn,
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"
    "iterate_loaded", "loaded_info", "malloc", "runtime", "system",
};

enum class How : uint8_t { status, lost, failed };

struct Fault {
  uint64_t first = 0;  ///< 0: none
  uint64_t last = 0;
  How how = How::status;
  uint32_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
};

Fault g_faults[kWrapped];
std::atomic<uint64_t> g_calls[kWrapped];
std::atomic<uint64_t> g_injected{0};
std::atomic<bool> g_armed{false};
thread_local bool t_armed __attribute__((tls_model("initial-exec"))) = false;
thread_local bool t_looking __attribute__((tls_model("initial-exec"))) = false;

[[noreturn]] void refuse(const char* text) {
  dprintf(2, "e2e-counting: KRTEST_FAIL: cannot read '%s'\n", text);
  _exit(126);
}

void parse_one(const char* text) {
  const char* colon = std::strchr(text, ':');
  if (colon == nullptr) refuse(text);
  for (int i = 0; i < kWrapped; ++i) {
    if (std::strlen(kNames[i]) != static_cast<size_t>(colon - text) ||
        std::strncmp(kNames[i], text, static_cast<size_t>(colon - text)) != 0)
      continue;
    Fault& fault = g_faults[i];
    fault = {};
    char* end = nullptr;
    fault.first = fault.last = std::strtoull(colon + 1, &end, 10);
    if (*end == '-')
      fault.last = end[1] == ':' || end[1] == '\0' ? (++end, UINT64_MAX) : std::strtoull(end + 1, &end, 10);
    if (*end == ':') {
      const char* how = end + 1;
      if (std::strcmp(how, "lost") == 0) {
        fault.how = How::lost;
      } else if (std::strcmp(how, "failed") == 0) {
        fault.how = How::failed;
      } else {
        fault.status = static_cast<uint32_t>(std::strtoul(how, &end, 0));
        if (*end != '\0' || end == how) refuse(text);
      }
    } else if (*end != '\0') {
      refuse(text);
    }
    return;
  }
  refuse(text);
}

/// The fault for this call of `which`, or null.
const Fault* due(int which) {
  if (!g_armed.load(std::memory_order_relaxed)) return nullptr;
  const uint64_t call = g_calls[which].fetch_add(1, std::memory_order_relaxed) + 1;
  const Fault& fault = g_faults[which];
  if (fault.first == 0 || call < fault.first || call > fault.last) return nullptr;
  g_injected.fetch_add(1, std::memory_order_relaxed);
  return &fault;
}

// Who calls
// ----------------------------------------------------------------------------------------------------------

struct Caller {
  bool kreplay = false;  ///< the innermost frame that is not the C or C++ library's, or ours, is libkreplay's
  const char* entry = nullptr;  ///< the exported function through which libkreplay was entered, if it was
};

Caller caller() {
  void* frames[48];
  const int count = backtrace(frames, 48);
  Caller out;
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr) continue;
    const char* file = std::strrchr(info.dli_fname, '/');
    file = file == nullptr ? info.dli_fname : file + 1;
    const bool kreplay = std::strstr(file, "libkreplay.so") == file;
    if (out.kreplay) {
      if (!kreplay) break;
      out.entry = info.dli_sname;
      continue;
    }
    if (std::strstr(file, "libe2e-counting") == file || std::strstr(file, "libc.so") == file ||
        std::strstr(file, "libstdc++") == file || std::strstr(file, "libgcc_s") == file)
      continue;
    if (!kreplay) break;
    out.kreplay = true;
    out.entry = info.dli_sname;
  }
  return out;
}

/// Whether a signal handler is on the stack of this thread.
bool in_signal_handler() {
  bool found = false;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* out) {
        int interrupted = 0;  // the frame below a handler's is that of an instruction, not of a call
        _Unwind_GetIPInfo(frame, &interrupted);
        if (interrupted != 0) *static_cast<bool*>(out) = true;
        return _URC_NO_REASON;
      },
      &found);
  return found;
}

/// KRTEST_STRICT: an allocation of libkreplay where nothing may allocate ends the process: in a signal
/// handler, and in a fork child that has not called the runtime.
const bool g_strict = std::getenv("KRTEST_STRICT") != nullptr;
bool g_child = false;
uint64_t g_calls_at_fork = 0;
const int g_at_fork = pthread_atfork(nullptr, nullptr, [] {
  g_child = true;
  g_calls_at_fork = e2e_counting_all_calls();
});

void look_at_allocation() {
  const Caller by = caller();
  if (!by.kreplay) return;
  const bool for_the_runtime = by.entry != nullptr && std::strncmp(by.entry, "hsa_", 4) == 0;
  const bool child = g_child && !for_the_runtime && e2e_counting_all_calls() == g_calls_at_fork;
  if (!child && !in_signal_handler()) return;
  dprintf(2, "e2e-counting: libkreplay allocates in %s\n",
          child ? "a fork child that has not called the runtime" : "a signal handler");
  void* frames[40];
  backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
  std::abort();
}

/// Whether libkreplay makes this call for itself, and it is the one that must fail.
const Fault* own_call_due(int which, const char* name) {
  if (!g_armed.load(std::memory_order_relaxed) || g_faults[k_runtime].first == 0 || t_looking) return nullptr;
  t_looking = true;
  const Caller by = caller();
  const bool handed_on = by.entry != nullptr && std::strcmp(by.entry, name) == 0;
  const Fault* fault = by.kreplay && !handed_on ? due(which) : nullptr;
  t_looking = false;
  if (fault != nullptr && std::getenv("KRTEST_SHOW") != nullptr) dprintf(2, "e2e-counting: %s fails\n", name);
  return fault;
}

template <int Which, typename Function>
struct Wrapper;
template <int Which, typename... A>
struct Wrapper<Which, hsa_status_t (*)(A...)> {
  static inline hsa_status_t (*next)(A...) = nullptr;
  static hsa_status_t call(A... args) {
    const Fault* fault = due(Which);
    if (fault == nullptr) fault = own_call_due(k_runtime, kNames[Which]);
    if (fault != nullptr) {
      if constexpr (sizeof...(A) == 0) {
        return static_cast<hsa_status_t>(fault->status);
      } else if constexpr (std::is_same_v<std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>,
                                          hsa_signal_t>) {
        const hsa_signal_t completion = std::get<sizeof...(A) - 1>(std::tuple<A...>(args...));
        if (fault->how == How::failed) hsa_signal_store_screlease(completion, -1);
        if (fault->how != How::status) return HSA_STATUS_SUCCESS;
      }
      return static_cast<hsa_status_t>(fault->status);
    }
    return next(args...);
  }
};

template <int Which, typename Function>
void* wrap(Function& slot) {
  using W = Wrapper<Which, std::remove_const_t<Function>>;
  W::next = slot;
  return reinterpret_cast<void*>(&W::call);
}

template <typename Function>
constexpr bool kReturnsStatus = false;
template <typename... A>
constexpr bool kReturnsStatus<hsa_status_t (*)(A...)> = true;

/// The loader extension hands out pointers, so its table is changed on its way up.
decltype(&hsa_system_get_major_extension_table) g_next_table = nullptr;
hsa_status_t extension_table(uint16_t extension, uint16_t major, size_t bytes, void* table) {
  const hsa_status_t status = g_next_table(extension, major, bytes, table);
  using Table = hsa_ven_amd_loader_1_01_pfn_t;
  if (status != HSA_STATUS_SUCCESS || extension != HSA_EXTENSION_AMD_LOADER || bytes < sizeof(Table))
    return status;
  auto& loader = *static_cast<Table*>(table);
  auto& iterate = loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects;
  auto& info = loader.hsa_ven_amd_loader_loaded_code_object_get_info;
  iterate = reinterpret_cast<std::decay_t<decltype(iterate)>>(wrap<k_iterate_loaded>(iterate));
  info = reinterpret_cast<std::decay_t<decltype(info)>>(wrap<k_loaded_info>(info));
  return status;
}

}  // namespace

namespace e2e_counting {

void* with_faults(const char* name, void* next) {
  if (std::strcmp(name, "hsa_system_get_major_extension_table") == 0) {
    g_next_table = reinterpret_cast<decltype(g_next_table)>(next);
    return reinterpret_cast<void*>(&extension_table);
  }
#define KR_HOOK(fn)                                                               \
  if (std::strcmp(name, #fn) == 0) {                                              \
    auto function = reinterpret_cast<decltype(&::fn)>(next);                      \
    if constexpr (kReturnsStatus<decltype(&::fn)>) return wrap<k_##fn>(function); \
  }
#define KR_PASS(fn) KR_HOOK(fn)
#define KR_ALIAS(fn, target) KR_HOOK(fn)
#include "hsa/entry_points.def"
  return nullptr;
}

bool malloc_fails() {
  if (g_strict && !t_looking) {
    t_looking = true;
    look_at_allocation();
    t_looking = false;
  }
  if (!t_armed || t_looking) return false;
  t_looking = true;
  const bool fails = caller().kreplay && due(k_malloc) != nullptr;
  t_looking = false;
  return fails;
}

bool system_call_fails(const char* name) {
  if (!g_armed.load(std::memory_order_relaxed) || g_faults[k_system].first == 0 || t_looking) return false;
  t_looking = true;
  const bool fails = caller().kreplay && due(k_system) != nullptr;
  t_looking = false;
  if (fails && std::getenv("KRTEST_SHOW") != nullptr) dprintf(2, "e2e-counting: %s fails\n", name);
  return fails;
}

}  // namespace e2e_counting

extern "C" {

__attribute__((visibility("default"))) void e2e_faults_set(const char* text) {
  for (Fault& fault : g_faults) fault = {};
  char copy[512] = "";
  std::strncpy(copy, text, sizeof copy - 1);
  char* rest = nullptr;
  for (char* one = strtok_r(copy, ",", &rest); one != nullptr; one = strtok_r(nullptr, ",", &rest))
    parse_one(one);
}

__attribute__((visibility("default"))) void e2e_faults_arm() {
  static bool once = false;
  if (!once) {
    once = true;
    void* frame = nullptr;
    (void)backtrace(&frame, 1);  // loads the unwinder now: it allocates
    const char* text = std::getenv("KRTEST_FAIL");
    if (text != nullptr) e2e_faults_set(text);
  }
  for (auto& calls : g_calls) calls = 0;
  g_injected = 0;
  t_armed = g_faults[k_malloc].first != 0;
  g_armed = true;
}

__attribute__((visibility("default"))) void e2e_faults_disarm() {
  t_armed = false;
  g_armed = false;
}

__attribute__((visibility("default"))) void e2e_faults_spare_allocations(bool spare) {
  t_armed = !spare && g_armed.load() && g_faults[k_malloc].first != 0;
}

__attribute__((visibility("default"))) uint64_t e2e_faults_injected() { return g_injected.load(); }

__attribute__((visibility("default"))) uint64_t e2e_faults_calls(const char* name) {
  for (int i = 0; i < kWrapped; ++i)
    if (std::strcmp(kNames[i], name) == 0) return g_calls[i].load();
  return 0;
}

}  // extern "C"
