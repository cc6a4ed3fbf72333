// The kernel's argument is a table in device memory; what it changes hangs on pointers in that table and on
// a list through three allocations.
// e2e-replayed: ^pointer_chase LAUNCHES
// Threads that share a ring may publish together; each of their dispatches is still wanted.
#include "support/proof.hpp"

struct Node {
  Node* next;
  unsigned* values;
  unsigned visits;
};

__global__ void pointer_chase(Node* const* table, unsigned count) {
  const unsigned i = threadIdx.x;
  for (Node* node = table[0]; node != nullptr; node = node->next) {
    if (i < count) {
      node->values[i] = node->values[i] * 5u + node->visits + i;
    }
    __syncthreads();
    if (i == 0) {
      ++node->visits;
    }
  }
}

namespace {

constexpr unsigned kNodes = 3;
constexpr unsigned kCount = 100;

struct State {
  std::vector<unsigned> host[kNodes];
  std::vector<e2e::DeviceArray<unsigned>> values;
  std::vector<e2e::DeviceArray<Node>> nodes;
  std::vector<e2e::DeviceArray<Node*>> table;  // one element
};

State make_state(unsigned thread) {
  State state;
  for (unsigned n = 0; n < kNodes; ++n) {
    state.host[n] = e2e::random_values<unsigned>(kCount, 4'000 + 10 * thread + n);
    state.values.emplace_back(state.host[n]);
    state.nodes.emplace_back(1);
  }
  for (unsigned n = 0; n < kNodes; ++n) {
    Node* next = n + 1 < kNodes ? state.nodes[n + 1].get() : nullptr;
    state.nodes[n].upload({Node{next, state.values[n].get(), n}});
  }
  state.table.emplace_back(std::vector<Node*>{state.nodes[0].get()});
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  const e2e::ProofShape shape = e2e::proof_shape(argc, argv);
  e2e::Checks checks("pointer_chase");
  auto states = e2e::run_proof(shape, make_state, [](State& state, hipStream_t stream, unsigned) {
    pointer_chase<<<1, 128, 0, stream>>>(state.table[0].get(), kCount);
  });
  for (State& state : states) {
    for (unsigned n = 0; n < kNodes; ++n) {
      for (unsigned k = 0; k < shape.launches; ++k) {
        for (unsigned i = 0; i < kCount; ++i) {
          state.host[n][i] = state.host[n][i] * 5u + (n + k) + i;
        }
      }
      checks.equal("values", state.values[n].download(), state.host[n]);
      checks.value("visits", state.nodes[n].download()[0].visits, n + shape.launches);
    }
  }
  return checks.finish();
}
