// ROC-TX markers of the application, for selecting launches by them (KREPLAY_FROM_MARKER, KREPLAY_TO_MARKER).
// The functions are those of libroctx64 and of librocprofiler-sdk-roctx; they are always passed on. An
// application that was linked to neither may still ask for the names and find these: they then do nothing.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "hsa/runtime_binding.hpp"
#include "intercept/exports.hpp"
#include "tool_api/marker_gate.hpp"

namespace kreplay::intercept {
namespace {

/// A function of the marker library the application uses, looked up when it is first called with one loaded.
template <typename Function>
class Next {
 public:
  explicit constexpr Next(const char* name) : name_(name) {}
  Function* get() {
    Function* function = function_.load(std::memory_order_acquire);
    if (function != nullptr) return function;
    const int saved = errno;
    function = reinterpret_cast<Function*>(hsa::find_roctx_symbol(name_));
    errno = saved;
    function_.store(function, std::memory_order_release);
    return function;
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

constinit Next<void(const char*)> g_mark("roctxMarkA");
constinit Next<int(const char*)> g_push("roctxRangePushA");
constinit Next<int()> g_pop("roctxRangePop");
constinit Next<uint64_t(const char*)> g_start("roctxRangeStartA");
constinit Next<void(uint64_t)> g_stop("roctxRangeStop");

std::string_view text_of(const char* message) {
  return message != nullptr ? std::string_view(message) : std::string_view();
}

}  // namespace
}  // namespace kreplay::intercept

extern "C" {

KR_EXPORT void roctxMarkA(const char* message) {
  using namespace kreplay;
  tool_api::marker_gate().mark(intercept::text_of(message));
  if (auto* next = intercept::g_mark.get()) next(message);
}

KR_EXPORT int roctxRangePushA(const char* message) {
  using namespace kreplay;
  tool_api::marker_gate().push(intercept::text_of(message));
  auto* next = intercept::g_push.get();
  return next != nullptr ? next(message) : -1;
}

KR_EXPORT int roctxRangePop() {
  using namespace kreplay;
  tool_api::marker_gate().pop();
  auto* next = intercept::g_pop.get();
  return next != nullptr ? next() : -1;
}

KR_EXPORT uint64_t roctxRangeStartA(const char* message) {
  using namespace kreplay;
  auto* next = intercept::g_start.get();
  const uint64_t id = next != nullptr ? next(message) : 0;
  tool_api::marker_gate().started(intercept::text_of(message), id);
  return id;
}

KR_EXPORT void roctxRangeStop(uint64_t id) {
  using namespace kreplay;
  tool_api::marker_gate().stopped(id);
  if (auto* next = intercept::g_stop.get()) next(id);
}

}  // extern "C"
