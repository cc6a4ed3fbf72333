#include "grid_double.hpp"

namespace softgpu::gfx9 {

std::function<GridResult(const GridDispatch&, const GridHost&)> GridDouble::run;
std::atomic<unsigned> GridDouble::invalidations{0};

void GridDouble::reset() {
  run = nullptr;
  invalidations = 0;
}

struct Grid::Impl {};

Grid::Grid(const DeviceConfig&) : impl_(std::make_unique<Impl>()) {}
Grid::~Grid() = default;

GridResult Grid::run(const GridDispatch& dispatch, const GridHost& host) {
  if (GridDouble::run) return GridDouble::run(dispatch, host);
  GridResult result;
  result.stats.ticks = 1;
  return result;
}

void Grid::invalidate_code() { ++GridDouble::invalidations; }

}  // namespace softgpu::gfx9
