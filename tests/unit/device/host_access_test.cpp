// Memory that may be gone or protected: what can be reached is copied, to the byte, the rest is an error.
#include "device/host_access.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <vector>

using kreplay::device::HostAccess;

namespace {

constexpr uint64_t kPage = HostAccess::kPageBytes;

/// Pages 0.. of one mapping; a page's bytes are its number plus one.
class Pages {
 public:
  explicit Pages(size_t count) : count_(count) {
    data_ = static_cast<std::byte*>(
        mmap(nullptr, count * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(data_ != MAP_FAILED);
    for (size_t i = 0; i < count; ++i) std::memset(data_ + i * kPage, static_cast<int>(i + 1), kPage);
  }
  ~Pages() { munmap(data_, count_ * kPage); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* page(size_t i) const { return data_ + i * kPage; }
  void protect(size_t i, int how) const { REQUIRE(mprotect(page(i), kPage, how) == 0); }
  void unmap(size_t i) const { REQUIRE(munmap(page(i), kPage) == 0); }

 private:
  std::byte* data_ = nullptr;
  size_t count_;
};

bool all(const std::byte* bytes, uint64_t size, int value) {
  for (uint64_t i = 0; i < size; ++i)
    if (bytes[i] != static_cast<std::byte>(value)) return false;
  return true;
}

}  // namespace

TEST_CASE("reads end before the first page that is not there or protected, and keep errno") {
  const auto way = GENERATE(HostAccess::Way::best, HostAccess::Way::pipe);
  const bool unmapped = GENERATE(false, true);
  const Pages pages(40);
  if (unmapped)
    pages.unmap(30);
  else
    pages.protect(30, PROT_NONE);
  HostAccess access(way);
  std::vector<std::byte> out(40 * kPage);
  errno = 77;
  // From the middle of a page, over more than a pipe holds.
  CHECK(access.read(out.data(), pages.page(2) + 100, 38 * kPage - 100) == 28 * kPage - 100);
  CHECK(all(out.data(), kPage - 100, 3));
  CHECK(all(out.data() + 27 * kPage - 100, kPage, 30));
  CHECK(access.read(out.data(), pages.page(30), 8) == 0);
  CHECK(access.read(out.data(), pages.page(30) - 3, 8) == 3);
  CHECK(access.read(out.data(), pages.page(31), 9 * kPage) == 9 * kPage);
  CHECK(access.read(out.data(), pages.page(31), 0) == 0);
  CHECK(access.load<uint64_t>(pages.page(29)) == 0x1e1e1e1e1e1e1e1e);
  CHECK_FALSE(access.load<uint64_t>(pages.page(30) - 4).has_value());
  CHECK(HostAccess::mapped(pages.page(30)) != unmapped);
  CHECK(HostAccess::mapped(pages.page(29) + 5));
  CHECK(errno == 77);
}

TEST_CASE("writes end before the first page that cannot be written, and leave it alone") {
  const auto way = GENERATE(HostAccess::Way::best, HostAccess::Way::pipe);
  const int how = GENERATE(PROT_NONE, PROT_READ);
  const Pages pages(40);
  pages.protect(30, how);
  HostAccess access(way);
  const std::vector<std::byte> from(40 * kPage, std::byte{99});
  CHECK(access.write(pages.page(1) + 8, from.data(), 39 * kPage - 8) == 29 * kPage - 8);
  CHECK(access.write(pages.page(30) - 2, from.data(), 10) == 2);
  CHECK(access.write(pages.page(31), from.data(), 9 * kPage) == 9 * kPage);
  pages.protect(30, PROT_READ);
  CHECK(all(pages.page(0), kPage, 1));
  CHECK(all(pages.page(1), 8, 2));
  CHECK(all(pages.page(1) + 8, 29 * kPage - 8, 99));
  CHECK(all(pages.page(30), kPage, 31));
  CHECK(all(pages.page(31), 9 * kPage, 99));
}

TEST_CASE("a process that may not use process_vm_* reads and writes all the same") {
  // In a child: a filter stays for ever.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const sock_fprog program{5, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      _exit(20);
    auto* memory = static_cast<std::byte*>(
        mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(memory, 5, 3 * kPage);
    if (mprotect(memory + kPage, kPage, PROT_NONE) != 0) _exit(21);
    static std::byte out[3 * kPage];
    HostAccess access;
    if (access.read(out, memory, 3 * kPage) != kPage || !all(out, kPage, 5)) _exit(22);
    if (access.read(out, memory + 2 * kPage, kPage) != kPage) _exit(23);
    out[0] = std::byte{6};
    if (access.write(memory, out, 1) != 1 || memory[0] != std::byte{6}) _exit(24);
    if (access.write(memory + kPage, out, 1) != 0) _exit(25);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 20) {
    WARN("skipped: this system does not let a process filter its own system calls");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("memory that another thread unmaps and maps all the time is read and written without a fault") {
  const auto way = GENERATE(HostAccess::Way::best, HostAccess::Way::pipe);
  constexpr size_t kPages = 8;
  const Pages pages(kPages);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> rounds{0};
  std::thread other([&] {
    while (!stop.load()) {
      munmap(pages.page(2), 3 * kPage);
      void* again = mmap(pages.page(2), 3 * kPage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      if (again == MAP_FAILED) break;
      std::memset(again, 9, 3 * kPage);
      rounds.fetch_add(1);
    }
  });
  HostAccess access(way);
  std::vector<std::byte> out(kPages * kPage);
  uint64_t whole = 0, cut = 0, wrong = 0;
  // At least so many looks, and as many as it takes to have met the other thread at work.
  for (int i = 0; i < 3000 || (rounds.load() < 100 && i < 3'000'000); ++i) {
    const uint64_t got = access.read(out.data(), pages.page(0), kPages * kPage);
    if (got == kPages * kPage)
      ++whole;
    else
      ++cut;
    if (got < 2 * kPage || got % kPage != 0 || !all(out.data(), kPage, 1)) ++wrong;
    (void)access.write(pages.page(3), out.data(), kPage);
  }
  stop.store(true);
  other.join();
  INFO(whole << " whole, " << cut << " cut");
  CHECK(wrong == 0);
  CHECK(rounds.load() >= 100);
  CHECK(whole + cut >= 3000);
}
