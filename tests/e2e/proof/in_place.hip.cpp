// x[i] += y[i]: every pass too many, or on the result of another, changes x.
// e2e-replayed: ^in_place LAUNCHES
// Threads that share a ring may publish together; each of their dispatches is still wanted.
#include "support/proof.hpp"

__global__ void in_place(float* x, const float* y, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] += y[i];
  }
}

namespace {
struct State {
  std::vector<float> host_x, host_y;
  e2e::DeviceArray<float> x, y;
};
}  // namespace

int main(int argc, char** argv) {
  const e2e::ProofShape shape = e2e::proof_shape(argc, argv);
  e2e::Checks checks("in_place");
  const unsigned count = 1'000;
  auto states = e2e::run_proof(
      shape,
      [&](unsigned thread) {
        auto x = e2e::random_values<float>(count, 1'000 + thread);
        auto y = e2e::random_values<float>(count, 2'000 + thread);
        return State{x, y, e2e::DeviceArray<float>(x), e2e::DeviceArray<float>(y)};
      },
      [&](State& state, hipStream_t stream, unsigned) {
        in_place<<<e2e::groups_for(count, 256), 256, 0, stream>>>(state.x.get(), state.y.get(), count);
      });
  for (State& state : states) {
    for (unsigned k = 0; k < shape.launches; ++k) {
      for (unsigned i = 0; i < count; ++i) {
        state.host_x[i] += state.host_y[i];
      }
    }
    checks.equal("x", state.x.download(), state.host_x);
    checks.equal("y", state.y.download(), state.host_y);
  }
  return checks.finish();
}
