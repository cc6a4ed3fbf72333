// Three-dimensional grids and workgroups, partial last workgroups, the largest workgroup, a one-item grid.
// e2e-replayed: ^identify 6
#include "support/hip_check.hpp"

/// Every work-item adds 1 + its ids to the cell of its global id, so a missing, doubled or misnumbered item
/// shows.
__global__ void identify(unsigned long long* cells, dim3 extent) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < extent.x && y < extent.y && z < extent.z) {
    const size_t cell = (static_cast<size_t>(z) * extent.y + y) * extent.x + x;
    cells[cell] += 1ull + (static_cast<unsigned long long>(threadIdx.x) << 8) +
                   (static_cast<unsigned long long>(threadIdx.y) << 20) +
                   (static_cast<unsigned long long>(threadIdx.z) << 32) +
                   (static_cast<unsigned long long>(gridDim.x * 10000u + gridDim.y * 100u + gridDim.z) << 40);
  }
}

int main() {
  e2e::Checks checks("grids_3d");
  struct Shape {
    dim3 extent, group;
  };
  const Shape shapes[] = {
      {dim3(37, 11, 5), dim3(8, 4, 2)},     {dim3(64, 1, 1), dim3(64, 1, 1)},
      {dim3(1, 1, 1), dim3(1, 1, 1)},       {dim3(3, 50, 7), dim3(1, 32, 4)},
      {dim3(2050, 1, 1), dim3(1024, 1, 1)}, {dim3(9, 9, 65), dim3(3, 5, 64)},
  };
  for (const Shape& shape : shapes) {
    const dim3 extent = shape.extent;
    const dim3 group = shape.group;
    const dim3 grid((extent.x + group.x - 1) / group.x, (extent.y + group.y - 1) / group.y,
                    (extent.z + group.z - 1) / group.z);
    e2e::DeviceArray<unsigned long long> dev(static_cast<size_t>(extent.x) * extent.y * extent.z);
    dev.clear();
    identify<<<grid, group>>>(dev.get(), extent);
    HIP_LAUNCHED();
    std::vector<unsigned long long> want(dev.count());
    for (unsigned z = 0; z < extent.z; ++z) {
      for (unsigned y = 0; y < extent.y; ++y) {
        for (unsigned x = 0; x < extent.x; ++x) {
          want[(static_cast<size_t>(z) * extent.y + y) * extent.x + x] =
              1ull + (static_cast<unsigned long long>(x % group.x) << 8) +
              (static_cast<unsigned long long>(y % group.y) << 20) +
              (static_cast<unsigned long long>(z % group.z) << 32) +
              (static_cast<unsigned long long>(grid.x * 10000u + grid.y * 100u + grid.z) << 40);
        }
      }
    }
    char name[64];
    std::snprintf(name, sizeof name, "extent_%ux%ux%u", extent.x, extent.y, extent.z);
    checks.equal(name, dev.download(), want);
  }
  return checks.finish();
}
