// Atomic histogram: all threads count into one shared array, and each into its own. A window that loses or
// doubles a neighbour's dispatch shows in the shared one.
// e2e-replayed: ^histogram LAUNCHES
// Threads that share a ring may publish together; each of their dispatches is still wanted.
#include "support/proof.hpp"

constexpr unsigned kBins = 37;

__global__ void histogram(const unsigned* in, unsigned* own, unsigned* shared, unsigned count,
                          unsigned salt) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const unsigned bin = (in[i] + salt * i) % kBins;
    atomicAdd(&own[bin], 1u);
    atomicAdd(&shared[bin], 1u);
  }
}

namespace {
struct State {
  std::vector<unsigned> host;
  e2e::DeviceArray<unsigned> in, own;
};
}  // namespace

int main(int argc, char** argv) {
  const e2e::ProofShape shape = e2e::proof_shape(argc, argv);
  e2e::Checks checks("histogram");
  const unsigned count = 512;
  e2e::DeviceArray<unsigned> shared(std::vector<unsigned>(kBins, 0));
  auto states = e2e::run_proof(
      shape,
      [&](unsigned thread) {
        auto in = e2e::random_values<unsigned>(count, 3'000 + thread);
        return State{in, e2e::DeviceArray<unsigned>(in),
                     e2e::DeviceArray<unsigned>(std::vector<unsigned>(kBins, 0))};
      },
      [&](State& state, hipStream_t stream, unsigned k) {
        histogram<<<e2e::groups_for(count, 128), 128, 0, stream>>>(state.in.get(), state.own.get(),
                                                                   shared.get(), count, k);
      });
  std::vector<unsigned> want_shared(kBins, 0);
  for (const State& state : states) {
    std::vector<unsigned> want(kBins, 0);
    for (unsigned k = 0; k < shape.launches; ++k) {
      for (unsigned i = 0; i < count; ++i) {
        ++want[(state.host[i] + k * i) % kBins];
      }
    }
    for (unsigned bin = 0; bin < kBins; ++bin) {
      want_shared[bin] += want[bin];
    }
    checks.equal("own", state.own.download(), want);
  }
  checks.equal("shared", shared.download(), want_shared);
  return checks.finish();
}
