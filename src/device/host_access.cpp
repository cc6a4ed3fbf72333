#include "device/host_access.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/check.hpp"

namespace kreplay::device {
namespace {

/// What a pipe takes without blocking, unless the user has used up what is allowed (then it is less).
constexpr uint64_t kPipeBytes = 65536;

/// A filter that forbids a call stays for the life of the process.
std::atomic<bool> g_refused{false};

class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int saved_ = errno;
};

/// The C library's wrappers of these calls are cancellation points; a thread must not be unwound in here.
template <typename... A>
ssize_t uncancelled(long number, A... arguments) {
  ssize_t result = 0;
  do {
    result = syscall(number, arguments...);
  } while (result < 0 && errno == EINTR);
  return result;
}

/// @param number SYS_process_vm_readv or SYS_process_vm_writev
uint64_t by_kernel(long number, const std::byte* ours, const std::byte* theirs, uint64_t size_bytes) {
  uint64_t done = 0;
  while (done < size_bytes && !g_refused.load(std::memory_order_relaxed)) {
    const iovec local{const_cast<std::byte*>(ours) + done, size_bytes - done};
    const iovec remote{const_cast<std::byte*>(theirs) + done, size_bytes - done};
    const ssize_t moved = uncancelled(number, getpid(), &local, 1ul, &remote, 1ul, 0ul);
    if (moved > 0) {
      done += static_cast<uint64_t>(moved);
      continue;
    }
    if (moved < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES))
      g_refused.store(true, std::memory_order_relaxed);
    break;
  }
  return done;
}

}  // namespace

bool HostAccess::open_pipe() {
  return pipe_[0] >= 0 || uncancelled(SYS_pipe2, pipe_, O_CLOEXEC | O_NONBLOCK) == 0;
}

void HostAccess::close_pipe() {
  if (pipe_[0] < 0) return;
  const KeepErrno keep;
  for (int& end : pipe_) {
    (void)syscall(SYS_close, end);
    end = -1;
  }
}

/// In steps that end with a page of the other side, so that a page that cannot be accessed takes nothing of
/// its neighbour with it.
uint64_t HostAccess::read_by_pipe(std::byte* to, const std::byte* theirs, uint64_t size_bytes) {
  uint64_t done = 0;
  while (done < size_bytes) {
    if (!open_pipe()) return done;
    const uint64_t left = left_in_page(theirs + done);
    const uint64_t step = std::min(size_bytes - done, left < kPageBytes ? left : kPipeBytes);
    const ssize_t put = uncancelled(SYS_write, pipe_[1], theirs + done, step);
    if (put <= 0) return done;
    KR_CHECK(static_cast<uint64_t>(put) <= step, "the pipe gives back no more than what there is room for");
    for (ssize_t got = 0; got < put;) {
      const ssize_t more = uncancelled(SYS_read, pipe_[0], to + done + got, static_cast<size_t>(put - got));
      if (more <= 0) {
        close_pipe();
        return done;
      }
      got += more;
    }
    done += static_cast<uint64_t>(put);
  }
  return done;
}

uint64_t HostAccess::write_by_pipe(std::byte* theirs, const std::byte* from, uint64_t size_bytes) {
  uint64_t done = 0;
  while (done < size_bytes) {
    if (!open_pipe()) return done;
    const uint64_t left = left_in_page(theirs + done);
    const uint64_t step = std::min(size_bytes - done, left < kPageBytes ? left : kPipeBytes);
    // What does not fit in would come out in the next step, over other bytes of the application's.
    KR_CHECK(step <= kPipeBytes, "a step is no longer than what an empty pipe takes");
    const ssize_t put = uncancelled(SYS_write, pipe_[1], from + done, step);
    if (put <= 0) return done;
    for (ssize_t got = 0; got < put;) {
      const ssize_t more =
          uncancelled(SYS_read, pipe_[0], theirs + done + got, static_cast<size_t>(put - got));
      if (more <= 0) {
        close_pipe();  // with what is left in it
        return done + static_cast<uint64_t>(got);
      }
      got += more;
    }
    done += static_cast<uint64_t>(put);
  }
  return done;
}

uint64_t HostAccess::read(std::byte* to, const std::byte* theirs, uint64_t size_bytes) {
  const KeepErrno keep;
  const uint64_t done = way_ == Way::pipe ? 0 : by_kernel(SYS_process_vm_readv, to, theirs, size_bytes);
  if (done == size_bytes) return done;
  return done + read_by_pipe(to + done, theirs + done, size_bytes - done);
}

uint64_t HostAccess::write(std::byte* theirs, const std::byte* from, uint64_t size_bytes) {
  const KeepErrno keep;
  const uint64_t done = way_ == Way::pipe ? 0 : by_kernel(SYS_process_vm_writev, from, theirs, size_bytes);
  if (done == size_bytes) return done;
  return done + write_by_pipe(theirs + done, from + done, size_bytes - done);
}

bool HostAccess::mapped(const std::byte* theirs) {
  const KeepErrno keep;
  unsigned char ignored = 0;
  const uint64_t page = reinterpret_cast<uint64_t>(theirs) / kPageBytes * kPageBytes;
  return mincore(reinterpret_cast<void*>(page), 1, &ignored) == 0 || errno != ENOMEM;
}

}  // namespace kreplay::device
