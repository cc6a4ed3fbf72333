// The inner loop: one wave, a bounded number of instructions.
#pragma once

#include "gfx9/code_cache.hpp"
#include "gfx9/env.hpp"

namespace softgpu::gfx9 {

/// Runs `wave` until it stops or has executed `quantum` instructions. Env must be set up for the wave.
/// @param executed incremented by the number of instructions
/// @return why it stopped; none if the quantum is used up. With Stop::fault, env.fault is complete.
Stop run_slice(Wave& wave, Env& env, CodeCache& code, uint32_t quantum, uint64_t& executed);

}  // namespace softgpu::gfx9
