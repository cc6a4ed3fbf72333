// The C library's functions that ask the operating system, as far as libkreplay uses them: each fails when
// KRTEST_FAIL says so, and else goes on to the next definition (the software GPU has some of them, too).
// What the C library calls inside itself (the write behind an fprintf) does not come by here.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "support/e2e_counting/faults.hpp"

namespace {

/// Calls `name` below, or fails: errno becomes `error`, the result `failed`.
template <class Function, class Result, class... A>
Result go_on(const char* name, Function*& next, int error, Result failed, A... arguments) {
  if (next == nullptr) next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  if (e2e_counting::system_call_fails(name)) {
    errno = error;
    return failed;
  }
  return next(arguments...);
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
#define GO_ON(function, error, failed, ...)  \
  static decltype(function)* next = nullptr; \
  return go_on(#function, next, error, failed, __VA_ARGS__)

EXPORT int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  GO_ON(open, EMFILE, -1, path, flags, mode);
}
EXPORT int fcntl(int file, int command, ...) {
  va_list more;
  va_start(more, command);
  void* argument = va_arg(more, void*);
  va_end(more);
  GO_ON(fcntl, EINVAL, -1, file, command, argument);
}
EXPORT FILE* fopen(const char* path, const char* mode) {
  GO_ON(fopen, EMFILE, static_cast<FILE*>(nullptr), path, mode);
}
EXPORT FILE* fopen64(const char* path, const char* mode) {
  GO_ON(fopen64, EMFILE, static_cast<FILE*>(nullptr), path, mode);
}
EXPORT size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  GO_ON(fwrite, ENOSPC, size_t{0}, data, size, count, file);
}
EXPORT ssize_t read(int file, void* data, size_t size) { GO_ON(read, EIO, ssize_t{-1}, file, data, size); }
EXPORT ssize_t pread(int file, void* data, size_t size, off_t at) {
  GO_ON(pread, EIO, ssize_t{-1}, file, data, size, at);
}
EXPORT ssize_t write(int file, const void* data, size_t size) {
  GO_ON(write, ENOSPC, ssize_t{-1}, file, data, size);
}
EXPORT int close(int file) { GO_ON(close, EIO, -1, file); }
EXPORT void* mmap(void* address, size_t size, int protection, int flags, int file, off_t at) {
  GO_ON(mmap, ENOMEM, MAP_FAILED, address, size, protection, flags, file, at);
}
EXPORT int munmap(void* address, size_t size) { GO_ON(munmap, ENOMEM, -1, address, size); }
EXPORT int madvise(void* address, size_t size, int advice) {
  GO_ON(madvise, EAGAIN, -1, address, size, advice);
}
EXPORT int stat(const char* path, struct stat* out) { GO_ON(stat, EACCES, -1, path, out); }
EXPORT int fstat(int file, struct stat* out) { GO_ON(fstat, EBADF, -1, file, out); }
EXPORT int access(const char* path, int mode) { GO_ON(access, EACCES, -1, path, mode); }
EXPORT ssize_t readlink(const char* path, char* out, size_t size) {
  GO_ON(readlink, EACCES, ssize_t{-1}, path, out, size);
}
EXPORT char* realpath(const char* path, char* out) {
  GO_ON(realpath, EACCES, static_cast<char*>(nullptr), path, out);
}
EXPORT DIR* opendir(const char* path) { GO_ON(opendir, EMFILE, static_cast<DIR*>(nullptr), path); }
EXPORT int gethostname(char* out, size_t size) { GO_ON(gethostname, ENAMETOOLONG, -1, out, size); }
EXPORT ssize_t process_vm_readv(pid_t pid, const iovec* to, unsigned long tos, const iovec* from,
                                unsigned long froms, unsigned long flags) {
  GO_ON(process_vm_readv, EPERM, ssize_t{-1}, pid, to, tos, from, froms, flags);
}
EXPORT ssize_t process_vm_writev(pid_t pid, const iovec* from, unsigned long froms, const iovec* to,
                                 unsigned long tos, unsigned long flags) {
  GO_ON(process_vm_writev, EPERM, ssize_t{-1}, pid, from, froms, to, tos, flags);
}
