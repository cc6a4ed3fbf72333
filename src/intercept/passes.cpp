// Table: exported names that are only passed on (KR_PASS) and deprecated names of other functions (KR_ALIAS).
//
// Each is one indirect jump through a slot of ours, like the runtime's own exports: no frame, so callbacks
// may throw through it and debuggers step over it. A slot starts at a function that looks the runtime up;
// once it is bound the slot holds the runtime's address.

#include <type_traits>

#include "intercept/exports.hpp"
#include "intercept/process.hpp"

#if !defined(__x86_64__)
#error "the exported jumps are written for x86-64"
#endif

namespace kreplay::intercept {
namespace {

template <auto Member>
struct Forward;

template <typename R, typename... A, R (*hsa::HsaApi::*Member)(A...)>
struct Forward<Member> {
  /// Without a runtime, or with one that lacks the function, the call fails as an unknown one would.
  static R call(A... args) {
    const auto function = process::real().*Member;
    if (function != nullptr) return function(args...);
    if constexpr (std::is_same_v<R, hsa_status_t>)
      return HSA_STATUS_ERROR;
    else
      return R();
  }
};

}  // namespace
}  // namespace kreplay::intercept

#define KR_SLOT(fn) kreplay_slot_##fn
#define KR_JUMP(fn)                    \
  __asm__(                             \
      ".pushsection .text\n"           \
      ".balign 16\n"                   \
      ".globl " #fn                    \
      "\n"                             \
      ".type " #fn ", @function\n" #fn \
      ":\n"                            \
      ".cfi_startproc\n"               \
      "endbr64\n"                      \
      "jmp *kreplay_slot_" #fn         \
      "(%rip)\n"                       \
      ".cfi_endproc\n"                 \
      ".size " #fn ", .-" #fn          \
      "\n"                             \
      ".popsection\n");

extern "C" {
#define KR_PASS(fn)                                                         \
  __attribute__((visibility("hidden"), used)) decltype(&::fn) KR_SLOT(fn) = \
      &kreplay::intercept::Forward<&kreplay::hsa::HsaApi::fn>::call;        \
  KR_JUMP(fn)
#define KR_ALIAS(fn, target)                                                           \
  __attribute__((visibility("hidden"), used)) decltype(&::fn) KR_SLOT(fn) = &::target; \
  KR_JUMP(fn)
#include "hsa/entry_points.def"
}

namespace kreplay::intercept {

void point_passes_at(const hsa::HsaApi& api) {
#define KR_PASS(fn) \
  if (api.fn != nullptr) __atomic_store_n(&KR_SLOT(fn), api.fn, __ATOMIC_RELEASE);
#include "hsa/entry_points.def"
}

}  // namespace kreplay::intercept
