// Graphs: one captured from two streams, one built node by node (copy, kernels, host function, copy), each
// launched several times. Graph launches are not replayed; their results must still be right.
// e2e-replayed: ^eager 1
// e2e-candidates: ^square_add 15
#include "support/hip_check.hpp"

__global__ void square_add(unsigned* x, const unsigned* y, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * x[i] + y[i];
  }
}

__global__ void eager(unsigned* x, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] += 3u;
  }
}

namespace {

void square_add_host(std::vector<unsigned>& x, const std::vector<unsigned>& y) {
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = x[i] * x[i] + y[i];
  }
}

void captured(e2e::Checks& checks, unsigned count) {
  const unsigned groups = e2e::groups_for(count, 128);
  auto x = e2e::random_values<unsigned>(count, 161);
  auto y = e2e::random_values<unsigned>(count, 162);
  e2e::DeviceArray<unsigned> dev_x(x);
  e2e::DeviceArray<unsigned> dev_y(y);
  hipStream_t stream;
  hipStream_t side;
  hipEvent_t fork;
  hipEvent_t join;
  HIP_OK(hipStreamCreate(&stream));
  HIP_OK(hipStreamCreate(&side));
  HIP_OK(hipEventCreate(&fork));
  HIP_OK(hipEventCreate(&join));
  hipGraph_t graph;
  hipGraphExec_t executable;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP_OK(hipEventRecord(fork, stream));
  HIP_OK(hipStreamWaitEvent(side, fork, 0));
  square_add<<<groups, 128, 0, stream>>>(dev_x.get(), dev_x.get(), count);
  square_add<<<groups, 128, 0, side>>>(dev_y.get(), dev_y.get(), count);
  HIP_OK(hipEventRecord(join, side));
  HIP_OK(hipStreamWaitEvent(stream, join, 0));
  square_add<<<groups, 128, 0, stream>>>(dev_x.get(), dev_y.get(), count);
  HIP_OK(hipStreamEndCapture(stream, &graph));
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int launch = 0; launch < 3; ++launch) {
    HIP_OK(hipGraphLaunch(executable, stream));
    HIP_OK(hipStreamSynchronize(stream));
    // An ordinary launch in between is replayed on top of what the graph left.
    eager<<<groups, 128, 0, stream>>>(dev_x.get(), count);
    HIP_LAUNCHED();
    HIP_OK(hipStreamSynchronize(stream));
    square_add_host(x, x);
    square_add_host(y, y);
    square_add_host(x, y);
    for (auto& v : x) {
      v += 3u;
    }
  }
  checks.equal("captured_x", dev_x.download(), x);
  checks.equal("captured_y", dev_y.download(), y);
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
  HIP_OK(hipEventDestroy(fork));
  HIP_OK(hipEventDestroy(join));
  HIP_OK(hipStreamDestroy(side));
  HIP_OK(hipStreamDestroy(stream));
}

void built(e2e::Checks& checks, unsigned count) {
  auto x = e2e::random_values<unsigned>(count, 163);
  const auto y = e2e::random_values<unsigned>(count, 164);
  std::vector<unsigned> out(count, 0);
  e2e::DeviceArray<unsigned> dev_x(count);
  e2e::DeviceArray<unsigned> dev_y(y);
  hipGraph_t graph;
  HIP_OK(hipGraphCreate(&graph, 0));
  hipGraphNode_t up;
  HIP_OK(hipGraphAddMemcpyNode1D(&up, graph, nullptr, 0, dev_x.get(), x.data(), count * sizeof(unsigned),
                                 hipMemcpyHostToDevice));
  unsigned* arg_x = dev_x.get();
  const unsigned* arg_y = dev_y.get();
  unsigned arg_count = count;
  void* args[] = {&arg_x, &arg_y, &arg_count};
  hipKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(square_add);
  params.gridDim = dim3(e2e::groups_for(count, 64));
  params.blockDim = dim3(64);
  params.kernelParams = args;
  hipGraphNode_t first;
  hipGraphNode_t second;
  HIP_OK(hipGraphAddKernelNode(&first, graph, &up, 1, &params));
  HIP_OK(hipGraphAddKernelNode(&second, graph, &first, 1, &params));
  hipGraphNode_t down;
  HIP_OK(hipGraphAddMemcpyNode1D(&down, graph, &second, 1, out.data(), dev_x.get(), count * sizeof(unsigned),
                                 hipMemcpyDeviceToHost));
  hipGraphExec_t executable;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  for (int launch = 0; launch < 3; ++launch) {
    x[launch] += 5u;  // read again by the copy node of each launch
    HIP_OK(hipGraphLaunch(executable, stream));
    HIP_OK(hipStreamSynchronize(stream));
    auto want = x;
    square_add_host(want, y);
    square_add_host(want, y);
    checks.equal("built", out, want);
  }
  HIP_OK(hipStreamDestroy(stream));
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
}

}  // namespace

int main() {
  e2e::Checks checks("graphs");
  captured(checks, 1'500);
  built(checks, 900);
  return checks.finish();
}
