// What random programs compute: kernels, and beside each what it does to the host's copy. Every kernel
// changes its memory in place, so one that ran twice, or whose writes were undone, leaves other values.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <vector>

namespace random_program {

using Word = uint32_t;
using Words = std::vector<Word>;
constexpr unsigned kGroup = 64;

__device__ Word total;  ///< of each GPU; all host threads add to it

__global__ void step(Word* x, unsigned n, Word a, Word b) {
  const unsigned i = blockIdx.x * kGroup + threadIdx.x;
  if (i < n) x[i] = x[i] * a + b + i;
}
inline void step_host(Word* x, unsigned n, Word a, Word b) {
  for (unsigned i = 0; i < n; ++i) x[i] = x[i] * a + b + i;
}

/// `from` and `to` may belong to two GPUs.
__global__ void combine(Word* to, const Word* from, unsigned n, Word a) {
  const unsigned i = blockIdx.x * kGroup + threadIdx.x;
  if (i < n) to[i] = to[i] * a + from[i];
}
inline void combine_host(Word* to, const Word* from, unsigned n, Word a) {
  for (unsigned i = 0; i < n; ++i) to[i] = to[i] * a + from[i];
}

/// One group for each entry of a table of addresses; the first elements of each.
__global__ void through_table(Word** table, unsigned entries, unsigned n, Word b) {
  if (blockIdx.x < entries && threadIdx.x < n) table[blockIdx.x][threadIdx.x] += b + threadIdx.x;
}
inline void through_table_host(Word* x, unsigned n, Word b) {
  for (unsigned i = 0; i < n; ++i) x[i] += b + i;
}

/// Adds 64 * by.
__global__ void count_up(Word by) { atomicAdd(&total, by); }

inline dim3 groups(unsigned n) { return dim3((n + kGroup - 1) / kGroup); }

}  // namespace random_program
