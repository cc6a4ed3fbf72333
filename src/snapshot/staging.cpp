#include "snapshot/staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "device/pools.hpp"
#include "hsa/status_text.hpp"
#include "snapshot/host_memory.hpp"

namespace kreplay::snapshot {
namespace {

constexpr uint64_t kFirstSegment = uint64_t{2} << 20;
/// Growth is geometric up to this slack. Beyond, doubling would hold far more pinned memory than the
/// application's footprint, while one more copy per 48 MiB costs nothing next to copying 48 MiB.
constexpr uint64_t kMostSlack = uint64_t{48} << 20;
constexpr uint64_t kLeastGranule = 4096;
/// A tail shorter than this is left unused rather than filled with a fragment of a larger range.
constexpr uint64_t kShortTail = uint64_t{64} << 10;

struct Candidate {
  hsa_agent_t agent{};
  device::Pool pool;
  uint64_t distance = UINT64_MAX;
  /// Nearer wins; then fine-grained, which the CPU may also read coherently.
  bool better_than(const Candidate& other) const {
    return distance != other.distance ? distance < other.distance : pool.fine() && !other.pool.fine();
  }
};

/// Sum of the links' NUMA distances; 0 where the runtime does not tell.
uint64_t distance_of(const hsa::HsaApi& api, hsa_agent_t device, hsa_amd_memory_pool_t pool) {
  uint32_t hops = 0;
  if (api.hsa_amd_agent_memory_pool_get_info(device, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
                                             &hops) != HSA_STATUS_SUCCESS ||
      hops == 0 || hops > 64) {
    return 0;
  }
  std::vector<hsa_amd_memory_pool_link_info_t> links(hops);
  if (api.hsa_amd_agent_memory_pool_get_info(device, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO,
                                             links.data()) != HSA_STATUS_SUCCESS) {
    return 0;
  }
  uint64_t sum = 0;
  for (const auto& link : links) sum += link.numa_distance;
  return sum;
}

bool reachable(const hsa::HsaApi& api, hsa_agent_t device, hsa_amd_memory_pool_t pool) {
  hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return api.hsa_amd_agent_memory_pool_get_info(device, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
                                                &access) == HSA_STATUS_SUCCESS &&
         access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Status Staging::find_pool() {
  if (pool_known_) return {};
  std::vector<hsa_agent_t> agents;
  const hsa_status_t status = device::list_agents(api_, agents);
  if (status != HSA_STATUS_SUCCESS) return hsa::runtime_error(api_, "hsa_iterate_agents", status);
  std::optional<Candidate> best;
  for (const hsa_agent_t agent : agents) {
    if (device::type_of(api_, agent) != HSA_DEVICE_TYPE_CPU) continue;
    std::vector<device::Pool> pools;
    (void)device::list_pools(api_, agent, pools);
    for (const device::Pool& pool : pools) {
      if (!pool.allocatable || pool.kernarg() || !reachable(api_, device_, pool.pool())) continue;
      const Candidate candidate{agent, pool, distance_of(api_, device_, pool.pool())};
      if (!best || candidate.better_than(*best)) best = candidate;
    }
  }
  if (!best) {
    return {Error::not_found,
            fmt::format("agent {:#x} can reach no memory pool of a CPU agent", device_.handle)};
  }
  pool_ = best->pool.pool();
  host_agent_ = best->agent;
  if (best->pool.granule > 0) granule_ = round_up(best->pool.granule, kLeastGranule);
  if (best->pool.most_bytes >= granule_) most_per_allocation_ = best->pool.most_bytes / granule_ * granule_;
  pool_known_ = true;
  return {};
}

uint64_t Staging::fit(const std::vector<Range>& ranges, std::vector<Piece>* pieces) const {
  pieces->clear();
  uint64_t unplaced = 0;
  size_t segment = 0;
  uint64_t used = 0;
  for (const Range& range : ranges) {
    uint64_t done = 0;
    while (done < range.size && segment < segments_.size()) {
      const Segment& at = segments_[segment];
      const uint64_t left = range.size - done;
      const auto address = reinterpret_cast<uint64_t>(at.base) + used;
      const uint64_t skip = (range.base.value + done - address) % kCongruence;
      const uint64_t room = at.size - std::min(at.size, used + skip);
      if (used > 0 && room < std::min(left, kShortTail)) {
        ++segment;
        used = 0;
        continue;
      }
      uint64_t size = std::min({left, room, kMaxPieceBytes});
      if (size < left)
        size = size / kCongruence * kCongruence;  // the next piece stays congruent without a gap
      pieces->push_back({range.base + done, at.base + used + skip, size});
      used += skip + size;
      done += size;
    }
    if (done < range.size) unplaced += range.size - done + kCongruence;  // may need padding
  }
  return unplaced;
}

Status Staging::grow(uint64_t needed, uint64_t limit_bytes) {
  const uint64_t available = limit_bytes == 0 ? available_host_bytes() : 0;
  uint64_t limit = limit_bytes;
  if (limit_bytes == 0) limit = available > UINT64_MAX - capacity_ ? UINT64_MAX : (available + capacity_) / 2;
  needed = round_up(needed, granule_);
  if (needed > limit || capacity_ > limit - needed) {
    const uint64_t total = capacity_ + needed;
    release();
    if (limit_bytes != 0) {
      return {Error::budget,
              fmt::format("the snapshot of agent {:#x} needs {} bytes of host memory; {} bytes are "
                          "available (KREPLAY_HOST_BYTES)",
                          device_.handle, total, limit)};
    }
    return {Error::budget,
            fmt::format("the snapshot of agent {:#x} needs {} bytes of host memory; {} bytes are "
                        "available (half of what the system has left)",
                        device_.handle, total, limit)};
  }
  const uint64_t slack = std::clamp(capacity_ / 2, kFirstSegment, kMostSlack);
  uint64_t wanted =
      std::min({std::max(needed, round_up(slack, granule_)), limit - capacity_, most_per_allocation_});
  wanted = std::max(wanted / granule_ * granule_, granule_);
  void* base = nullptr;
  hsa_status_t status = api_.hsa_amd_memory_pool_allocate(pool_, wanted, 0, &base);
  if (status != HSA_STATUS_SUCCESS && needed < wanted) {  // the slack is a wish
    wanted = needed;
    status = api_.hsa_amd_memory_pool_allocate(pool_, wanted, 0, &base);
  }
  if (status == HSA_STATUS_SUCCESS) {
    segments_.push_back({static_cast<std::byte*>(base), wanted});
    capacity_ += wanted;
    status = api_.hsa_amd_agents_allow_access(1, &device_, nullptr, base);
    if (status == HSA_STATUS_SUCCESS) return {};
    release();
    return hsa::runtime_error(api_, "hsa_amd_agents_allow_access (snapshot staging)", status);
  }
  const uint64_t total = capacity_ + needed;
  release();
  return {Error::out_of_memory,
          fmt::format(
              "the snapshot of agent {:#x} needs {} bytes of pinned host memory; {} bytes are available, but "
              "the runtime refused {} ({})",
              device_.handle, total, available_host_bytes(), wanted, hsa::status_text(api_, status))};
}

Status Staging::place(const std::vector<Range>& ranges, uint64_t limit_bytes, std::vector<Piece>* pieces) {
  if (Status found = find_pool(); !found) return found;
  // Each round allocates what is missing or fails; several are needed only where one allocation is capped.
  while (true) {
    const uint64_t unplaced = fit(ranges, pieces);
    if (unplaced == 0) return {};
    Status grown = grow(unplaced, limit_bytes);
    if (!grown) {
      pieces->clear();
      return grown;
    }
  }
}

void Staging::release() {
  for (const Segment& segment : segments_) api_.hsa_amd_memory_pool_free(segment.base);
  abandon();
  pool_known_ = false;
}

void Staging::abandon() {
  segments_.clear();
  capacity_ = 0;
}

}  // namespace kreplay::snapshot
