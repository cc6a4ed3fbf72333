// `kreplay doctor` with the real process, files and runtime.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "cli/child.hpp"
#include "cli/doctor.hpp"
#include "cli/preload.hpp"

extern char** environ;

namespace kreplay::cli {
namespace {

constexpr uint64_t kProbeLimitNs = 30'000'000'000;

Environment environment_of_this_process() {
  Environment out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

/// Everything the child writes, until it closes its end or the limit has passed; then it is killed.
std::string read_until_end(int fd, pid_t child) {
  std::string text;
  std::array<char, 4096> part{};
  const uint64_t limit = monotonic_ns() + kProbeLimitNs;
  for (;;) {
    const uint64_t now = monotonic_ns();
    pollfd wait{fd, POLLIN, 0};
    const int ready = now < limit ? ::poll(&wait, 1, static_cast<int>((limit - now) / 1'000'000) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t n = ready > 0 ? ::read(fd, part.data(), part.size()) : -1;
    if (n < 0 && ready <= 0) ::kill(child, SIGKILL);
    if (n <= 0) return text;
    text.append(part.data(), static_cast<size_t>(n));
  }
}

void run_probe(const DoctorRequest& request, Findings& out) {
  const auto fail = [&out](const std::string& why) {
    out.push_back({Finding::Kind::problem, "probe", why, "the other findings hold all the same"});
  };
  const TemporaryFile handshake("handshake", kHandshakeBytes);
  if (handshake.path().empty())
    return fail(std::string("no temporary file can be made: ") + std::strerror(errno));
  const char* preloaded = std::getenv("LD_PRELOAD");
  const auto list = preload_list(preloaded != nullptr ? preloaded : "", request.libraries);
  if (!list) return fail(list.status().message());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(std::strerror(errno));
  const std::string self = own_path();
  const pid_t child = start_program(self, {self, "doctor", "--probe"},
                                    merged_environment({{"LD_PRELOAD", *list},
                                                        {"KREPLAY_HANDSHAKE", handshake.path()},
                                                        {"KREPLAY_QUIET", "1"},
                                                        {"KREPLAY_OUTPUT", ""}}),
                                    ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    const int error = errno;
    ::close(ends[0]);
    return fail(self + ": " + std::strerror(error));
  }
  const std::string text = read_until_end(ends[0], child);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  check_probe(read_probe(text), read_handshake(handshake.path()), status, out);
}

}  // namespace

Findings examine(const DoctorRequest& request) {
  Findings out;
  for (const std::string& library : request.libraries)
    out.push_back({Finding::Kind::good, "library", library, {}});
  const Environment environment = environment_of_this_process();
  run_probe(request, out);
  if (request.soft)
    out.push_back({Finding::Kind::good, "device", "the software GPU needs none", {}});
  else
    check_devices("", out);
  check_preloads(environment, "", out);
  check_interceptors(environment, out);
  check_variables(environment, out);
  return out;
}

}  // namespace kreplay::cli
