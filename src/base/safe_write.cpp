#include "base/safe_write.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/cancel_guard.hpp"
#include "base/clock.hpp"
#include "base/files.hpp"

namespace kreplay {
namespace {

constexpr int kRaised[] = {SIGPIPE, SIGXFSZ, SIGTTOU};

class Patience {
 public:
  explicit Patience(uint64_t ns) : limit_ns_(ns) {}

  /// Something was taken.
  void renew() { since_ns_ = 0; }
  /// @return false when the descriptor takes nothing in time
  bool wait(int fd) {
    for (;;) {
      const uint64_t now = monotonic_ns();
      if (since_ns_ == 0) since_ns_ = now;
      const uint64_t left = since_ns_ + limit_ns_ > now ? since_ns_ + limit_ns_ - now : 0;
      pollfd item{fd, POLLOUT, 0};
      const int ready =
          ::poll(&item, 1, static_cast<int>(std::min<uint64_t>((left + 999'999) / 1'000'000, 60'000)));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
      if (left == 0) return false;
    }
  }

 private:
  const uint64_t limit_ns_;
  uint64_t since_ns_ = 0;
};

/// @param ask whether to wait before each piece, because writing itself would wait
/// @param send(text) one attempt: write(2) or what stands for it
template <typename Send>
int write_pieces(int fd, std::string_view text, uint64_t patience_ns, bool ask, Send send) noexcept {
  const int saved_errno = errno;
  const CancelGuard whole;
  WriteSignals held;
  Patience patience(patience_ns);
  int error = 0;
  while (!text.empty()) {
    if (ask && !patience.wait(fd)) {
      error = ETIMEDOUT;
      break;
    }
    const ssize_t n = send(text);
    if (n > 0) {
      text.remove_prefix(static_cast<size_t>(n));
      patience.renew();
    } else if (n == 0) {
      error = ENOSPC;
      break;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (patience.wait(fd)) continue;
      error = ETIMEDOUT;
      break;
    } else if (errno != EINTR) {
      error = errno;
      held.take_back(error);
      break;
    }
  }
  errno = saved_errno;
  return error;
}

}  // namespace

WriteSignals::WriteSignals() noexcept {
  sigset_t held;
  sigemptyset(&held);
  sigemptyset(&pending_);
  for (const int signal : kRaised) sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  for (const int signal : kRaised) {
    if (sigismember(&before_, signal) == 0) continue;  // what is not blocked cannot be pending
    ::sigpending(&pending_);
    break;
  }
}

WriteSignals::~WriteSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void WriteSignals::take_back(int error) noexcept {
  const int signal = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
  if (signal == 0 || sigismember(&pending_, signal) != 0) return;
  const int saved_errno = errno;
  const CancelGuard whole;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  const timespec now{};
  // The kernel hands out this thread's own signal, which is what a call raises, before the process's.
  while (::sigtimedwait(&one, nullptr, &now) < 0 && errno == EINTR) {
  }
  errno = saved_errno;
}

int write_all(int fd, std::string_view text, uint64_t patience_ns) noexcept {
  return write_pieces(fd, text, patience_ns, false,
                      [fd](std::string_view rest) { return ::write(fd, rest.data(), rest.size()); });
}

int write_shared(int fd, std::string_view text, uint64_t patience_ns) noexcept {
  const CancelGuard whole;
  const auto write_some = [fd](std::string_view rest) {
    return ::write(fd, rest.data(), std::min<size_t>(rest.size(), PIPE_BUF));
  };
  switch (FileIdentity::of(fd).type) {
    case 0:
      return EBADF;
    case S_IFREG:
      return write_all(fd, text, patience_ns);
    case S_IFSOCK:
      return write_pieces(fd, text, patience_ns, false, [fd](std::string_view rest) {
        return ::send(fd, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      });
    case S_IFIFO:
      // Two writers may both be told that there is room for one: only an own description never blocks.
      if (const int mine = open_again(fd); mine >= 0) {
        const int error = write_all(mine, text, patience_ns);
        ::close(mine);
        return error;
      } else if (mine == -ENXIO) {
        return EPIPE;
      }
      return write_pieces(fd, text, patience_ns, true, write_some);
    default:
      return write_pieces(fd, text, patience_ns, true, write_some);
  }
}

int set_file_size(int fd, uint64_t bytes) noexcept {
  const int saved_errno = errno;
  WriteSignals held;
  const int error = ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  held.take_back(error);
  errno = saved_errno;
  return error;
}

}  // namespace kreplay
