#include "report/result_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <thread>

#include "fixtures.hpp"

using namespace kreplay::report;
using fixtures::Folder;
using fixtures::has;
using fixtures::read_file;

TEST_CASE("placeholders are replaced") {
  CHECK(expand_pattern("a-%p-%h.jsonl", 12, "node", {}) == "a-12-node.jsonl");
  CHECK(expand_pattern("100%%p%p", 12, "node", {}) == "100%p12");
  CHECK(expand_pattern("%q%", 12, "node", {}) == "%q%");
  CHECK(expand_pattern("a-%r.jsonl", 12, "node", {}) == "a-12.jsonl");
  CHECK(expand_pattern("a-%r.jsonl", 12, "node", 3) == "a-3.jsonl");
  CHECK(expand_pattern("a-%p.jsonl", 12, "node", 3) == "a-12.jsonl");
  CHECK(expand_pattern("x.d/a-%h.jsonl", 12, "node", 3) == "x.d/a-node.r3.jsonl");
  CHECK(expand_pattern("a", 12, "node", 0) == "a.r0");
  CHECK(host_name().find('/') == std::string::npos);
}

TEST_CASE("numbers go before the extension") {
  CHECK(numbered_name("a.jsonl", 0) == "a.jsonl");
  CHECK(numbered_name("a.jsonl", 3) == "a.3.jsonl");
  CHECK(numbered_name("x.d/a", 1) == "x.d/a.1");
  CHECK(numbered_name("x/.hidden", 1) == "x/.hidden.1");
}

TEST_CASE("C73: an existing file is never opened, each writer has its own") {
  const Folder folder;
  std::ofstream(folder / "run.jsonl") << "precious\n";
  ResultFile first, second;
  REQUIRE(first.open(folder / "run.jsonl").ok());
  REQUIRE(second.open(folder / "run.jsonl").ok());
  CHECK(first.path() == folder / "run.1.jsonl");
  CHECK(second.path() == folder / "run.2.jsonl");
  CHECK(first.write_line("one\n"));
  CHECK(second.write_line("two\n"));
  CHECK(read_file(folder / "run.jsonl") == "precious\n");
  CHECK(read_file(folder / "run.1.jsonl") == "one\n");
  CHECK(read_file(folder / "run.2.jsonl") == "two\n");
}

TEST_CASE("C73: eight processes with one name make eight whole files") {
  const Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ResultFile file;
      bool good = file.open(folder / "run.jsonl").ok();
      for (int line = 0; line < 50; ++line)
        good = good && file.write_line(std::string(300, static_cast<char>('a' + i)) + "\n");
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  std::set<char> writers;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    const std::string text = read_file(entry.path().string());
    CHECK(text.size() == 50 * 301);
    writers.insert(text[0]);
    for (const char c : text) REQUIRE((c == text[0] || c == '\n'));
  }
  CHECK(writers.size() == 8);
}

TEST_CASE("what cannot be created is an error that names file and reason") {
  const Folder folder;
  ResultFile file;
  const kreplay::Status missing = file.open(folder / "no/such/folder/run.jsonl");
  CHECK(missing.code() == kreplay::Error::io);
  CHECK(has(missing.message(), "no/such/folder/run.jsonl: No such file or directory"));
  const kreplay::Status directory = file.open(folder.path);
  CHECK(has(directory.message(), "Is a directory"));
  CHECK_FALSE(file.is_open());
  CHECK_FALSE(file.write_line("x\n"));
}

TEST_CASE("a pipe is written as it is") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ResultFile file;
  REQUIRE(file.open(folder / "pipe").ok());
  CHECK(file.path() == folder / "pipe");
  CHECK(file.write_line("x\n"));
  char text[8];
  CHECK(::read(reader, text, sizeof text) == 2);
  ::close(reader);
}

TEST_CASE("the descriptor is out of the way and not inherited") {
  const Folder folder;
  ResultFile file;
  const std::string path = folder / "run.jsonl";
  REQUIRE(file.open(path).ok());
  int found = -1;
  for (int fd = 0; fd < 1024; ++fd) {
    char target[512];
    const ssize_t n = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
    if (n > 0 && std::string(target, static_cast<size_t>(n)) == path) found = fd;
  }
  CHECK(found >= 200);
  CHECK((::fcntl(found, F_GETFD) & FD_CLOEXEC) != 0);

  SECTION("closed by the program: nobody else's file is touched, and the file goes on") {
    CHECK(file.write_line("one\n"));
    const int other = ::open((folder / "other").c_str(), O_CREAT | O_RDWR, 0600);
    REQUIRE(::dup2(other, found) == found);
    CHECK(file.write_line("two\n"));
    ::close_range(200, ~0U, 0);
    CHECK(file.write_line("three\n"));
    CHECK(read_file(folder / "other").empty());
    CHECK(read_file(path) == "one\ntwo\nthree\n");
    ::close(other);
  }
  SECTION("closed by the program when another file has its name: writing ends") {
    ::close_range(200, ~0U, 0);
    std::filesystem::remove(path);
    std::ofstream(path) << "precious\n";
    CHECK_FALSE(file.write_line("mine\n"));
    CHECK_FALSE(file.is_open());
    CHECK(read_file(path) == "precious\n");
  }
  SECTION("the program's folder does not matter") {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path);
    ResultFile relative;
    REQUIRE(relative.open("relative.jsonl").ok());
    std::filesystem::current_path("/");
    ::close_range(200, ~0U, 0);
    const bool written = relative.write_line("x\n");
    std::filesystem::current_path(before);
    CHECK(written);
    CHECK(read_file(folder / "relative.jsonl") == "x\n");
  }
}

TEST_CASE("links are not followed") {
  const Folder folder;
  std::ofstream(folder / "target") << "precious\n";
  std::filesystem::create_symlink(folder / "target", folder / "run.jsonl");
  ResultFile file;
  REQUIRE(file.open(folder / "run.jsonl").ok());
  CHECK(file.path() == folder / "run.1.jsonl");
  CHECK(file.write_line("x\n"));
  CHECK(read_file(folder / "target") == "precious\n");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink(folder / "pipe", folder / "link");
  ResultFile other;
  REQUIRE(other.open(folder / "link").ok());
  CHECK(other.path() == folder / "link.1");
}

TEST_CASE("the program's own descriptors can be named") {
  const Folder folder;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ResultFile file;
  REQUIRE(file.open("/dev/fd/" + std::to_string(ends[1])).ok());
  CHECK(file.write_line("x\n"));
  CHECK((::fcntl(ends[1], F_GETFL) & O_NONBLOCK) == 0);
  char text[8];
  CHECK(::read(ends[0], text, sizeof text) == 2);
  ::close(ends[0]);
  ::close(ends[1]);
  const int own = ::open((folder / "own").c_str(), O_CREAT | O_RDWR, 0600);
  const kreplay::Status refused = ResultFile().open("/proc/self/fd/" + std::to_string(own));
  CHECK(has(refused.message(), "it is a file that the program writes"));
  ::close(own);
}

TEST_CASE("a pipe that loses its reader, or is not read, ends writing and nothing else") {
  const Folder folder;
  const pid_t child = ::fork();  // a signal would end the process
  if (child == 0) {
    ::mkfifo((folder / "pipe").c_str(), 0600);
    ResultFile nobody(20'000'000);
    if (nobody.open(folder / "pipe").ok()) ::_exit(1);
    const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
    ResultFile stuck(20'000'000);
    if (!stuck.open(folder / "pipe").ok()) ::_exit(2);
    int lines = 0;
    while (lines < 1000 && stuck.write_line(std::string(1000, 'x') + "\n")) ++lines;
    if (lines < 10 || lines == 1000 || stuck.is_open()) ::_exit(3);
    ResultFile left(20'000'000);
    if (!left.open(folder / "pipe").ok()) ::_exit(4);
    ::close(reader);
    ::_exit(!left.write_line("x\n") && !left.is_open() ? 0 : 5);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("C83: a fork child does not write") {
  const Folder folder;
  ResultFile file;
  REQUIRE(file.open(folder / "run.jsonl").ok());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(file.write_line("child\n") ? 1 : 0);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(file.write_line("parent\n"));
  CHECK(read_file(folder / "run.jsonl") == "parent\n");
}

TEST_CASE("a full disk ends writing once, and errno is left alone") {
  const Folder folder;
  const pid_t child = ::fork();  // limits are per process
  if (child == 0) {
    const rlimit limit{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ResultFile file;
    if (!file.open(folder / "run.jsonl").ok()) ::_exit(1);
    errno = 77;
    const bool first = file.write_line("12345678\n");
    const bool second = file.write_line("abcdefgh\n");
    const bool third = file.write_line("x\n");
    ::_exit(first && !second && !third && !file.is_open() && errno == 77 ? 0 : 2);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_file(folder / "run.jsonl") == "12345678\na");
}
