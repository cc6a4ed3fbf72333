// One wavefront's architected state, and nothing else. Shared by every family; also compiled into the lane
// code that is built several times with different vector widths, hence only always-inline functions here.
#pragma once

#include <cstdint>
#include <cstring>

#define GFX9_INLINE [[gnu::always_inline]] inline

namespace softgpu::gfx9 {

constexpr unsigned kLanes = 64;
constexpr unsigned kVgprs = 512;  ///< 0..255 architected; 256..511 accumulation registers (gfx90a)

/// Scalar register numbers with a name.
namespace sgpr_no {
constexpr unsigned flat_scratch = 102;
constexpr unsigned xnack_mask = 104;
constexpr unsigned vcc = 106;
constexpr unsigned m0 = 124;
constexpr unsigned exec = 126;
}  // namespace sgpr_no

/// Fields of the MODE register. Source: "Vega" ISA manual, table "MODE Register Fields".
namespace mode_bit {
constexpr uint32_t round_f32_shift = 0;       ///< 2 bits: 0 nearest even, 1 +inf, 2 -inf, 3 toward zero
constexpr uint32_t round_f64_f16_shift = 2;   ///< as above
constexpr uint32_t denorm_f32_shift = 4;      ///< bit 0: inputs kept, bit 1: results kept (else flushed)
constexpr uint32_t denorm_f64_f16_shift = 6;  ///< as above
constexpr uint32_t dx10_clamp = 1u << 8;      ///< clamp turns NaN into 0
constexpr uint32_t ieee = 1u << 9;            ///< min/max quiet signalling NaN
constexpr uint32_t fp16_ovfl = 1u << 23;
constexpr uint32_t gpr_idx_en = 1u << 27;
constexpr uint32_t vskip = 1u << 28;
}  // namespace mode_bit

struct alignas(64) Wave {
  /// Lane data of one register is contiguous: vgpr[r][lane].
  uint32_t vgpr[kVgprs][kLanes];
  /// 0..101 general, 102/103 FLAT_SCRATCH, 104/105 XNACK_MASK, 106/107 VCC, 124 M0, 126/127 EXEC.
  /// Two spare entries, so that a 64-bit access at 127 stays inside the object.
  uint32_t sgpr[130];
  uint64_t pc;  ///< address of the next instruction while an executor runs
  uint32_t mode;
  uint32_t hw_id;    ///< HW_REG_HW_ID: wave, SIMD and CU numbers the scheduler gave it
  uint32_t trapsts;  ///< HW_REG_TRAPSTS as far as software writes it
  uint32_t scc;      ///< 0 or 1

  GFX9_INLINE uint64_t s64(unsigned n) const {
    uint64_t v;
    std::memcpy(&v, &sgpr[n], 8);
    return v;
  }
  GFX9_INLINE void set_s64(unsigned n, uint64_t v) { std::memcpy(&sgpr[n], &v, 8); }
  GFX9_INLINE uint64_t exec() const { return s64(sgpr_no::exec); }
  GFX9_INLINE void set_exec(uint64_t v) { set_s64(sgpr_no::exec, v); }
  GFX9_INLINE uint64_t vcc() const { return s64(sgpr_no::vcc); }
  GFX9_INLINE void set_vcc(uint64_t v) { set_s64(sgpr_no::vcc, v); }
  GFX9_INLINE uint32_t m0() const { return sgpr[sgpr_no::m0]; }
  GFX9_INLINE bool lane_active(unsigned lane) const { return (exec() >> lane) & 1; }
};

}  // namespace softgpu::gfx9
