#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "support/folder.hpp"

using namespace kreplay;

TEST_CASE("links are not followed, neither to open nor to create") {
  const fixtures::Folder folder;
  const std::string target = folder / "target";
  const std::string link = folder / "link";
  const int made = create_new(target.c_str(), 0600);
  REQUIRE(made >= 0);
  REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
  CHECK(open_existing(link.c_str(), O_WRONLY) == -ELOOP);
  CHECK(create_new(link.c_str(), 0600) == -EEXIST);
  REQUIRE(::symlink((folder / "nowhere").c_str(), (folder / "dangling").c_str()) == 0);
  CHECK(create_new((folder / "dangling").c_str(), 0600) == -EEXIST);
  CHECK(::access((folder / "nowhere").c_str(), F_OK) != 0);
  const int opened = open_existing(target.c_str(), O_WRONLY);
  CHECK(opened >= 200);
  CHECK((::fcntl(opened, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(FileIdentity::of(opened) == FileIdentity::of(made));
  ::close(opened);
  ::close(made);
}

TEST_CASE("a pipe without reader is not waited for") {
  const fixtures::Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(open_existing((folder / "pipe").c_str(), O_WRONLY) == -ENXIO);
}

TEST_CASE("another user's file is not opened, be it open to all") {
  if (::geteuid() != 0) {
    WARN("left out: only root can make a file that belongs to another user");
    return;
  }
  const fixtures::Folder folder;
  const std::string path = folder / "theirs";
  ::close(create_new(path.c_str(), 0666));
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  CHECK(open_existing(path.c_str(), O_WRONLY) == -EPERM);
  int error = 0;
  CHECK(map_shared(path.c_str(), 1, error) == nullptr);
  CHECK(error == EPERM);
}

TEST_CASE("a failure says what the number does not: links, owners, rights that were given up") {
  CHECK(open_failure(ELOOP).find("links are not followed") != std::string::npos);
  CHECK(open_failure(ENXIO) == "nobody reads the pipe");
  CHECK(open_failure(ENOENT) == "No such file or directory");
  CHECK(open_failure(EACCES) == "Permission denied");
  if (::geteuid() != 0) {
    WARN("left out: only root has rights to give up");
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0) ::_exit(2);
    ::_exit(open_failure(EACCES) ==
                    "Permission denied (the program was started as user 0 and is user 65534 now)"
                ? 0
                : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a file that took over a descriptor's number or a removed file's inode is another file") {
  const fixtures::Folder folder;
  const int first = create_new((folder / "a").c_str(), 0600);
  const FileIdentity before = FileIdentity::of(first);
  CHECK(before == FileIdentity::of(first));
  const int other = create_new((folder / "b").c_str(), 0600);
  REQUIRE(::dup2(other, first) == first);
  CHECK_FALSE(before == FileIdentity::of(first));
  ::close(first);
  ::close(other);
  CHECK(FileIdentity::of(first).type == 0);
  // The same name again, in the same tick; file systems hand the inode out again.
  for (int round = 0; round < 100; ++round) {
    const int old = create_new((folder / "c").c_str(), 0600);
    const FileIdentity gone = FileIdentity::exact(old);
    ::close(old);
    ::unlink((folder / "c").c_str());
    const int fresh = create_new((folder / "c").c_str(), 0600);
    CHECK_FALSE(gone == FileIdentity::exact(fresh));
    ::close(fresh);
    ::unlink((folder / "c").c_str());
  }
}
