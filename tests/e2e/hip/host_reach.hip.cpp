// Host memory that a kernel reaches by a pointer that is not into it: its end, one before its start, an odd
// place of a packed structure; and memory of which a part was made inaccessible. Every kernel accumulates, so
// each of its launches must count once.
// e2e-candidates: ^from_the_end 9
// e2e-candidates: ^from_one 9
// e2e-candidates: ^packed 9
// e2e-candidates: ^beside_a_guard 9
#include <sys/mman.h>

#include "support/hip_check.hpp"

__global__ void from_the_end(unsigned* end, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    *(end - 1 - i) += 3 * i + 1;
  }
}

__global__ void from_one(unsigned* before, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    before[i + 1] += 5 * i + 2;
  }
}

struct __attribute__((packed)) Odd {
  unsigned char tag[3];
  unsigned* data;
  unsigned short count;
};

__global__ void packed(Odd odd) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < odd.count) {
    odd.data[i] += 7 * i + odd.tag[1];
  }
}

__global__ void beside_a_guard(unsigned* x, unsigned* sum) {
  atomicAdd(sum, x[threadIdx.x]);
  x[threadIdx.x] += 1;
}

/// Whole pages that host and device see, each at its own address; `how` is pinned, managed or registered.
struct Shared {
  unsigned* host = nullptr;
  unsigned* device = nullptr;
  size_t size_bytes;
  std::string how;

  Shared(const char* kind, size_t bytes) : size_bytes(bytes), how(kind) {
    void* memory = nullptr;
    if (how == "pinned") {
      HIP_OK(hipHostMalloc(&memory, bytes, hipHostMallocMapped));
    } else if (how == "managed") {
      HIP_OK(hipMallocManaged(&memory, bytes));
    } else {
      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      HIP_OK(hipHostRegister(memory, bytes, hipHostRegisterMapped));
    }
    host = static_cast<unsigned*>(memory);
    std::memset(memory, 0, bytes);
    void* view = memory;
    if (how != "managed") {
      HIP_OK(hipHostGetDevicePointer(&view, memory, 0));
    }
    device = static_cast<unsigned*>(view);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (how == "pinned") {
      HIP_OK(hipHostFree(host));
    } else if (how == "managed") {
      HIP_OK(hipFree(host));
    } else {
      HIP_OK(hipHostUnregister(host));
      munmap(host, size_bytes);
    }
  }
};

int main() {
  e2e::Checks checks("host_reach");
  constexpr unsigned kCount = 1024;
  constexpr int kLaunches = 3;
  for (const char* how : {"pinned", "managed", "registered"}) {
    const std::string name(how);
    {
      const Shared ends(how, kCount * sizeof(unsigned));
      const Shared starts(how, kCount * sizeof(unsigned));
      const Shared odd(how, kCount * sizeof(unsigned));
      for (int launch = 0; launch < kLaunches; ++launch) {
        from_the_end<<<4, 256>>>(ends.device + kCount, kCount);
        HIP_LAUNCHED();
        from_one<<<4, 256>>>(starts.device - 1, kCount);
        HIP_LAUNCHED();
        packed<<<4, 256>>>(Odd{{1, 9, 2}, odd.device, kCount});
        HIP_LAUNCHED();
      }
      HIP_OK(hipDeviceSynchronize());
      std::vector<unsigned> want_ends(kCount), want_starts(kCount), want_odd(kCount);
      for (unsigned i = 0; i < kCount; ++i) {
        want_ends[kCount - 1 - i] = kLaunches * (3 * i + 1);
        want_starts[i] = kLaunches * (5 * i + 2);
        want_odd[i] = kLaunches * (7 * i + 9);
      }
      checks.equal((name + "_end").c_str(), std::vector<unsigned>(ends.host, ends.host + kCount), want_ends);
      checks.equal((name + "_one_before").c_str(), std::vector<unsigned>(starts.host, starts.host + kCount),
                   want_starts);
      checks.equal((name + "_packed").c_str(), std::vector<unsigned>(odd.host, odd.host + kCount), want_odd);
    }
    {
      constexpr size_t kBytes = 1 << 19;
      const Shared guarded(how, kBytes);
      const e2e::DeviceArray<unsigned> sum(std::vector<unsigned>{0});
      char* const guard = reinterpret_cast<char*>(guarded.host) + kBytes / 4;
      checks.that((name + "_guarded").c_str(), mprotect(guard, kBytes / 2, PROT_NONE) == 0);
      for (int launch = 0; launch < kLaunches; ++launch) {
        beside_a_guard<<<1, 64>>>(guarded.device, sum.get());
        HIP_LAUNCHED();
      }
      checks.equal((name + "_sum").c_str(), sum.download(), {64u * (0 + 1 + 2)});
      checks.equal((name + "_beside").c_str(), std::vector<unsigned>(guarded.host, guarded.host + 64),
                   std::vector<unsigned>(64, kLaunches));
      mprotect(guard, kBytes / 2, PROT_READ | PROT_WRITE);
    }
  }
  return checks.finish();
}
