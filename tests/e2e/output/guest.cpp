// guest WAY [FILE]: a program that launches kernels and does with its descriptors, limits and rights what
// programs do. output_test looks at what becomes of it, and of its files.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "support/hsa_check.hpp"

namespace {

constexpr unsigned kLaunches = 40;

bool is(const char* way, const char* name) { return std::strcmp(way, name) == 0; }

bool put(int fd, const char* text) {
  return write(fd, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text));
}

}  // namespace

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "plain";
  const char* path = argc > 2 ? argv[2] : nullptr;
  int database = -1;
  if (is(way, "descriptor")) {  // the next file gets the number of standard error
    close(STDERR_FILENO);
    database = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (database != STDERR_FILENO || !put(database, "HEADER\n")) return 11;
  }
  if (is(way, "user") && (setgid(65534) != 0 || setuid(65534) != 0)) return 12;
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  const e2e::CodeObject code(agents);
  const e2e::Kernel count_up = code.kernel("count_up");
  {
    e2e::Queue queue(agents);
    queue.dispatch(count_up, 64, 64, {}, 1u);
    queue.drain();
    if (is(way, "daemon")) {  // closes what it does not know; its own file gets one of those numbers
      close_range(200, ~0U, 0);
      const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
      for (int number = 200; number < 210; ++number) dup2(file, number);
      if (!put(file, "HEADER\n") || chdir("/") != 0) return 13;
    }
    if (is(way, "limit")) {
      const rlimit small{2048, 2048};
      if (setrlimit(RLIMIT_FSIZE, &small) != 0) return 14;
    }
    for (unsigned i = 1; i < kLaunches; ++i) queue.dispatch(count_up, 64, 64, {}, 1u);
    queue.drain();
  }
  const unsigned counted =
      e2e::from_device(agents, static_cast<const unsigned*>(code.variable("counter")), 1)[0];
  if (database >= 0 && !put(database, "ROW\n")) return 15;
  std::printf("%s\n", counted == 64 * kLaunches ? "right" : "wrong");
  return counted == 64 * kLaunches ? 0 : 16;
}
