// Linear copies of 1 byte to 64 MiB (or to the number of MiB in the first argument): pageable and pinned host memory, both directions, device to device, with
// and without a stream, and a kernel between two copies of one stream.
// e2e-replayed: ^negate 1
#include "support/hip_check.hpp"

__global__ void negate(unsigned char* bytes, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    bytes[i] = static_cast<unsigned char>(-bytes[i]);
  }
}

namespace {

/// Fast, position-dependent content.
void fill(unsigned char* bytes, size_t count, uint64_t seed) {
  e2e::Random random(seed);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const uint64_t word = random.next();
    std::memcpy(bytes + i, &word, 8);
  }
  for (; i < count; ++i) {
    bytes[i] = static_cast<unsigned char>(random.next());
  }
}

struct Name {
  char text[64];
  Name(const char* what, size_t size) { std::snprintf(text, sizeof text, "%s_%zu", what, size); }
};

/// Every path of one size: up, across and down, synchronous and in a stream.
void round_trips(e2e::Checks& checks, size_t size, hipStream_t stream) {
  const size_t shift = size < 100'000 ? 5 : 64;  // unaligned where it is cheap
  std::vector<unsigned char> pageable(size + shift);
  std::vector<unsigned char> back(size + shift, 0);
  fill(pageable.data(), pageable.size(), size);
  unsigned char* pinned = nullptr;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), size + shift));
  std::memset(pinned, 0, size + shift);
  e2e::DeviceArray<unsigned char> a(size + shift);
  e2e::DeviceArray<unsigned char> b(size + shift);

  HIP_OK(hipMemcpy(a.get() + shift, pageable.data() + shift, size, hipMemcpyHostToDevice));
  HIP_OK(hipMemcpy(b.get() + shift, a.get() + shift, size, hipMemcpyDeviceToDevice));
  HIP_OK(hipMemcpy(pinned + shift, b.get() + shift, size, hipMemcpyDeviceToHost));
  checks.equal(Name("pageable_device_device_pinned", size).text, pinned + shift, pageable.data() + shift,
               size);

  fill(pinned, size + shift, size + 1);
  HIP_OK(hipMemcpyAsync(b.get(), pinned, size, hipMemcpyHostToDevice, stream));
  HIP_OK(hipMemcpyAsync(a.get(), b.get(), size, hipMemcpyDeviceToDevice, stream));
  HIP_OK(hipMemcpyAsync(back.data(), a.get(), size, hipMemcpyDeviceToHost, stream));
  HIP_OK(hipStreamSynchronize(stream));
  checks.equal(Name("async_pinned_device_device_pageable", size).text, back.data(), pinned, size);

  std::memset(pinned, 0, size);
  HIP_OK(hipMemcpyAsync(a.get(), pageable.data(), size, hipMemcpyDefault, stream));
  HIP_OK(hipMemcpyAsync(pinned, a.get(), size, hipMemcpyDefault, stream));
  HIP_OK(hipStreamSynchronize(stream));
  checks.equal(Name("async_pageable_device_pinned", size).text, pinned, pageable.data(), size);

  HIP_OK(hipMemcpy(back.data(), pinned, size, hipMemcpyHostToHost));
  checks.equal(Name("host_to_host", size).text, back.data(), pageable.data(), size);
  HIP_OK(hipHostFree(pinned));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t most = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64) << 20;
  e2e::Checks checks("copies");
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  const size_t sizes[] = {1, 3, 64, 4'095, 16'384, 65'537, 1u << 20, (9u << 20) + 13, 64u << 20};
  for (const size_t size : sizes) {
    if (size > most) break;
    round_trips(checks, size, stream);
  }

  // A kernel between two asynchronous copies, with 64 MiB of other device memory alive.
  const unsigned count = 40'000;
  e2e::DeviceArray<unsigned char> ballast(64u << 20);
  e2e::DeviceArray<unsigned char> dev(count);
  std::vector<unsigned char> in(count);
  std::vector<unsigned char> out(count);
  std::vector<unsigned char> want(count);
  fill(in.data(), count, 7);
  for (unsigned i = 0; i < count; ++i) {
    want[i] = static_cast<unsigned char>(-in[i]);
  }
  HIP_OK(hipMemcpyAsync(dev.get(), in.data(), count, hipMemcpyHostToDevice, stream));
  negate<<<e2e::groups_for(count, 256), 256, 0, stream>>>(dev.get(), count);
  HIP_LAUNCHED();
  HIP_OK(hipMemcpyAsync(out.data(), dev.get(), count, hipMemcpyDeviceToHost, stream));
  HIP_OK(hipStreamSynchronize(stream));
  checks.equal("copy_kernel_copy", out, want);
  HIP_OK(hipStreamDestroy(stream));
  return checks.finish();
}
