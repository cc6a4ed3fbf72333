// Frame of the replay-proof programs: `PROGRAM THREADS LAUNCHES` runs a kernel that is wrong as soon as one
// pass sees what another pass wrote, LAUNCHES times from each of THREADS host threads, every thread on its
// own stream, and compares the end state with a host computation of exactly that many launches.
#pragma once

#include <thread>

#include "support/hip_check.hpp"

namespace e2e {

struct ProofShape {
  unsigned threads = 1;
  unsigned launches = 1;
};

inline ProofShape proof_shape(int argc, char** argv) {
  ProofShape shape;
  if (argc > 2) {
    shape.threads = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
    shape.launches = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  }
  if (shape.threads == 0 || shape.threads > 64 || shape.launches == 0) {
    std::fprintf(stderr, "usage: %s THREADS LAUNCHES\n", argv[0]);
    std::exit(2);
  }
  return shape;
}

/// @param make   called once per thread, in order, on the calling thread: the thread's state (buffers)
/// @param launch called `launches` times on the thread that owns the state, with its stream and the number of
///               the launch; the stream is synchronised after the last one
/// @return the states, in order
template <class Make, class Launch>
auto run_proof(const ProofShape& shape, Make make, Launch launch) {
  std::vector<decltype(make(0u))> states;
  states.reserve(shape.threads);
  for (unsigned thread = 0; thread < shape.threads; ++thread) {
    states.push_back(make(thread));
  }
  HIP_OK(hipDeviceSynchronize());
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < shape.threads; ++thread) {
    threads.emplace_back([&, thread] {
      hipStream_t stream;
      HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
      for (unsigned k = 0; k < shape.launches; ++k) {
        launch(states[thread], stream, k);
        HIP_LAUNCHED();
      }
      HIP_OK(hipStreamSynchronize(stream));
      HIP_OK(hipStreamDestroy(stream));
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  return states;
}

}  // namespace e2e
