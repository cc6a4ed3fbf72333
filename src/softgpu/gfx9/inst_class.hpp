// The counters' class of a decoded instruction, and what one execution of it adds.
#pragma once

#include "gfx9/counts.hpp"
#include "gfx9/inst.hpp"

namespace softgpu::gfx9 {

struct Env;

InstClass class_of(const Inst& inst);

/// Before the instruction runs: it may change EXEC and its own operands.
void count_instruction(const Wave& wave, const Inst& inst, const Env& env, UnitCounts& counts);

}  // namespace softgpu::gfx9
