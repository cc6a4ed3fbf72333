// How `kreplay run` sees where its program is: one page in a file that both map. The library adds to it, from
// every process of the program; the command reads it now and then. Nothing waits for the other side.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace kreplay {

/// Lives in a file of kProgressBytes; all zero is how it begins.
struct ProgressPage {
  static constexpr size_t kNameWords = 16;
  std::atomic<uint64_t> dispatches;                      ///< candidates that are done
  std::atomic<uint64_t> passes;                          ///< passes that are done
  std::atomic<uint32_t> turn;                            ///< odd: the name is being written
  std::array<std::atomic<uint64_t>, kNameWords> kernel;  ///< start of the current kernel's name, zero-padded
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
constexpr size_t kProgressBytes = 4096;
static_assert(sizeof(ProgressPage) <= kProgressBytes);

/// Maps the page; it stays mapped for the life of the process.
/// @param path a file of at least kProgressBytes
/// @return null when there is no such file or it cannot be mapped: then there is nobody to tell
ProgressPage* map_progress(const std::string& path) noexcept;

/// Threads: any, of any process. When two write at once, one name is left out.
void set_progress_kernel(ProgressPage& page, std::string_view name) noexcept;
/// @return the name as far as it fits; empty when it is just being written
std::string progress_kernel(const ProgressPage& page);

}  // namespace kreplay
