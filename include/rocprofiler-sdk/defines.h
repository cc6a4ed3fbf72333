/* Linkage and attribute macros of the tool interface.
 *
 * The headers in this folder describe the binary interface of ROCprofiler-SDK that tools are compiled
 * against: names, values and layouts agree with it, the text is our own. A tool built against either set of
 * headers loads unchanged. Every header compiles alone as C11 and as C++17 and needs nothing but <stddef.h>
 * and <stdint.h>.
 */
#ifndef KREPLAY_ROCPROFILER_SDK_DEFINES_H
#define KREPLAY_ROCPROFILER_SDK_DEFINES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define ROCPROFILER_EXTERN_C_INIT extern "C" {
#define ROCPROFILER_EXTERN_C_FINI }
#define ROCPROFILER_CXX_CODE(...) __VA_ARGS__
#define ROCPROFILER_NOEXCEPT
#else
#define ROCPROFILER_EXTERN_C_INIT
#define ROCPROFILER_EXTERN_C_FINI
#define ROCPROFILER_CXX_CODE(...)
#define ROCPROFILER_NOEXCEPT
#endif

#if defined(__GNUC__)
#define ROCPROFILER_EXPORT __attribute__((visibility("default")))
#define ROCPROFILER_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#define ROCPROFILER_SDK_DEPRECATED(text) __attribute__((deprecated(text)))
#else
#define ROCPROFILER_EXPORT
#define ROCPROFILER_NONNULL(...)
#define ROCPROFILER_SDK_DEPRECATED(text)
#endif

/* Placed after a declaration's parameter list, or before it. */
#define ROCPROFILER_API ROCPROFILER_EXPORT
#define ROCPROFILER_PUBLIC_API ROCPROFILER_EXPORT
#define ROCPROFILER_SDK_EXPERIMENTAL

#define ROCPROFILER_UINT64_C(value) UINT64_C(value)
#if defined(__cplusplus)
/* A type cannot stand in parentheses there. NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define ROCPROFILER_HANDLE_LITERAL(type, value) (type{value})
#else
#define ROCPROFILER_HANDLE_LITERAL(type, value) ((type){value})
#endif

#endif
