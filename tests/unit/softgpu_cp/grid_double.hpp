// A double of the interpreter: the test says what a grid does.
#pragma once

#include <functional>

#include "gfx9/grid.hpp"

namespace softgpu::gfx9 {

struct GridDouble {
  /// What run() does. Empty: completes with one tick.
  static std::function<GridResult(const GridDispatch&, const GridHost&)> run;
  static std::atomic<unsigned> invalidations;
  static void reset();
};

}  // namespace softgpu::gfx9
