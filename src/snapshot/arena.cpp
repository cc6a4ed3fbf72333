#include "snapshot/arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/mutex.hpp"
#include "hsa/agent_info.hpp"
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
/// Device memory that a shadow leaves to the application, beside a tenth of all.
constexpr uint64_t kLeastReserve = uint64_t{1} << 30;

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

Status Arena::find_pool() {
  if (pool_known_) return {};
  return place_ == Place::device ? find_device_pool() : find_host_pool();
}

void Arena::use_pool(const device::Pool& pool, hsa_agent_t owner) {
  pool_ = pool.pool();
  pool_bytes_ = pool.bytes;
  owner_ = owner;
  if (pool.granule > 0) granule_ = round_up(pool.granule, kLeastGranule);
  if (pool.most_bytes >= granule_) most_per_allocation_ = pool.most_bytes / granule_ * granule_;
  pool_known_ = true;
}

Status Arena::find_device_pool() {
  std::vector<device::Pool> pools;
  (void)device::list_pools(api_, device_, pools);
  for (const device::Pool& pool : pools) {
    if (!pool.allocatable || !pool.coarse() || pool.kernarg()) continue;
    use_pool(pool, device_);
    return {};
  }
  return {Error::not_found, fmt::format("agent {:#x} has no coarse-grained memory pool", device_.handle)};
}

Status Arena::find_host_pool() {
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
  use_pool(best->pool, best->agent);
  return {};
}

/// What the agent has left beside what is ours already and the application's reserve. Where the runtime does
/// not tell, other processes are not known of; then the allocation may be refused.
uint64_t Arena::device_room(uint64_t known_bytes) const {
  uint64_t available = 0;
  if (api_.hsa_agent_get_info(device_, static_cast<hsa_agent_info_t>(hsa::kAgentInfoMemoryAvail),
                              &available) != HSA_STATUS_SUCCESS) {
    const uint64_t used = known_bytes + capacity_;
    available = pool_bytes_ > used ? pool_bytes_ - used : 0;
  }
  const uint64_t reserve = std::max(pool_bytes_ / 10, kLeastReserve);
  return available + capacity_ > reserve ? available + capacity_ - reserve : 0;
}

uint64_t Arena::most_bytes(const Limit& limit) const {
  if (place_ == Place::device) {
    const uint64_t room = device_room(limit.known_bytes);
    return limit.bytes == 0 ? room : std::min(room, limit.bytes);
  }
  if (limit.bytes != 0) return limit.bytes;
  const uint64_t available = available_host_bytes();
  return available > UINT64_MAX - capacity_ ? UINT64_MAX : (available + capacity_) / 2;
}

uint64_t Arena::fit(const std::vector<Range>& ranges, std::vector<Piece>* pieces,
                    std::vector<Range>* left_over) const {
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
      KR_CHECK(size != 0 && used + skip + size <= at.size, "a piece lies in one segment");
      pieces->push_back({range.base + done, at.base + used + skip, size, place_});
      used += skip + size;
      done += size;
    }
    if (done == range.size) continue;
    unplaced += range.size - done + kCongruence;  // may need padding
    if (left_over != nullptr) left_over->push_back({range.base + done, range.size - done});
  }
  return unplaced;
}

/// At least `needed`, and at most `wanted`; the difference is a wish.
Status Arena::allocate(uint64_t wanted, uint64_t needed, uint64_t most) {
  KR_CHECK_UNLOCKED();
  void* base = nullptr;
  hsa_status_t status = api_.hsa_amd_memory_pool_allocate(pool_, wanted, 0, &base);
  if (status != HSA_STATUS_SUCCESS && needed < wanted) {
    wanted = needed;
    status = api_.hsa_amd_memory_pool_allocate(pool_, wanted, 0, &base);
  }
  if (status == HSA_STATUS_SUCCESS) {
    segments_.push_back({static_cast<std::byte*>(base), wanted});
    capacity_ += wanted;
    held_.fetch_add(wanted, std::memory_order_relaxed);
    KR_CHECK(capacity_ <= most && held_bytes() >= capacity_,
             "an arena stays within its limit, and counts itself");
    if (place_ == Place::device) return {};
    status = api_.hsa_amd_agents_allow_access(1, &device_, nullptr, base);
    if (status == HSA_STATUS_SUCCESS) return {};
    return hsa::runtime_error(api_, "hsa_amd_agents_allow_access (snapshot staging)", status);
  }
  const bool host = place_ == Place::host;
  const uint64_t total = capacity_ + needed;
  return {
      Error::out_of_memory,
      fmt::format("the snapshot of agent {:#x} needs {} bytes of {} memory; {} bytes are available, but the "
                  "runtime refused {} ({})",
                  device_.handle, total, host ? "pinned host" : "device",
                  host ? available_host_bytes() : most, wanted, hsa::status_text(api_, status))};
}

/// @param asked the limit is the user's
Status Arena::grow(uint64_t needed, uint64_t most, bool asked) {
  KR_CHECK(needed != 0, "an arena grows for what has no place");
  needed = round_up(needed, granule_);
  if (needed > most || capacity_ > most - needed) {
    const uint64_t total = capacity_ + needed;
    const bool host = place_ == Place::host;
    const char* why =
        host ? "half of what the system has left" : "what is left beside a tenth for the program";
    return {
        Error::budget,
        fmt::format("the snapshot of agent {:#x} needs {} bytes of {} memory; {} bytes are available ({})",
                    device_.handle, total, host ? "host" : "device", most,
                    !asked ? why
                    : host ? "KREPLAY_HOST_BYTES"
                           : "KREPLAY_VRAM_BYTES")};
  }
  const uint64_t slack = std::clamp(capacity_ / 2, kFirstSegment, kMostSlack);
  const uint64_t wanted =
      std::min({std::max(needed, round_up(slack, granule_)), most - capacity_, most_per_allocation_});
  return allocate(std::max(wanted / granule_ * granule_, granule_), needed, most);
}

Status Arena::place(const std::vector<Range>& ranges, const Limit& limit, std::vector<Piece>* pieces,
                    std::vector<Range>* left) {
  if (ranges.empty()) return {};
  if (Status found = find_pool(); !found) return found;
  const size_t before = pieces->size();
  const uint64_t most = most_bytes(limit);
  // Less room than there was: the application's memory comes first.
  if (place_ == Place::device && capacity_ > most) release_segments();
  // Each round allocates what is missing or fails; several are needed only where one allocation is capped.
  while (true) {
    pieces->resize(before);
    uint64_t unplaced = fit(ranges, pieces, nullptr);
    if (unplaced == 0) return {};
    const uint64_t room = most > capacity_ ? (most - capacity_) / granule_ * granule_ : 0;
    if (left != nullptr) unplaced = std::min(unplaced, room);
    if (unplaced == 0) break;  // the rest goes elsewhere
    Status grown = grow(unplaced, most, limit.bytes != 0 && most == limit.bytes);
    if (grown) continue;
    pieces->resize(before);
    if (left != nullptr) break;
    release();
    return grown;
  }
  pieces->resize(before);
  (void)fit(ranges, pieces, left);
  return {};
}

void Arena::release_segments() {
  for (const Segment& segment : segments_) {
    api_.hsa_amd_memory_pool_free(segment.base);
    held_.fetch_sub(segment.size, std::memory_order_relaxed);
  }
  abandon();
}

void Arena::release() {
  release_segments();
  pool_known_ = false;
}

void Arena::abandon() {
  segments_.clear();
  capacity_ = 0;
}

}  // namespace kreplay::snapshot
