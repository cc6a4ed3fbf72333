#include "snapshot/copy_batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "device/signal_wait.hpp"
#include "hsa/status_text.hpp"

namespace kreplay::snapshot {
namespace {

constexpr unsigned kMaxAbandoned = 4;

}  // namespace

Status CopyBatch::begin(hsa_signal_value_t count) {
  if (abandoned_ >= kMaxAbandoned) {
    return {Error::device_copy, fmt::format("copies of agent {:#x} failed {} times; its snapshots stay off",
                                            device_.handle, abandoned_)};
  }
  if (ticks_per_second_ == 0) {
    const hsa_status_t status =
        api_.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &ticks_per_second_);
    if (status != HSA_STATUS_SUCCESS || ticks_per_second_ == 0) {
      ticks_per_second_ = 0;
      return hsa::runtime_error(api_, "hsa_system_get_info(TIMESTAMP_FREQUENCY)", status);
    }
  }
  if (signal_.handle == 0) {
    const hsa_status_t status = api_.hsa_signal_create(count, 0, nullptr, &signal_);
    if (status != HSA_STATUS_SUCCESS) {
      signal_.handle = 0;
      return hsa::runtime_error(api_, "hsa_signal_create (snapshot copies)", status);
    }
  }
  api_.hsa_signal_store_relaxed(signal_, count);
  return {};
}

hsa_signal_value_t CopyBatch::wait_below(hsa_signal_value_t bound, uint64_t timeout_ns) const {
  return device::wait_below(api_, signal_, bound, timeout_ns, ticks_per_second_);
}

BatchResult CopyBatch::wait(hsa_signal_value_t left, uint64_t stall_ns, uint64_t settle_ns) {
  using End = BatchResult::End;
  hsa_signal_value_t seen = wait_below(left + 1, stall_ns);
  // The runtime may return early, and a long batch may outlast one bound while it makes progress.
  for (uint64_t moved_ns = monotonic_ns(); seen > left;) {
    const uint64_t idle_ns = monotonic_ns() - moved_ns;
    if (idle_ns >= stall_ns) {
      return {End::stuck, 0, HSA_STATUS_SUCCESS, static_cast<uint64_t>(seen - left), {}};
    }
    const hsa_signal_value_t now = wait_below(left + 1, stall_ns - idle_ns);
    if (now != seen) moved_ns = monotonic_ns();
    seen = now;
  }
  KR_CHECK(seen < 0 || seen == left, "only the batch's copies count its signal down");
  if (seen >= 0) return {};
  // The count is lost, as the failure overwrote it.
  for (uint64_t moved_ns = monotonic_ns(); monotonic_ns() - moved_ns < settle_ns;) {
    const hsa_signal_value_t now = wait_below(seen, settle_ns);
    if (now != seen) moved_ns = monotonic_ns();
    seen = now;
  }
  return {End::failed, 0, HSA_STATUS_SUCCESS, 0, {}};
}

BatchResult CopyBatch::run(Direction direction, const std::vector<Piece>& pieces, hsa_agent_t host,
                           uint64_t stall_ns, uint64_t settle_ns) {
  using End = BatchResult::End;
  if (pieces.empty()) return {};
  KR_CHECK_UNLOCKED();
  const auto count = static_cast<hsa_signal_value_t>(pieces.size());
  if (Status begun = begin(count); !begun) return {End::unusable, 0, HSA_STATUS_SUCCESS, 0, std::move(begun)};

  size_t submitted = 0;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  for (; submitted < pieces.size(); ++submitted) {
    const Piece& piece = pieces[submitted];
    KR_CHECK(piece.size != 0 && piece.size <= kMaxPieceBytes, "a piece is one copy call");
    KR_CHECK((reinterpret_cast<uint64_t>(piece.backing) - piece.device.value) % kCongruence == 0,
             "the two sides of a copy lie alike");
    auto* device = reinterpret_cast<void*>(piece.device.value);
    const hsa_agent_t keeper = piece.place == Place::device ? device_ : host;
    status = direction == Direction::save
                 ? api_.hsa_amd_memory_async_copy(piece.backing, keeper, device, device_, piece.size, 0,
                                                  nullptr, signal_)
                 : api_.hsa_amd_memory_async_copy(device, device_, piece.backing, keeper, piece.size, 0,
                                                  nullptr, signal_);
    ++copies_;
    if (status != HSA_STATUS_SUCCESS) break;
  }
  BatchResult result = wait(count - static_cast<hsa_signal_value_t>(submitted), stall_ns, settle_ns);
  if (result.end != End::done) {
    abandon_signal();
  } else if (status != HSA_STATUS_SUCCESS) {
    result.end = End::refused;
    result.index = submitted;
    result.status = status;
  }
  return result;
}

void CopyBatch::abandon_signal() {
  KR_CHECK(signal_.handle != 0 && abandoned_ < kMaxAbandoned, "a batch that has begun has a signal to lose");
  signal_.handle = 0;
  ++abandoned_;
}

void CopyBatch::release() {
  if (signal_.handle != 0) api_.hsa_signal_destroy(signal_);
  signal_.handle = 0;
  ticks_per_second_ = 0;
}

}  // namespace kreplay::snapshot
