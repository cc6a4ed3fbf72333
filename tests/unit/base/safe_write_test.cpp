#include "base/safe_write.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "base/stderr.hpp"

using namespace kreplay;

namespace {

constexpr uint64_t kShort = 50'000'000;

/// Runs `body` in a process of its own, for what is the process's: signals, limits, standard error.
/// @return what waitpid says: 0 when the body returned true
template <typename Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

struct Pipe {
  Pipe() { REQUIRE(::pipe(ends) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  int ends[2];
};

bool pending(int signal) {
  sigset_t set;
  ::sigpending(&set);
  return sigismember(&set, signal) != 0;
}

}  // namespace

TEST_CASE("a pipe without reader is an error, not a signal") {
  for (const bool shared : {false, true}) {
    CHECK(in_child([&] {
            int ends[2];
            if (::pipe(ends) != 0) return false;
            ::close(ends[0]);
            errno = 7;
            const int error =
                shared ? write_shared(ends[1], "x\n", kShort) : write_all(ends[1], "x\n", kShort);
            return error == EPIPE && errno == 7 && !pending(SIGPIPE);
          }) == 0);
  }
}

TEST_CASE("a socket without reader is an error, not a signal") {
  CHECK(in_child([] {
          int ends[2];
          if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
          ::close(ends[0]);
          return write_shared(ends[1], "x\n", kShort) == EPIPE && !pending(SIGPIPE);
        }) == 0);
}

TEST_CASE("the file size limit is an error, not a signal") {
  CHECK(in_child([] {
          char name[] = "/tmp/kreplay-test-XXXXXX";
          const int fd = ::mkstemp(name);
          ::unlink(name);
          const rlimit limit{4, 4};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          const int error = write_all(fd, "123456", kShort);
          return error == EFBIG && set_file_size(fd, 5) == EFBIG && !pending(SIGXFSZ) &&
                 ::lseek(fd, 0, SEEK_END) == 4;
        }) == 0);
}

TEST_CASE("signals that the program holds back and has pending stay pending") {
  CHECK(in_child([] {
          sigset_t held;
          sigemptyset(&held);
          sigaddset(&held, SIGPIPE);
          ::pthread_sigmask(SIG_BLOCK, &held, nullptr);
          ::raise(SIGPIPE);
          int ends[2];
          if (::pipe(ends) != 0) return false;
          ::close(ends[0]);
          const bool failed = write_all(ends[1], "x\n", kShort) == EPIPE;
          sigset_t now;
          ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
          return failed && pending(SIGPIPE) && sigismember(&now, SIGPIPE) == 1 &&
                 sigismember(&now, SIGXFSZ) == 0;
        }) == 0);
}

TEST_CASE("a SIGPIPE that somebody sends meanwhile is not taken for ours") {
  CHECK(in_child([] {
          {
            WriteSignals held;
            ::kill(::getpid(), SIGPIPE);
            held.take_back(EBADF);  // a failure that raises nothing
          }
          return false;  // not reached: it is delivered when the hold ends
        }) == SIGPIPE);
}

TEST_CASE("a pipe that nobody reads is given up, whoever else writes to it") {
  Pipe pipe;
  std::atomic<int> timeouts{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      int error = 0;
      while (error == 0) error = write_shared(pipe.ends[1], std::string(1000, 'x') + "\n", kShort);
      if (error == ETIMEDOUT) ++timeouts;
    });
  for (auto& writer : writers) writer.join();
  CHECK(timeouts == 4);
  CHECK((::fcntl(pipe.ends[1], F_GETFL) & O_NONBLOCK) == 0);  // it is the program's
}

TEST_CASE("a slow reader gets everything") {
  Pipe pipe;
  const std::string text(300'000, 'y');
  std::string got;
  std::thread reader([&] {
    std::vector<char> piece(5000);
    while (got.size() < text.size()) {
      const ssize_t n = ::read(pipe.ends[0], piece.data(), piece.size());
      if (n <= 0) break;
      got.append(piece.data(), static_cast<size_t>(n));
      std::this_thread::yield();
    }
  });
  CHECK(write_shared(pipe.ends[1], text, 10'000'000'000) == 0);
  reader.join();
  CHECK(got == text);
}

TEST_CASE("a thread with a cancellation pending writes everything and is cancelled later") {
  Pipe pipe;
  struct Job {
    int fd;
    std::atomic<bool> go{false};
    std::atomic<int> error{-1};
  } job{pipe.ends[1]};
  pthread_t thread;
  REQUIRE(::pthread_create(
              &thread, nullptr,
              [](void* p) -> void* {
                auto* j = static_cast<Job*>(p);
                while (!j->go) {
                }
                j->error = [&]() noexcept { return write_shared(j->fd, "whole\n", kShort); }();
                ::pthread_testcancel();
                return nullptr;
              },
              &job) == 0);
  ::pthread_cancel(thread);
  job.go = true;
  void* result = nullptr;
  ::pthread_join(thread, &result);
  CHECK(result == PTHREAD_CANCELED);
  CHECK(job.error == 0);
  char text[8] = {};
  CHECK(::read(pipe.ends[0], text, sizeof text) == 6);
}

TEST_CASE("standard error that became another file is not written to") {
  char name[] = "/tmp/kreplay-test-XXXXXX";
  const int database = ::mkstemp(name);
  ::unlink(name);
  CHECK(in_child([&] {
          ::dup2(database, STDERR_FILENO);
          return !write_stderr("not for you\n");
        }) == 0);
  CHECK(in_child([] {
          ::close(STDERR_FILENO);
          return !write_stderr("nobody\n");
        }) == 0);
  CHECK(::lseek(database, 0, SEEK_END) == 0);
  ::close(database);
}
