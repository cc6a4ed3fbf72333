// A kernel with private arrays in scratch memory that works in place.
// e2e-replayed: ^scratch LAUNCHES
// Threads that share a ring may publish together; each of their dispatches is still wanted.
#include "support/proof.hpp"

constexpr unsigned kLocal = 48;

__host__ __device__ inline unsigned through_local(unsigned* local, unsigned x, unsigned i, unsigned k) {
  for (unsigned j = 0; j < kLocal; ++j) {
    local[j] = x + j * i;
  }
  for (unsigned j = 0; j < 12; ++j) {
    const unsigned from = local[(x + j) % kLocal] % kLocal;
    local[from] = local[from] * 7u + local[(from + k) % kLocal];
  }
  unsigned sum = 0;
  for (unsigned j = 0; j < kLocal; ++j) {
    sum = sum * 31u + local[j];
  }
  return sum;
}

__global__ void scratch(unsigned* x, unsigned k, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    unsigned local[kLocal];
    x[i] += through_local(local, x[i], i, k);
  }
}

namespace {
struct State {
  std::vector<unsigned> host;
  e2e::DeviceArray<unsigned> x;
};
}  // namespace

int main(int argc, char** argv) {
  const e2e::ProofShape shape = e2e::proof_shape(argc, argv);
  e2e::Checks checks("scratch");
  const unsigned count = 150;
  auto states = e2e::run_proof(
      shape,
      [&](unsigned thread) {
        auto x = e2e::random_values<unsigned>(count, 5'000 + thread);
        return State{x, e2e::DeviceArray<unsigned>(x)};
      },
      [&](State& state, hipStream_t stream, unsigned k) {
        scratch<<<e2e::groups_for(count, 64), 64, 0, stream>>>(state.x.get(), k, count);
      });
  for (State& state : states) {
    for (unsigned k = 0; k < shape.launches; ++k) {
      for (unsigned i = 0; i < count; ++i) {
        unsigned local[kLocal];
        state.host[i] += through_local(local, state.host[i], i, k);
      }
    }
    checks.equal("x", state.x.download(), state.host);
  }
  return checks.finish();
}
