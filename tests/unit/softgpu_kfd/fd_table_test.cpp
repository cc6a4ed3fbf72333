#include "kfd/fd_table.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

namespace softgpu::kfd {

TEST_CASE("descriptors: ours are found until they are closed") {
  FdTable& table = fd_table();
  const int fd = table.create(FdKind::render, 3, true);
  REQUIRE(fd >= 0);
  CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(table.find(fd).kind == FdKind::render);
  CHECK(table.find(fd).gpu == 3);
  table.forget(fd);
  CHECK(table.find(fd).kind == FdKind::none);
  CHECK(close(fd) == 0);
  CHECK(table.find(-1).kind == FdKind::none);
  CHECK(table.find(FdTable::kMaxFd).kind == FdKind::none);
  table.forget(-1);
  table.forget(FdTable::kMaxFd);
}

TEST_CASE("descriptors: a duplicate is ours, too, and takes the place of what it covers") {
  FdTable& table = fd_table();
  const int fd = table.create(FdKind::kfd, 0, false);
  const int copy = dup(fd);
  table.duplicate(fd, copy);
  CHECK(table.find(copy).kind == FdKind::kfd);
  const int other = open("/dev/null", O_RDONLY);
  REQUIRE(dup2(other, copy) == copy);
  table.duplicate(other, copy);
  CHECK(table.find(copy).kind == FdKind::none);
  for (const int each : {fd, copy, other}) close(each);
  table.forget(fd);
}

TEST_CASE("descriptors: a number that came back as something else is not ours") {
  FdTable& table = fd_table();
  const int fd = table.create(FdKind::kfd, 0, false);
  const int other = open("/dev/null", O_RDONLY);
  REQUIRE(dup2(other, fd) == fd);  // nobody told the table
  CHECK(table.find(fd).kind == FdKind::none);
  close(fd);
  close(other);
}

TEST_CASE("descriptors: what the child of a vfork closes is still the parent's") {
  FdTable& table = fd_table();
  const int fd = table.create(FdKind::kfd, 0, false);
  const pid_t child = vfork();
  if (child == 0) {
    close(fd);
    table.forget(fd);
    _exit(0);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(table.find(fd).kind == FdKind::kfd);
  table.forget(fd);
  close(fd);
}

}  // namespace softgpu::kfd
