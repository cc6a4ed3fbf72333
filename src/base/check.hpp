// Assertions that stay in release builds, for what only our own bug can break.
#pragma once

namespace kreplay {

/// Says once where and what, and calls the action. Never throws, never ends the process.
void check_failed(const char* file, int line, const char* what) noexcept;

/// What is done when a check fails, beside the message: the library ends replay for the process. The action
/// must not take locks, since checks stand under any of them. Null, the default: nothing more.
void set_check_action(void (*action)(const char* what) noexcept) noexcept;

}  // namespace kreplay

/// `what` is the sentence that must hold. The program goes on either way: nothing may depend on a false
/// condition but the quality of the replay; where memory would be wrong, fatal() is the answer.
#define KR_CHECK(condition, what) static_cast<void>(KR_HOLDS(condition, what))

/// The same, telling whether it holds: for what the next line could not do without.
#define KR_HOLDS(condition, what)                    \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? true                                        \
       : (::kreplay::check_failed(__FILE__, __LINE__, what), false))
