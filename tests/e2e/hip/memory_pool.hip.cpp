// Memory from a stream-ordered pool: updates in place, blocks that are freed and taken again in stream order, a
// pool of the program's own, a block larger than what pools keep.
// HIP 5.2 never returns from destroying the stream, without the shim as well: for the other stacks only.
// e2e-replayed: ^update 40
#include "support/hip_check.hpp"

__global__ void update(unsigned* x, unsigned value, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 3u + value;
  }
}

namespace {

void launch(hipStream_t stream, unsigned* x, unsigned value, unsigned count) {
  update<<<e2e::groups_for(count, 256), 256, 0, stream>>>(x, value, count);
  HIP_LAUNCHED();
}

std::vector<unsigned> updated(std::vector<unsigned> x, unsigned value) {
  for (unsigned& one : x) {
    one = one * 3u + value;
  }
  return x;
}

}  // namespace

int main() {
  e2e::Checks checks("memory_pool");
  hipStream_t stream = nullptr;
  HIP_OK(hipStreamCreate(&stream));

  // One block after the other, each taken where the one before it was given back.
  const unsigned count = 50'001;
  const auto start = e2e::random_values<unsigned>(count, 611);
  std::vector<unsigned> got(count);
  for (unsigned round = 0; round < 6; ++round) {
    unsigned* x = nullptr;
    HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&x), count * sizeof(unsigned), stream));
    HIP_OK(hipMemcpyAsync(x, start.data(), count * sizeof(unsigned), hipMemcpyHostToDevice, stream));
    std::vector<unsigned> want = start;
    for (unsigned k = 0; k < 4; ++k) {
      launch(stream, x, round * 10 + k, count);
      want = updated(want, round * 10 + k);
    }
    HIP_OK(hipMemcpyAsync(got.data(), x, count * sizeof(unsigned), hipMemcpyDeviceToHost, stream));
    HIP_OK(hipFreeAsync(x, stream));
    HIP_OK(hipStreamSynchronize(stream));
    checks.equal("default_pool", got, want);
  }

  // A pool of our own, several blocks alive at once, one of them larger than 2 MiB.
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  properties.location.id = 0;
  hipMemPool_t pool = nullptr;
  HIP_OK(hipMemPoolCreate(&pool, &properties));
  const unsigned sizes[] = {1'000, 700'001, 64};
  unsigned* blocks[3] = {};
  std::vector<unsigned> wants[3];
  for (unsigned k = 0; k < 3; ++k) {
    HIP_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&blocks[k]), sizes[k] * sizeof(unsigned), pool, stream));
    wants[k] = e2e::random_values<unsigned>(sizes[k], 620 + k);
    HIP_OK(hipMemcpyAsync(blocks[k], wants[k].data(), sizes[k] * sizeof(unsigned), hipMemcpyHostToDevice, stream));
  }
  for (unsigned launches = 0; launches < 4; ++launches) {
    for (unsigned k = 0; k < 3; ++k) {
      launch(stream, blocks[k], 100 + launches, sizes[k]);
      wants[k] = updated(wants[k], 100 + launches);
    }
  }
  launch(stream, blocks[1], 7, sizes[1]);
  wants[1] = updated(wants[1], 7);
  for (unsigned k = 0; k < 3; ++k) {
    std::vector<unsigned> back(sizes[k]);
    HIP_OK(hipMemcpyAsync(back.data(), blocks[k], sizes[k] * sizeof(unsigned), hipMemcpyDeviceToHost, stream));
    HIP_OK(hipStreamSynchronize(stream));
    checks.equal("own_pool", back, wants[k]);
  }
  // Given back and taken again while another block of the pool lives on.
  HIP_OK(hipFreeAsync(blocks[0], stream));
  HIP_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&blocks[0]), sizes[0] * sizeof(unsigned), pool, stream));
  HIP_OK(hipMemsetAsync(blocks[0], 0, sizes[0] * sizeof(unsigned), stream));
  for (unsigned k = 0; k < 3; ++k) {
    launch(stream, blocks[0], k + 1, sizes[0]);
  }
  std::vector<unsigned> back(sizes[0]);
  HIP_OK(hipMemcpyAsync(back.data(), blocks[0], sizes[0] * sizeof(unsigned), hipMemcpyDeviceToHost, stream));
  HIP_OK(hipStreamSynchronize(stream));
  checks.equal("taken_again", back, std::vector<unsigned>(sizes[0], (1 * 3 + 2) * 3 + 3));
  for (unsigned* block : blocks) {
    HIP_OK(hipFreeAsync(block, stream));
  }
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipMemPoolDestroy(pool));
  HIP_OK(hipStreamDestroy(stream));
  return checks.finish();
}
