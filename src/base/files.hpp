// The one place that opens files for the library. They lie in somebody else's process and in folders that
// others may write to: no link is followed as the last part of a name, no file of another user is opened,
// nothing waits, and no descriptor is inherited or takes a number that a program may count on.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace kreplay {

/// Which file a descriptor stands for; another file that got the same number differs.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t born_ns = 0;  ///< 0: the file system does not say
  uint64_t life = 0;     ///< of exact(): tells files apart that had the inode one after the other
  uint32_t type = 0;     ///< S_IFMT bits; 0: there is no such descriptor
  bool operator==(const FileIdentity&) const = default;

  /// errno is left alone.
  static FileIdentity of(int fd) noexcept;
  /// Also differs for a file that got the inode of a removed one in the same tick of the clock; one call
  /// more.
  static FileIdentity exact(int fd) noexcept;
};

/// Opens what exists, without waiting: a pipe that nobody reads is ENXIO.
/// @param access O_RDONLY, O_WRONLY or O_RDWR, with O_APPEND if wanted
/// @return a descriptor from 200 on (below only where the process's limit is lower), or -errno: ELOOP for a
/// link,
///         EPERM for a file that belongs neither to this user nor to root
int open_existing(const char* path, int access) noexcept;

/// Creates a file for appending; EEXIST when the name is taken, be it by a link.
/// @return as open_existing()
int create_new(const char* path, mode_t mode) noexcept;

/// A description of our own, which does not block, of the pipe that `fd` stands for; of anything else a copy.
/// @return as open_existing(); ENXIO when nobody reads the pipe
int open_again(int fd) noexcept;

/// Maps the first `bytes` of a file, shared, for the life of the process. Its blocks are allocated first: on
/// a full disk a store into the mapping would end the process.
/// @param error errno of the failure; EINVAL when the file is shorter
/// @return null when it cannot be mapped
void* map_shared(const char* path, size_t bytes, int& error) noexcept;

/// What a failed open means, for messages: the system's text, and what the number does not tell.
std::string open_failure(int error);

}  // namespace kreplay
