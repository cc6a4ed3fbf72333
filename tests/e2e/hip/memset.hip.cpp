// hipMemset and its 8, 16 and 32 bit forms at odd offsets and sizes; bytes around the range stay as they
// were. e2e-replayed: ^invert 1
#include <string>

#include "support/hip_check.hpp"

__global__ void invert(unsigned char* bytes, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    bytes[i] = static_cast<unsigned char>(~bytes[i]);
  }
}

int main() {
  e2e::Checks checks("memset");
  const size_t size = (1u << 20) + 64;
  std::vector<unsigned char> want(size, 0x11);
  e2e::DeviceArray<unsigned char> dev(want);
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));

  struct Range {
    size_t offset, size;
  };
  // HIP 5.2.3 takes a wrong size for a fill that ends before the next multiple of 8: no such range here.
  unsigned char pattern = 0x20;
  for (const Range range : {Range{8, 1}, Range{16, 3}, Range{24, 4}, Range{33, 255}, Range{512, 4096},
                            Range{8193, 70'001}, Range{131'072, 800'000}}) {
    HIP_OK(hipMemset(dev.get() + range.offset, ++pattern, range.size));
    std::memset(want.data() + range.offset, pattern, range.size);
  }
  checks.equal("hipMemset", dev.download(), want);

  HIP_OK(hipMemsetAsync(dev.get() + 77, 0xc3, 12'345, stream));
  HIP_OK(hipStreamSynchronize(stream));
  std::memset(want.data() + 77, 0xc3, 12'345);
  checks.equal("hipMemsetAsync", dev.download(), want);

  HIP_OK(hipMemsetD8(dev.get() + 5, 0x5a, 1001));
  std::memset(want.data() + 5, 0x5a, 1001);
  HIP_OK(hipMemsetD16(dev.get() + 4098, 0x1234, 777));
  for (size_t i = 0; i < 777; ++i) {
    const uint16_t v = 0x1234;
    std::memcpy(want.data() + 4098 + 2 * i, &v, 2);
  }
  HIP_OK(hipMemsetD32(dev.get() + 65'536, static_cast<int>(0xdeadbeefu), 4096));
  for (size_t i = 0; i < 4096; ++i) {
    const uint32_t v = 0xdeadbeefu;
    std::memcpy(want.data() + 65'536 + 4 * i, &v, 4);
  }
  checks.equal("hipMemsetD8_D16_D32", dev.download(), want);

  const unsigned inverted = 4099;
  invert<<<e2e::groups_for(inverted, 128), 128>>>(dev.get(), inverted);
  HIP_LAUNCHED();
  for (unsigned i = 0; i < inverted; ++i) {
    want[i] = static_cast<unsigned char>(~want[i]);
  }
  checks.equal("kernel_after_fill", dev.download(), want);

  // A fill and a kernel in one stream keep their order, the fill after the kernel as well as before it.
  HIP_OK(hipMemsetAsync(dev.get(), 0x0f, inverted, stream));
  invert<<<e2e::groups_for(inverted, 128), 128, 0, stream>>>(dev.get(), inverted);
  HIP_LAUNCHED();
  HIP_OK(hipMemsetAsync(dev.get(), 0x77, 100, stream));
  HIP_OK(hipStreamSynchronize(stream));
  std::memset(want.data(), 0xf0, inverted);
  std::memset(want.data(), 0x77, 100);
  checks.equal("fill_kernel_fill", dev.download(), want);
  HIP_OK(hipStreamDestroy(stream));
  return checks.finish();
}
