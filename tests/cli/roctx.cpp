// Stands for libroctx64.so.4: counts the calls, so that a test sees that they arrive.
#include <cstdint>

#define ROCTX_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" {
__attribute__((visibility("default"))) int roctx_calls = 0;
}

ROCTX_EXPORT void roctxMarkA(const char*) { ++roctx_calls; }
ROCTX_EXPORT int roctxRangePushA(const char*) { return roctx_calls++; }
ROCTX_EXPORT int roctxRangePop() { return roctx_calls++; }
ROCTX_EXPORT uint64_t roctxRangeStartA(const char*) { return static_cast<uint64_t>(++roctx_calls); }
ROCTX_EXPORT void roctxRangeStop(uint64_t) { ++roctx_calls; }
