// Speed of the interpreter in wave-instructions per second, one line per kernel: "name: value 1/s". Not a
// test.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "support/launch.hpp"

namespace {

using gfx9_test::kKernarg;
using gfx9_test::Launcher;

/// Best of five runs, after one to warm up.
double rate(const char* kernel, uint16_t workgroup, uint64_t rounds) {
  Launcher l;
  l.memory.write<uint64_t>(kKernarg + 8, rounds);
  l.size({workgroup}, {workgroup});
  double best = 0;
  for (int n = 0; n < 6; ++n) {
    const std::clock_t start = std::clock();
    const softgpu::gfx9::GridResult result = l.run(kernel);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (result.fault) {
      fmt::print(stderr, "{}: {}\n", kernel, result.fault.text);
      return 0;
    }
    if (n > 0) best = std::max(best, static_cast<double>(result.stats.wave_instructions) / seconds);
  }
  return best;
}

}  // namespace

int main() {
  fmt::print("wave_instructions_per_second: {:.0f} 1/s\n", rate("bench_f32", 256, 20000));
  fmt::print("wave_instructions_per_second_partial_exec: {:.0f} 1/s\n", rate("bench_f32", 40, 60000));
  fmt::print("wave_instructions_per_second_load_store: {:.0f} 1/s\n", rate("bench_saxpy", 256, 50000));
  fmt::print("wave_instructions_per_second_scalar: {:.0f} 1/s\n", rate("bench_scalar", 64, 2000000));
  return 0;
}
