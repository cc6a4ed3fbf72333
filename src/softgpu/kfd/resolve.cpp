#include "kfd/resolve.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/cancel_guard.hpp"
#include "base/safe_write.hpp"
#include "kfd/fd_table.hpp"
#include "kfd/process.hpp"
#include "kfd/settings.hpp"
#include "kfd/topology.hpp"

namespace softgpu::kfd {
namespace {

/// A file of ours that exists nowhere: its text in an anonymous file. Not tracked, it is an ordinary file.
int open_text(const std::string& text) {
  const int fd = memfd_create("softgpu-text", MFD_CLOEXEC);
  if (fd < 0) return -1;
  if (kreplay::write_all(fd, text, 0) != 0) {
    syscall(SYS_close, fd);
    errno = EIO;
    return -1;
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

/// The real /proc/modules, if there is one, with the driver's line added.
std::string modules_text() {
  std::string text;
  const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/modules", O_RDONLY | O_CLOEXEC, 0));
  if (fd >= 0) {
    char piece[4096];
    for (ssize_t n; (n = read(fd, piece, sizeof piece)) > 0;) text.append(piece, static_cast<size_t>(n));
    syscall(SYS_close, fd);
  }
  if (text.find("amdgpu ") == std::string::npos) text += "amdgpu 1 0 - Live 0x0000000000000000\n";
  return text;
}

int open_kfd(bool close_on_exec) {
  int error = 0;
  if (Process::open(*settings(), error) == nullptr) {
    errno = error;
    return -1;
  }
  topology_tree();  // reported if it fails; the runtime then finds no node
  return fd_table().create(FdKind::kfd, 0, close_on_exec);
}

}  // namespace

Resolved::Resolved(const char* caller_path) : path(caller_path) {
  if (caller_path == nullptr || !may_be_ours(caller_path)) return;
  const kreplay::CancelGuard whole;                 // a tree may have to be written
  constexpr Options kAnyOptions{.gpus = kMaxGpus};  // a path of no machine is passed without reading options
  const PathMeaning rough = meaning_of(caller_path, kAnyOptions);
  if (rough.kind == PathKind::other) return;
  const Options* options = settings();
  if (options == nullptr) {  // no software GPU: its devices are absent, everything else is as it is
    const bool device = rough.kind == PathKind::kfd || rough.kind == PathKind::render ||
                        rough.kind == PathKind::absent || rough.kind == PathKind::topology;
    kind = device ? PathKind::absent : PathKind::other;
    return;
  }
  const PathMeaning meaning = meaning_of(caller_path, *options);
  kind = meaning.kind;
  gpu = meaning.gpu;
  if (kind == PathKind::topology) redirect("", meaning.rest);
  if (kind == PathKind::drm_dir) {
    const char place[] = {'/', 'd', 'r', 'm', '/', static_cast<char>('0' + gpu)};  // at most 8 GPUs
    redirect({place, sizeof place}, meaning.rest);
  }
  if (kind == PathKind::cpu_cache) {
    // Only for the runtime, and only where the host has nothing to say.
    static const bool described = host_facts().describes_cpu_caches;
    if (described || Process::current() == nullptr) {
      kind = PathKind::other;
    } else {
      redirect("/node0/cpu0/cache", meaning.rest);
    }
  }
}

void Resolved::redirect(std::string_view place, std::string_view rest) {
  const std::string* tree = topology_tree();
  if (tree == nullptr || tree->size() + place.size() + rest.size() >= sizeof buffer) {
    kind = PathKind::absent;
    return;
  }
  char* end = buffer;
  for (const std::string_view part : {std::string_view(*tree), place, rest}) {
    std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
  *end = '\0';
  path = buffer;
}

int open_ours(const Resolved& resolved, int flags) {
  const kreplay::CancelGuard whole;
  const bool close_on_exec = (flags & O_CLOEXEC) != 0;
  switch (resolved.kind) {
    case PathKind::kfd:
      return open_kfd(close_on_exec);
    case PathKind::render:
      return fd_table().create(FdKind::render, resolved.gpu, close_on_exec);
    case PathKind::modules:
      return open_text(modules_text());
    case PathKind::initstate:
      return open_text("live\n");
    default:
      errno = ENOENT;
      return -1;
  }
}

}  // namespace softgpu::kfd
