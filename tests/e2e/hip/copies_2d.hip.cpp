// Two and three dimensional copies and fills between pitched memory and host memory.
// e2e-replayed: ^add_row 1
#include "support/hip_check.hpp"

__global__ void add_row(unsigned char* base, size_t pitch, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y;
  if (x < width && y < height) {
    base[y * pitch + x] = static_cast<unsigned char>(base[y * pitch + x] + y);
  }
}

int main() {
  e2e::Checks checks("copies_2d");
  const unsigned width = 333;
  const unsigned height = 47;
  unsigned char* pitched = nullptr;
  size_t pitch = 0;
  HIP_OK(hipMallocPitch(reinterpret_cast<void**>(&pitched), &pitch, width, height));
  checks.that("pitch", pitch >= width);
  HIP_OK(hipMemset(pitched, 0xee, pitch * height));
  const auto in = e2e::random_values<unsigned char>(width * height, 141);
  HIP_OK(hipMemcpy2D(pitched, pitch, in.data(), width, width, height, hipMemcpyHostToDevice));
  add_row<<<dim3(e2e::groups_for(width, 128), height), 128>>>(pitched, pitch, width, height);
  HIP_LAUNCHED();
  std::vector<unsigned char> want = in;
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      want[y * width + x] = static_cast<unsigned char>(in[y * width + x] + y);
    }
  }
  std::vector<unsigned char> out(width * height, 0);
  HIP_OK(hipMemcpy2D(out.data(), width, pitched, pitch, width, height, hipMemcpyDeviceToHost));
  checks.equal("to_pitched_and_back", out, want);

  // The bytes between rows are untouched.
  std::vector<unsigned char> whole(pitch * height);
  HIP_OK(hipMemcpy(whole.data(), pitched, whole.size(), hipMemcpyDeviceToHost));
  std::vector<unsigned char> want_whole(pitch * height, 0xee);
  for (unsigned y = 0; y < height; ++y) {
    std::memcpy(&want_whole[y * pitch], &want[y * width], width);
  }
  checks.equal("padding", whole, want_whole);

  // Device to device, a window at odd offsets into another pitch; then a 2-D fill inside it.
  const size_t other_pitch = 512;
  std::vector<unsigned char> want_other(other_pitch * 64, 0x33);
  e2e::DeviceArray<unsigned char> other(want_other);
  HIP_OK(hipMemcpy2D(other.get() + 7 * other_pitch + 21, other_pitch, pitched + 3 * pitch + 10, pitch, 201,
                     30, hipMemcpyDeviceToDevice));
  for (unsigned y = 0; y < 30; ++y) {
    std::memcpy(&want_other[(7 + y) * other_pitch + 21], &want_whole[(3 + y) * pitch + 10], 201);
  }
  checks.equal("device_window", other.download(), want_other);
  HIP_OK(hipMemset2D(other.get() + 5 * other_pitch + 40, other_pitch, 0x99, 100, 20));
  for (unsigned y = 0; y < 20; ++y) {
    std::memset(&want_other[(5 + y) * other_pitch + 40], 0x99, 100);
  }
  checks.equal("memset2D", other.download(), want_other);

  // Asynchronous from pinned memory.
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  unsigned char* pinned = nullptr;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), 300 * 40));
  std::memcpy(pinned, in.data(), 300 * 40);
  HIP_OK(
      hipMemcpy2DAsync(other.get() + 64, other_pitch, pinned, 300, 300, 40, hipMemcpyHostToDevice, stream));
  HIP_OK(hipStreamSynchronize(stream));
  for (unsigned y = 0; y < 40; ++y) {
    std::memcpy(&want_other[y * other_pitch + 64], &in[y * 300], 300);
  }
  checks.equal("async_window", other.download(), want_other);

  // A box through hipMemcpy3D.
  const hipExtent extent = make_hipExtent(60, 9, 5);
  hipPitchedPtr box{};
  HIP_OK(hipMalloc3D(&box, extent));
  std::vector<unsigned char> cube = e2e::random_values<unsigned char>(60 * 9 * 5, 142);
  std::vector<unsigned char> cube_back(cube.size(), 0);
  hipMemcpy3DParms up{};
  up.srcPtr = make_hipPitchedPtr(cube.data(), 60, 60, 9);
  up.dstPtr = box;
  up.extent = extent;
  up.kind = hipMemcpyHostToDevice;
  HIP_OK(hipMemcpy3D(&up));
  hipMemcpy3DParms down{};
  down.srcPtr = box;
  down.dstPtr = make_hipPitchedPtr(cube_back.data(), 60, 60, 9);
  down.extent = extent;
  down.kind = hipMemcpyDeviceToHost;
  HIP_OK(hipMemcpy3D(&down));
  checks.equal("memcpy3D", cube_back, cube);

  HIP_OK(hipFree(box.ptr));
  HIP_OK(hipHostFree(pinned));
  HIP_OK(hipStreamDestroy(stream));
  HIP_OK(hipFree(pitched));
  return checks.finish();
}
