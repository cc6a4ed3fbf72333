// hiprtc at run time, module loading, launch by both argument styles, module globals, unload and reload.
// e2e-replayed: ^axpy 2
// e2e-replayed: ^count_up 6
#include <hip/hiprtc.h>

#include <string>

#include "support/hip_check.hpp"

#define RTC_OK(call)                                                             \
  do {                                                                           \
    const hiprtcResult rtc_ok_result = (call);                                   \
    if (rtc_ok_result != HIPRTC_SUCCESS) {                                       \
      std::printf("error %s: %s\n", #call, hiprtcGetErrorString(rtc_ok_result)); \
      std::fflush(stdout);                                                       \
      std::_Exit(2);                                                             \
    }                                                                            \
  } while (0)

namespace {
const char* const kSource = R"(
extern "C" __device__ unsigned total = 5;
extern "C" __constant__ float scale[2] = {1.0f, 1.0f};
extern "C" __global__ void axpy(float a, const float* x, float* y, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = a * x[i] * scale[0] + y[i] * scale[1];
}
extern "C" __global__ void count_up(unsigned by) { atomicAdd(&total, by); }
)";
}  // namespace

int main() {
  e2e::Checks checks("hiprtc_module");
  hiprtcProgram program;
  RTC_OK(hiprtcCreateProgram(&program, kSource, "axpy.hip", 0, nullptr, nullptr));
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  const std::string architecture = std::string("--gpu-architecture=") + properties.gcnArchName;
  const char* options[] = {architecture.c_str(), "-ffp-contract=off"};
  const hiprtcResult compiled = hiprtcCompileProgram(program, 2, options);
  if (compiled != HIPRTC_SUCCESS) {
    size_t size = 0;
    RTC_OK(hiprtcGetProgramLogSize(program, &size));
    std::string log(size, '\0');
    RTC_OK(hiprtcGetProgramLog(program, log.data()));
    std::fprintf(stderr, "%s\n", log.c_str());
  }
  RTC_OK(compiled);
  size_t code_size = 0;
  RTC_OK(hiprtcGetCodeSize(program, &code_size));
  std::vector<char> code(code_size);
  RTC_OK(hiprtcGetCode(program, code.data()));
  RTC_OK(hiprtcDestroyProgram(&program));

  const unsigned count = 1'111;
  const auto x = e2e::random_values<float>(count, 181);
  auto y = e2e::random_values<float>(count, 182);
  e2e::DeviceArray<float> dev_x(x);
  e2e::DeviceArray<float> dev_y(y);
  for (int load = 0; load < 2; ++load) {
    hipModule_t module;
    HIP_OK(hipModuleLoadData(&module, code.data()));
    hipFunction_t axpy;
    hipFunction_t count_up;
    HIP_OK(hipModuleGetFunction(&axpy, module, "axpy"));
    HIP_OK(hipModuleGetFunction(&count_up, module, "count_up"));
    hipDeviceptr_t scale;
    size_t scale_size = 0;
    HIP_OK(hipModuleGetGlobal(&scale, &scale_size, module, "scale"));
    checks.value("global_size", scale_size, 2 * sizeof(float));
    const float factors[2] = {2.0f, 0.5f};
    HIP_OK(hipMemcpyHtoD(scale, const_cast<float*>(factors), sizeof factors));

    float a = 1.25f + static_cast<float>(load);
    if (load == 0) {
      void* arg_x = dev_x.get();
      void* arg_y = dev_y.get();
      unsigned arg_count = count;
      void* args[] = {&a, &arg_x, &arg_y, &arg_count};
      HIP_OK(
          hipModuleLaunchKernel(axpy, e2e::groups_for(count, 64), 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
    } else {
      struct {
        float a;
        void* x;
        void* y;
        unsigned count;
      } packed{a, dev_x.get(), dev_y.get(), count};
      size_t packed_size = sizeof packed;
      void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size,
                       HIP_LAUNCH_PARAM_END};
      HIP_OK(hipModuleLaunchKernel(axpy, e2e::groups_for(count, 64), 1, 1, 64, 1, 1, 0, nullptr, nullptr,
                                   extra));
    }
    for (unsigned i = 0; i < count; ++i) {
      y[i] = a * x[i] * 2.0f + y[i] * 0.5f;
    }
    checks.equal("axpy", dev_y.download(), y);

    for (unsigned by = 1; by <= 3; ++by) {
      void* args[] = {&by};
      HIP_OK(hipModuleLaunchKernel(count_up, 2, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
    }
    hipDeviceptr_t total;
    size_t total_size = 0;
    HIP_OK(hipModuleGetGlobal(&total, &total_size, module, "total"));
    unsigned value = 0;
    HIP_OK(hipMemcpyDtoH(&value, total, sizeof value));
    checks.value("module_global", value, 5u + 128u * 6u);  // 5 again after the reload
    HIP_OK(hipModuleUnload(module));
  }
  return checks.finish();
}
