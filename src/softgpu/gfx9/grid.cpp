#include "gfx9/grid.hpp"

#include <immintrin.h>

#include "gfx9/fpenv.hpp"
#include "gfx9/initial_state.hpp"
#include "gfx9/scheduler.hpp"

namespace softgpu::gfx9 {
namespace {

/// The caller's rounding and denormal modes, put back however run() ends.
class FpEnvironment {
 public:
  FpEnvironment() : saved_(_mm_getcsr()) {}
  ~FpEnvironment() { _mm_setcsr(saved_); }
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;

 private:
  unsigned saved_;
};

}  // namespace

struct Grid::Impl {
  explicit Impl(const DeviceConfig& c) : config(c), code(config) {}
  DeviceConfig config;
  CodeCache code;
  Pool pool;
  Gws gws;
};

Grid::Grid(const DeviceConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Grid::~Grid() = default;

void Grid::invalidate_code() { impl_->code.invalidate(); }

GridResult Grid::run(const GridDispatch& dispatch, const GridHost& host) {
  const FpEnvironment saved;
  MemoryAccess memory;
  memory.attach(host.memory);
  Env env;
  env.config = &impl_->config;
  env.host = &host;
  env.memory = &memory;
  env.gws = &impl_->gws;
  env.start_ticks = dispatch.start_ticks;
  env.mxcsr = mxcsr_of(0, 3);
  _mm_setcsr(env.mxcsr);

  KernelDescriptor kernel;
  GridResult result;
  result.end = GridEnd::faulted;
  if (!read_descriptor(dispatch, memory, kernel, result.fault)) return result;
  if (!check_dispatch(dispatch, kernel, result.fault)) return result;
  Scheduler scheduler(impl_->config, dispatch, host, impl_->pool, impl_->code, env);
  return scheduler.run(kernel);
}

}  // namespace softgpu::gfx9
