// Writing from inside somebody else's process: no signal that a write raises reaches the program, a reader
// that does not read holds nobody up for ever, and a thread is not cancelled half-way.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string_view>

namespace kreplay {

/// While it lives, this thread gets no SIGPIPE, SIGXFSZ or SIGTTOU.
class WriteSignals {
 public:
  WriteSignals() noexcept;
  ~WriteSignals();
  WriteSignals(const WriteSignals&) = delete;
  WriteSignals& operator=(const WriteSignals&) = delete;

  /// Takes back the signal that a failed call raised: EPIPE raises SIGPIPE, EFBIG raises SIGXFSZ. One that
  /// was pending before stays pending, and so does one that somebody sent.
  void take_back(int error) noexcept;

 private:
  sigset_t before_{};
  sigset_t pending_{};  ///< of those that were blocked before
};

/// Writes all of `text` to a descriptor of our own. Keeps errno.
/// @param patience_ns how long a descriptor that does not block (O_NONBLOCK) may take nothing
/// @return 0, or the errno of the failure (ETIMEDOUT: patience is over); then a part may have been written
int write_all(int fd, std::string_view text, uint64_t patience_ns) noexcept;

/// The same to a descriptor that is not ours alone, whose flags we must not change (standard error).
int write_shared(int fd, std::string_view text, uint64_t patience_ns) noexcept;

/// ftruncate(2), which raises SIGXFSZ beyond the limit of file sizes. Keeps errno.
/// @return 0 or the errno of the failure
int set_file_size(int fd, uint64_t bytes) noexcept;

}  // namespace kreplay
