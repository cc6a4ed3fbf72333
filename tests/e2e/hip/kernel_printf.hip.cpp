// printf in a kernel: each line comes exactly once per launch, however often the launch is replayed. The
// program catches its own output in a file, sorts it and compares.
// e2e-candidates: ^report 2
// e2e-candidates: ^silent 2
#include <unistd.h>

#include <algorithm>
#include <string>

#include "support/hip_check.hpp"

__global__ void report(const int* in, int launch) {
  const int i = static_cast<int>(threadIdx.x);
  if (i % 16 == 0) {
    printf("launch %d item %d value %d half %.2f %s %c %llx\n", launch, i, in[i], in[i] / 2.0, "text",
           'A' + i / 16, 0xfeedfacecafebeefull + static_cast<unsigned long long>(i));
  }
}

/// Declares the host-call buffer without using it: the condition never holds.
__global__ void silent(int* x, int never) {
  x[threadIdx.x] += 2;
  if (x[threadIdx.x] == never) {
    printf("unexpected\n");
  }
}

int main() {
  e2e::Checks checks("kernel_printf");
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) {
    in[i] = i * i - 100;
  }
  e2e::DeviceArray<int> dev(in);

  std::fflush(stdout);
  std::FILE* file = std::tmpfile();
  const int saved = dup(STDOUT_FILENO);
  checks.that("redirected", file != nullptr && saved >= 0);
  std::fflush(stdout);
  dup2(fileno(file), STDOUT_FILENO);
  for (int launch = 1; launch <= 2; ++launch) {
    report<<<1, 64>>>(dev.get(), launch);
    HIP_LAUNCHED();
    HIP_OK(hipDeviceSynchronize());
  }
  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);

  std::rewind(file);
  std::vector<std::string> lines;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, file) != nullptr) {
    lines.emplace_back(buffer);
  }
  std::fclose(file);
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> want;
  for (int launch = 1; launch <= 2; ++launch) {
    for (int i = 0; i < 64; i += 16) {
      std::snprintf(buffer, sizeof buffer, "launch %d item %d value %d half %.2f %s %c %llx\n", launch, i,
                    in[i], in[i] / 2.0, "text", 'A' + i / 16,
                    0xfeedfacecafebeefull + static_cast<unsigned long long>(i));
      want.emplace_back(buffer);
    }
  }
  std::sort(want.begin(), want.end());
  for (const auto& line : lines) {
    std::printf("printed: %s", line.c_str());
  }
  checks.value("lines", lines.size(), want.size());
  checks.that("text", lines == want);

  for (int launch = 0; launch < 2; ++launch) {
    silent<<<1, 64>>>(dev.get(), 1 << 30);
    HIP_LAUNCHED();
    for (auto& v : in) {
      v += 2;
    }
  }
  checks.equal("silent", dev.download(), in);
  return checks.finish();
}
