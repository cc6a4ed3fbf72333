// Cross-lane operations: shuffles of 32 and 64 bit values at several widths, votes, and both under a partial
// EXEC mask.
// e2e-replayed: ^exchange 1
// e2e-replayed: ^vote 1
#include "support/hip_check.hpp"

constexpr unsigned kWave = 64;
constexpr unsigned kGroup = 192;
constexpr unsigned kRows = 9;

__global__ void exchange(const int* in, const double* wide, int* out, double* wide_out) {
  const unsigned t = threadIdx.x;
  const int v = in[t];
  out[0 * kGroup + t] = __shfl(v, static_cast<int>((t * 7u + 3u) % kWave));
  out[1 * kGroup + t] = __shfl_up(v, 3);
  out[2 * kGroup + t] = __shfl_down(v, 5);
  out[3 * kGroup + t] = __shfl_xor(v, 21);
  out[4 * kGroup + t] = __shfl(v, 2, 8);
  out[5 * kGroup + t] = __shfl_up(v, 2, 16);
  out[6 * kGroup + t] = __shfl_down(v, 4, 32);
  out[7 * kGroup + t] = __shfl_xor(v, 9, 16);
  int partial = -1;
  if (t % 2 == 0) {
    partial = __shfl_xor(v, 2);  // partners of even lanes are even: all active
  }
  out[8 * kGroup + t] = partial;
  wide_out[t] = __shfl_xor(wide[t], 13);
  wide_out[kGroup + t] = __shfl_down(wide[t], 1);
}

__global__ void vote(const int* in, unsigned long long* out) {
  const unsigned t = threadIdx.x;
  const int v = in[t];
  out[0 * kGroup + t] = __ballot(v > 0);
  out[1 * kGroup + t] = static_cast<unsigned long long>(__any(v > 2'000'000'000));
  out[2 * kGroup + t] = static_cast<unsigned long long>(__all(v != 0));
  unsigned long long mask = 0;
  if (v % 3 == 0) {
    mask = __ballot(1);
  }
  out[3 * kGroup + t] = mask;
  out[4 * kGroup + t] = __lane_id();
}

int main() {
  e2e::Checks checks("shuffles");
  const auto in = e2e::random_values<int>(kGroup, 31);
  const auto wide = e2e::random_values<double>(kGroup, 32);
  e2e::DeviceArray<int> dev_in(in);
  e2e::DeviceArray<double> dev_wide(wide);
  e2e::DeviceArray<int> dev_out(kRows * kGroup);
  e2e::DeviceArray<double> dev_wide_out(2 * kGroup);
  exchange<<<1, kGroup>>>(dev_in.get(), dev_wide.get(), dev_out.get(), dev_wide_out.get());
  HIP_LAUNCHED();

  std::vector<int> want(kRows * kGroup);
  std::vector<double> want_wide(2 * kGroup);
  for (unsigned t = 0; t < kGroup; ++t) {
    const unsigned base = t / kWave * kWave;
    const unsigned lane = t % kWave;
    const auto at = [&](unsigned source) { return in[base + source]; };
    want[0 * kGroup + t] = at((t * 7 + 3) % kWave);
    want[1 * kGroup + t] = at(lane >= 3 ? lane - 3 : lane);
    want[2 * kGroup + t] = at(lane + 5 < kWave ? lane + 5 : lane);
    want[3 * kGroup + t] = at(lane ^ 21);
    want[4 * kGroup + t] = at(lane / 8 * 8 + 2);
    want[5 * kGroup + t] = at(lane % 16 >= 2 ? lane - 2 : lane);
    want[6 * kGroup + t] = at(lane % 32 + 4 < 32 ? lane + 4 : lane);
    want[7 * kGroup + t] = at(lane ^ 9);
    want[8 * kGroup + t] = t % 2 == 0 ? at(lane ^ 2) : -1;
    want_wide[t] = wide[base + (lane ^ 13)];
    want_wide[kGroup + t] = wide[base + (lane + 1 < kWave ? lane + 1 : lane)];
  }
  checks.equal("shuffle_32", dev_out.download(), want);
  checks.equal("shuffle_64", dev_wide_out.download(), want_wide);

  e2e::DeviceArray<unsigned long long> dev_votes(5 * kGroup);
  vote<<<1, kGroup>>>(dev_in.get(), dev_votes.get());
  HIP_LAUNCHED();
  std::vector<unsigned long long> want_votes(5 * kGroup);
  for (unsigned t = 0; t < kGroup; ++t) {
    const unsigned base = t / kWave * kWave;
    unsigned long long positive = 0;
    unsigned long long thirds = 0;
    bool any = false;
    bool all = true;
    for (unsigned lane = 0; lane < kWave; ++lane) {
      const int v = in[base + lane];
      positive |= v > 0 ? 1ull << lane : 0;
      thirds |= v % 3 == 0 ? 1ull << lane : 0;
      any = any || v > 2'000'000'000;
      all = all && v != 0;
    }
    want_votes[0 * kGroup + t] = positive;
    want_votes[1 * kGroup + t] = any;
    want_votes[2 * kGroup + t] = all;
    want_votes[3 * kGroup + t] = in[t] % 3 == 0 ? thirds : 0;
    want_votes[4 * kGroup + t] = t % kWave;
  }
  checks.equal("votes", dev_votes.download(), want_votes);
  return checks.finish();
}
