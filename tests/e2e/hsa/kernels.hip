// Kernels of the HSA programs, compiled to a plain code object (no offload bundle). They use no hidden
// arguments and take their ids from the dispatch packet.
#include <hip/hip_runtime.h>

/// Workgroups of 64.
extern "C" __global__ void in_place(unsigned* x, const unsigned* y, unsigned count) {
  // The workgroup size is written out, as blockDim is smaller in a partial last workgroup, which HIP never
  // launches but HSA does.
  const unsigned i = blockIdx.x * 64u + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 3u + y[i];
  }
}

extern "C" __global__ void append(unsigned* log, unsigned value) {
  // log[0] is the length: shows in which order dispatches ran, and how often.
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    log[1 + log[0] % 1000u] = value;
    log[0] += 1;
  }
}

extern "C" {
__device__ unsigned counter;
}

extern "C" __global__ void count_up(unsigned by) { atomicAdd(&counter, by); }

extern "C" __global__ void wait_for_host(unsigned* flag, unsigned* x) {
  if (threadIdx.x == 0) {
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
      __builtin_amdgcn_s_sleep(8);
    }
    x[0] += 1;
  }
}

/// `passes` lies in host memory, which no replay puts back unless told to: it counts executions, `x` launches.
extern "C" __global__ void count_passes(unsigned* passes, unsigned* x) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    __hip_atomic_fetch_add(passes, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
    x[0] += 1;
  }
}

/// One more in the first element of each buffer that the table points at.
extern "C" __global__ void bump_table(unsigned** table, unsigned count) {
  if (threadIdx.x < count && blockIdx.x == 0) {
    table[threadIdx.x][0] += 1;
  }
}

struct Node {
  Node* next;
  unsigned value;
};

/// A list over several allocations.
extern "C" __global__ void bump_list(Node* head) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    for (Node* node = head; node != nullptr; node = node->next) {
      node->value += 1;
    }
  }
}

/// The index of the element to change comes from device memory.
extern "C" __global__ void bump_indexed(unsigned* x, const unsigned* index) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    x[index[0]] += 1;
  }
}

/// Ends the queue when `flag` in host memory is set.
extern "C" __global__ void trap_when(const unsigned* flag, unsigned* x) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    x[0] += 1;
    if (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 0) {
      __builtin_trap();
    }
  }
}

/// Releases a kernel that waits for `flag` in device or host memory.
extern "C" __global__ void raise_flag(unsigned* flag) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    __hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  }
}

__constant__ unsigned weights[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

extern "C" {
__device__ unsigned weighed;
}

/// A read-only symbol beside a writable one.
extern "C" __global__ void weigh(unsigned by) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    weighed += weights[by % 16u];
  }
}

/// Adds up `count` elements: what a pass was given to read shows in the result.
extern "C" __global__ void add_up(const unsigned* x, unsigned count, unsigned* sum) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    unsigned total = 0;
    for (unsigned i = 0; i < count; ++i) {
      total += x[i];
    }
    sum[0] += total;
  }
}

/// The compute unit that each workgroup runs on: CU_ID, SH_ID and SE_ID of HW_ID (register 4, seven bits from bit 8).
extern "C" __global__ void record_unit(unsigned* units) {
  if (threadIdx.x == 0) {
    units[blockIdx.x] = __builtin_amdgcn_s_getreg((6 << 11) | (8 << 6) | 4);
  }
}

// C09: an argument that the kernel does not use may point at memory that is gone.
extern "C" __global__ void bump_beside(unsigned* x, const unsigned* unused) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    x[0] += unused == nullptr ? 100u : 1u;
  }
}
