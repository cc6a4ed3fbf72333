// A random HIP program: the seed decides what its host threads do with their streams, events, graphs, buffers
// and peer access on all GPUs. It is valid and free of races whatever the seed, and knows what every buffer
// must hold.
//
//   stress_program --seed N [--threads N] [--phases N] [--steps N]
//
// Prints a line for everything that is wrong, then the seed and a checksum over what the GPUs held whenever
// it was looked at: the same for every run of a seed. Exit status: 0 all right, 1 wrong values, 2 a call
// failed.
#include <thread>

#include "stress/program/actor.hpp"

namespace {

using random_program::Actor;
using random_program::Plan;
using random_program::Word;

constexpr unsigned kSlice = 100;  ///< words of each thread in memory that all share

struct Arguments {
  uint64_t seed = 1;
  Plan plan;
};

Arguments parse(int argc, char** argv) {
  Arguments all;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    char* end = nullptr;
    const uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 10) : 0;
    const bool number = end != nullptr && end != argv[i + 1] && *end == '\0';
    if (number && option == "--seed")
      all.seed = value;
    else if (number && option == "--threads" && value != 0)
      all.plan.threads = static_cast<unsigned>(value);
    else if (number && option == "--phases")
      all.plan.phases = static_cast<unsigned>(value);
    else if (number && option == "--steps")
      all.plan.steps = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--seed N] [--threads N] [--phases N] [--steps N]\n", argv[0]);
      std::exit(2);
    }
  }
  return all;
}

/// Peer access is taken away while nobody works; what runs later must ask again.
void take_access(const Plan& plan, e2e::Random& random) {
  for (unsigned from = 0; from < plan.gpus; ++from)
    for (unsigned to = 0; to < plan.gpus; ++to) {
      if (from == to || random.next() % 2 == 0) continue;
      HIP_OK(hipSetDevice(static_cast<int>(from)));
      const hipError_t status = hipDeviceDisablePeerAccess(static_cast<int>(to));
      if (status != hipErrorPeerAccessNotEnabled) HIP_OK(status);
      static_cast<void>(hipGetLastError());
    }
}

/// @return how many counters are wrong
unsigned check_counters(const Plan& plan, const std::vector<std::unique_ptr<Actor>>& actors) {
  unsigned wrong = 0;
  for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
    Word want = 0, got = 0;
    for (const auto& actor : actors) want += actor->counted(gpu);
    HIP_OK(hipSetDevice(static_cast<int>(gpu)));
    HIP_OK(hipMemcpyFromSymbol(&got, HIP_SYMBOL(random_program::total), sizeof got));
    if (got == want) continue;
    std::printf("wrong: counter of gpu %u is %u, want %u\n", gpu, got, want);
    ++wrong;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Arguments all = parse(argc, argv);
  Plan& plan = all.plan;
  int gpus = 0;
  HIP_OK(hipGetDeviceCount(&gpus));
  plan.gpus = static_cast<unsigned>(gpus);
  // What other threads do meanwhile may end a capture, and HIP 5.2 gives wrong values when one thread
  // launches a graph while another launches kernels, on buffers and streams that they do not share (without
  // libkreplay, too).
  plan.graphs = plan.threads == 1;
  e2e::Random random(all.seed);

  std::vector<Word*> shared(plan.gpus);
  for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
    HIP_OK(hipSetDevice(static_cast<int>(gpu)));
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&shared[gpu]), plan.threads * kSlice * sizeof(Word)));
    HIP_OK(hipMemset(shared[gpu], 0, plan.threads * kSlice * sizeof(Word)));
    HIP_OK(hipDeviceSynchronize());
  }
  std::vector<std::unique_ptr<Actor>> actors;
  for (unsigned thread = 0; thread < plan.threads; ++thread) {
    std::vector<Word*> slices(plan.gpus);
    for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) slices[gpu] = shared[gpu] + thread * kSlice;
    actors.push_back(std::make_unique<Actor>(plan, thread, random.next(), slices, kSlice));
  }
  unsigned wrong = 0;
  for (unsigned phase = 0; phase < plan.phases; ++phase) {
    std::vector<std::thread> threads;
    for (auto& actor : actors) threads.emplace_back([&actor, phase] { actor->phase(phase); });
    for (auto& thread : threads) thread.join();
    wrong += check_counters(plan, actors);
    take_access(plan, random);
    for (auto& actor : actors) actor->forget_access();
  }
  uint64_t checksum = 0;
  for (auto& actor : actors) {
    actor->finish();
    wrong += actor->wrong();
    checksum = checksum * 31 + actor->checksum();
  }
  for (Word* memory : shared) HIP_OK(hipFree(memory));
  std::printf("seed %llu gpus %u threads %u: %u wrong, checksum %016llx\n",
              static_cast<unsigned long long>(all.seed), plan.gpus, plan.threads, wrong,
              static_cast<unsigned long long>(checksum));
  return wrong == 0 ? 0 : 1;
}
