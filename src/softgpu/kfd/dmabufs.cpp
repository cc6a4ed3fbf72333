#include "kfd/dmabufs.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/log.hpp"
#include "base/safe_write.hpp"
#include "kfd/fd_table.hpp"

namespace softgpu::kfd {

namespace log = kreplay::log;

int DmabufTable::export_storage(std::shared_ptr<Storage> storage, bool close_on_exec, int& fd) {
  if (!storage->shareable()) {
    log::error("kfd", "EXPORT_DMABUF: only memory of a GPU can be shared, not host memory or registers");
    return -EINVAL;
  }
  const int made =
      fd_table().create(FdKind::dmabuf, static_cast<uint16_t>(storage->gpu->index), close_on_exec);
  if (made < 0) return -errno;
  const FdEntry entry = fd_table().find(made);
  if (entry.kind != FdKind::dmabuf || kreplay::set_file_size(made, storage->size_bytes) != 0) {
    fd_table().forget(made);
    syscall(SYS_close, made);
    return -ENOMEM;
  }
  const std::lock_guard lock(mutex_);
  storages_[entry.inode] = std::move(storage);
  fd = made;
  return 0;
}

std::shared_ptr<Storage> DmabufTable::find(int fd) const {
  uint32_t inode = 0;
  if (!FdTable::inode_of(fd, inode)) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto at = storages_.find(inode);
  return at != storages_.end() ? at->second : nullptr;
}

void DmabufTable::closed(uint32_t inode) {
  std::shared_ptr<Storage> last;  // let go outside the lock
  const std::lock_guard lock(mutex_);
  const auto at = storages_.find(inode);
  if (at == storages_.end()) return;
  last = std::move(at->second);
  storages_.erase(at);
}

}  // namespace softgpu::kfd
