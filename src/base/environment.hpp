// The one place that reads the environment. In secure execution (set-uid, set-gid, file capabilities) the
// caller of the program has fewer rights than the program, so nothing the caller says may name a file or
// change what runs: our own variables are as if they were not set.
#pragma once

namespace kreplay {

/// AT_SECURE of this process.
bool secure_execution() noexcept;

/// getenv(3) for a variable that we obey; null in secure execution.
const char* own_variable(const char* name) noexcept;

/// `environ`, or an empty array in secure execution. NULL-terminated, never null.
const char* const* own_environment() noexcept;

/// getenv(3) for a variable that the runtime or HIP obeys and we only have to know of. They read it in secure
/// execution, too. Not for names of files.
const char* foreign_variable(const char* name) noexcept;

}  // namespace kreplay
