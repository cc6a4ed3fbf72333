// Empties an agent's caches of what a kernel could profit from: a buffer of twice their size is written by
// the agent, so every line of them then holds part of it. There is no call that does this directly; fences
// write back and invalidate the vector caches, but leave clean lines of the last-level cache in place.
// Instruction and constant caches, and the translation caches, are not emptied.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::snapshot {

/// Used by one thread at a time; calls the runtime, so never under a lock.
class CacheFlush {
 public:
  CacheFlush(const hsa::HsaApi& api, hsa_agent_t agent) : api_(api), agent_(agent) {}
  ~CacheFlush() = default;  // the runtime may be gone by then; see release()
  CacheFlush(const CacheFlush&) = delete;
  CacheFlush& operator=(const CacheFlush&) = delete;

  /// Returns when the caches are flushed. The first call allocates the buffer, which is kept.
  /// @return Error::unsupported when the agent does not tell the size of its caches, Error::not_found without
  ///         a pool of device memory, Error::runtime when the allocation or the fill fails
  Status run();
  /// Gives the buffer back while the runtime is still there.
  void release();
  uint64_t buffer_bytes() const { return bytes_; }

 private:
  Status prepare();

  const hsa::HsaApi& api_;
  hsa_agent_t agent_;
  void* buffer_ = nullptr;
  uint64_t bytes_ = 0;
  uint32_t turn_ = 0;
};

}  // namespace kreplay::snapshot
