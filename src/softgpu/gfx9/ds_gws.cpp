// Global wave sync ops: a barrier and semaphores between waves of the whole grid. The resource is
// M0 21:16 plus OFFSET0, the operand comes from the first active lane. Source: "Vega" ISA manual, DS_GWS_*.
#include <bit>

#include "gfx9/ds.hpp"
#include "gfx9/gws.hpp"

namespace softgpu::gfx9 {
namespace {

unsigned resource_number(const Wave& w, const Inst& i) {
  return ((w.m0() >> 16 & 0x3f) + (static_cast<unsigned>(i.imm) & 0xff)) % Gws::kResources;
}
uint32_t operand(const Wave& w, const Inst& i) {
  const uint64_t exec = w.exec();
  return w.vgpr[i.src[0]][exec == 0 ? 0 : std::countr_zero(exec)];
}
/// Raises the semaphore; whoever waits looks again (and counts itself again if it has to go on waiting).
void add(GwsResource& r, uint64_t amount) {
  r.semaphore += amount;
  r.waiting = 0;
  ++r.generation;
}
void wait_for(Env& env, unsigned number) {
  env.stop = Stop::gws;
  env.gws_resource = static_cast<uint8_t>(number);
}

}  // namespace

void ds_gws_init(Wave& w, const Inst& i, Env& env) {
  GwsResource& r = env.gws->resource[resource_number(w, i)];
  r = {operand(w, i), 0, operand(w, i), 0, r.generation};
}

/// The operand is the number of waves minus one for the next use of the barrier.
void ds_gws_barrier(Wave& w, const Inst& i, Env& env) {
  const unsigned number = resource_number(w, i);
  GwsResource& r = env.gws->resource[number];
  if (++r.arrived <= r.barrier_last) return wait_for(env, number);
  r.arrived = 0;
  r.barrier_last = operand(w, i);
  ++r.generation;
}

void ds_gws_sema_v(Wave& w, const Inst& i, Env& env) {
  GwsResource& r = env.gws->resource[resource_number(w, i)];
  add(r, 1);
}
void ds_gws_sema_br(Wave& w, const Inst& i, Env& env) {
  GwsResource& r = env.gws->resource[resource_number(w, i)];
  add(r, operand(w, i));
}
/// Takes one, or waits and executes again when the count has moved.
void ds_gws_sema_p(Wave& w, const Inst& i, Env& env) {
  const unsigned number = resource_number(w, i);
  GwsResource& r = env.gws->resource[number];
  if (r.semaphore > 0) {
    --r.semaphore;
    return;
  }
  ++r.waiting;
  w.pc -= 4u * i.size_dwords;
  wait_for(env, number);
}
/// Lets every wave through that waits now.
void ds_gws_sema_release_all(Wave& w, const Inst& i, Env& env) {
  GwsResource& r = env.gws->resource[resource_number(w, i)];
  add(r, r.waiting);
}

}  // namespace softgpu::gfx9
