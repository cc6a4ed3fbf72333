// Reductions and scans of a wavefront by shuffles, and the cross-lane instructions below them: DPP, swizzle,
// permutes, lane reads, mask counts.
// e2e-replayed: ^reduce 1
// e2e-replayed: ^primitives 1
#include "support/hip_check.hpp"

constexpr unsigned kWave = 64;
constexpr unsigned kGroup = 256;
constexpr unsigned kRows = 13;

__global__ void reduce(const float* in, float* sums, const int* numbers, int* scans, int* largest) {
  const unsigned t = threadIdx.x;
  float sum = in[t];
  for (int step = kWave / 2; step > 0; step /= 2) {
    sum += __shfl_down(sum, static_cast<unsigned>(step));
  }
  if (t % kWave == 0) {
    sums[t / kWave] = sum;
  }
  int scan = numbers[t];
  int most = numbers[t];
  for (int step = 1; step < static_cast<int>(kWave); step *= 2) {
    const int below = __shfl_up(scan, static_cast<unsigned>(step));
    scan += t % kWave >= static_cast<unsigned>(step) ? below : 0;
    const int other = __shfl_xor(most, step);
    most = most > other ? most : other;
  }
  scans[t] = scan;
  largest[t] = most;
}

__global__ void primitives(const int* in, int* out) {
  const unsigned t = threadIdx.x;
  const int v = in[t];
  unsigned k = 0;
  const auto put = [&](int value) { out[k++ * kGroup + t] = value; };
  put(__builtin_amdgcn_update_dpp(-7, v, 0x111, 0xf, 0xf,
                                  false));  // row_shr:1, lane 0 of a row keeps the old value
  put(__builtin_amdgcn_update_dpp(-7, v, 0x104, 0xf, 0xf, true));   // row_shl:4, zero from outside
  put(__builtin_amdgcn_update_dpp(-7, v, 0x1b, 0xf, 0xf, false));   // quad_perm:[3,2,1,0]
  put(__builtin_amdgcn_update_dpp(-7, v, 0x140, 0xf, 0xf, false));  // row_mirror
  put(__builtin_amdgcn_update_dpp(-7, v, 0x141, 0x5, 0xf, false));  // row_half_mirror, rows 0 and 2 only
  put(__builtin_amdgcn_update_dpp(-7, v, 0x142, 0xa, 0xf, false));  // row_bcast:15 into rows 1 and 3
  put(__builtin_amdgcn_ds_swizzle(v, 0x041f));                      // swap neighbours
  put(__builtin_amdgcn_ds_swizzle(v, 0x8000 | 0x1b));               // quad_perm:[3,2,1,0]
  put(__builtin_amdgcn_ds_bpermute(static_cast<int>((t * 5u % kWave) * 4u), v));
  put(__builtin_amdgcn_ds_permute(static_cast<int>((t * 5u % kWave) * 4u), v));
  put(__builtin_amdgcn_readfirstlane(v));
  put(__builtin_amdgcn_readlane(v, 37));
  put(static_cast<int>(__builtin_amdgcn_mbcnt_hi(0xf0f0f0f0u, __builtin_amdgcn_mbcnt_lo(0x12345678u, 3u))));
}

int main() {
  e2e::Checks checks("wavefront_ops");
  const auto in = e2e::random_values<float>(kGroup, 231);
  const auto numbers = e2e::random_values<int>(kGroup, 232);
  e2e::DeviceArray<float> dev_in(in);
  e2e::DeviceArray<int> dev_numbers(numbers);
  e2e::DeviceArray<float> dev_sums(kGroup / kWave);
  e2e::DeviceArray<int> dev_scans(kGroup);
  e2e::DeviceArray<int> dev_largest(kGroup);
  reduce<<<1, kGroup>>>(dev_in.get(), dev_sums.get(), dev_numbers.get(), dev_scans.get(), dev_largest.get());
  HIP_LAUNCHED();
  std::vector<float> sums(kGroup / kWave);
  std::vector<int> scans(kGroup);
  std::vector<int> largest(kGroup);
  for (unsigned w = 0; w < kGroup / kWave; ++w) {
    float part[kWave];
    unsigned scan = 0;
    int most = numbers[w * kWave];
    for (unsigned l = 0; l < kWave; ++l) {
      part[l] = in[w * kWave + l];
      scan += static_cast<unsigned>(numbers[w * kWave + l]);
      scans[w * kWave + l] = static_cast<int>(scan);
      most = std::max(most, numbers[w * kWave + l]);
    }
    for (unsigned l = 0; l < kWave; ++l) {
      largest[w * kWave + l] = most;
    }
    for (unsigned step = kWave / 2; step > 0; step /= 2) {
      for (unsigned l = 0; l < step; ++l) {
        part[l] += part[l + step];
      }
    }
    sums[w] = part[0];
  }
  checks.equal("sums", dev_sums.download(), sums);
  checks.equal("scans", dev_scans.download(), scans);
  checks.equal("largest", dev_largest.download(), largest);

  e2e::DeviceArray<int> dev_out(kRows * kGroup);
  primitives<<<1, kGroup>>>(dev_numbers.get(), dev_out.get());
  HIP_LAUNCHED();
  std::vector<int> want(kRows * kGroup);
  for (unsigned t = 0; t < kGroup; ++t) {
    const unsigned base = t / kWave * kWave;
    const unsigned l = t % kWave;
    const unsigned row = l / 16;
    const auto at = [&](unsigned lane) { return numbers[base + lane]; };
    unsigned k = 0;
    const auto put = [&](int value) { want[k++ * kGroup + t] = value; };
    put(l % 16 >= 1 ? at(l - 1) : -7);
    put(l % 16 + 4 < 16 ? at(l + 4) : 0);
    put(at(l ^ 3));
    put(at(row * 16 + 15 - l % 16));
    put(row % 2 == 0 ? at(l / 8 * 8 + 7 - l % 8) : -7);
    put(row % 2 == 1 ? at(row * 16 - 1) : -7);
    put(at(l ^ 1));
    put(at(l ^ 3));
    put(at(l * 5 % kWave));
    unsigned from = 0;  // the lane that pushes to l
    while (from * 5 % kWave != l) {
      ++from;
    }
    put(at(from));
    put(at(0));
    put(at(37));
    const uint64_t mask = 0xf0f0f0f012345678u & ((uint64_t{1} << l) - 1);
    put(3 + __builtin_popcountll(mask));
  }
  const auto got = dev_out.download();
  static const char* const kNames[kRows] = {
      "row_shr",     "row_shl",           "dpp_quad_perm", "row_mirror", "row_half_mirror", "row_bcast15",
      "swizzle_xor", "swizzle_quad_perm", "bpermute",      "permute",    "readfirstlane",   "readlane",
      "mbcnt"};
  for (unsigned k = 0; k < kRows; ++k) {
    checks.equal(kNames[k], got.data() + k * kGroup, want.data() + k * kGroup, kGroup);
  }
  return checks.finish();
}
