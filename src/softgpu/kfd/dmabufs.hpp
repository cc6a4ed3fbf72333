// dmabufs: descriptors that stand for memory of a GPU within this process. Each is an empty anonymous file of
// the memory's size (libdrm takes the size from there); its inode number leads to the memory. The memory
// stays as long as a descriptor is open that we saw opened or duplicated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "kfd/storage.hpp"

namespace softgpu::kfd {

/// Threads: any.
class DmabufTable {
 public:
  /// @return 0, -EINVAL (memory that cannot be shared), -EMFILE
  int export_storage(std::shared_ptr<Storage> storage, bool close_on_exec, int& fd);
  /// What a descriptor stands for; null if it is no dmabuf of ours.
  std::shared_ptr<Storage> find(int fd) const;
  /// The last descriptor with this inode number is gone.
  void closed(uint32_t inode);

 private:
  mutable std::mutex mutex_;  ///< guards storages_
  std::map<uint32_t, std::shared_ptr<Storage>> storages_;
};

}  // namespace softgpu::kfd
