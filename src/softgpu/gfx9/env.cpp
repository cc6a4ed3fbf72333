#include "gfx9/env.hpp"

namespace softgpu::gfx9 {

void Env::raise(FaultKind kind, const char* text) {
  if (fault) return;
  fault.kind = kind;
  fault.text = text;
  stop = Stop::fault;
}

void Env::raise_memory(uint64_t address, bool write, const char* text) {
  if (fault) return;
  raise(FaultKind::memory_violation, text);
  fault.address = address;
  fault.write = write;
}

}  // namespace softgpu::gfx9
