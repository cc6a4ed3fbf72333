// The one way to memory of the application that may go away or be protected at any time: locked and shared
// memory, host pools, argument segments, host-call buffers. Another thread may unmap it while we look, so a
// load or store of ours could end the process. Here the kernel copies and answers with an error instead.
//
// process_vm_readv and process_vm_writev on this process come first. Where the system forbids them (seccomp),
// and for pages they do not reach although the CPU does (memory that a driver maps, which cannot be pinned),
// the bytes go through a pipe: write(2) and read(2) answer EFAULT, too. There is no way back to memcpy.
//
// Argument segments come from pools whose frees pass through a hook, but a window holds a free back only
// while it covers memory, and the application may protect pages of its own; so they take this way as well. It
// costs about a third of a microsecond per call, once or twice per replayed dispatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace kreplay::device {

/// Threads: each its own object, on the stack; it may hold a pipe while it lives. Keeps errno. No call in
/// here is a cancellation point, none allocates.
class HostAccess {
 public:
  /// No page is smaller. What cannot be accessed is skipped in these steps.
  static constexpr uint64_t kPageBytes = 4096;

  enum class Way : uint8_t { best, pipe };
  explicit HostAccess(Way way = Way::best) : way_(way) {}
  ~HostAccess() { close_pipe(); }
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;

  /// Copies from the application's memory until a page that cannot be read.
  /// @return bytes copied; what follows them is not there, or protected
  uint64_t read(std::byte* to, const std::byte* theirs, uint64_t size_bytes);
  /// Copies into it until a page that cannot be written. @return bytes copied
  uint64_t write(std::byte* theirs, const std::byte* from, uint64_t size_bytes);

  /// One value, or nothing when it cannot be read as a whole. Not atomic against writers.
  template <typename T>
  std::optional<T> load(const void* theirs) {
    std::byte bytes[sizeof(T)] = {};  // the system call that fills it is not known to the compiler
    if (read(bytes, static_cast<const std::byte*>(theirs), sizeof(T)) != sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  /// Whether something is mapped at the address, protected or not.
  static bool mapped(const std::byte* theirs);
  /// Bytes from `theirs` to the end of its page.
  static uint64_t left_in_page(const std::byte* theirs) {
    return kPageBytes - reinterpret_cast<uint64_t>(theirs) % kPageBytes;
  }

 private:
  bool open_pipe();
  void close_pipe();
  uint64_t read_by_pipe(std::byte* to, const std::byte* theirs, uint64_t size_bytes);
  uint64_t write_by_pipe(std::byte* theirs, const std::byte* from, uint64_t size_bytes);

  const Way way_;
  int pipe_[2] = {-1, -1};
};

}  // namespace kreplay::device
