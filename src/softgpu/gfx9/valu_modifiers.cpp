#include "gfx9/valu_modifiers.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

constexpr uint32_t sign_of(Ty ty) { return ty == Ty::f16 ? 0x8000u : 0x80000000u; }

/// Source lane of lane l, or -1: none.
int dpp_source(unsigned ctrl, unsigned l) {
  const unsigned row = l & ~15u, in_row = l & 15u, n = ctrl & 15u;
  if (ctrl < 0x100) return static_cast<int>((l & ~3u) | (ctrl >> (2 * (l & 3)) & 3));
  switch (ctrl & 0x1f0) {
    case 0x100:
      return in_row + n < 16 ? static_cast<int>(l + n) : -1;
    case 0x110:
      return in_row >= n ? static_cast<int>(l - n) : -1;
    case 0x120:
      return static_cast<int>(row | ((in_row - n) & 15u));
    case 0x150:  // row_newbcast
      return static_cast<int>(row | n);
    default:
      break;
  }
  switch (ctrl) {
    case 0x130:  // wave_shl
      return l < 63 ? static_cast<int>(l + 1) : -1;
    case 0x134:  // wave_rol
      return static_cast<int>((l + 1) & 63);
    case 0x138:  // wave_shr
      return static_cast<int>(l) - 1;
    case 0x13c:  // wave_ror
      return static_cast<int>((l - 1) & 63);
    case 0x140:  // row_mirror
      return static_cast<int>(row | (15 - in_row));
    case 0x141:  // row_half_mirror
      return static_cast<int>((l & ~7u) | (7 - (l & 7)));
    case 0x142:  // row_bcast15
      return l >= 16 ? static_cast<int>(row - 1) : -1;
    default:  // row_bcast31
      return l >= 32 ? 31 : -1;
  }
}

}  // namespace

const uint32_t* negate(Ty ty, bool neg, bool abs, const uint32_t* s, uint32_t* tmp) {
  const unsigned dwords = dwords_of(ty);
  for (unsigned j = 0; j < dwords; ++j) {
    const bool top = j + 1 == dwords;
    const uint32_t clear = top && abs ? ~sign_of(ty) : ~0u, flip = top && neg ? sign_of(ty) : 0;
    const uint32_t* from = s + j * kLanes;
    uint32_t* to = tmp + j * kLanes;
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) to[l] = (from[l] & clear) ^ flip;
  }
  return tmp;
}

const uint32_t* high_half(const uint32_t* s, uint32_t* tmp) {
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) tmp[l] = s[l] >> 16;
  return tmp;
}

const uint32_t* select_halves(bool lo, bool hi, bool neg_lo, bool neg_hi, const uint32_t* s, uint32_t* tmp) {
  const unsigned lo_shift = lo ? 16 : 0, hi_shift = hi ? 0 : 16;
  const uint32_t flip = (neg_lo ? 0x8000u : 0) | (neg_hi ? 0x80000000u : 0);
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t v = s[l];
    tmp[l] = ((v >> lo_shift & 0xffffu) | (v << hi_shift & 0xffff0000u)) ^ flip;
  }
  return tmp;
}

const uint32_t* select_dwords(bool lo, bool hi, bool neg_lo, bool neg_hi, const uint32_t* s, uint32_t* tmp) {
  const uint32_t* first = s + (lo ? kLanes : 0);
  const uint32_t* second = s + (hi ? kLanes : 0);
  const uint32_t flip_lo = neg_lo ? 0x80000000u : 0, flip_hi = neg_hi ? 0x80000000u : 0;
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t a = first[l], b = second[l];
    tmp[l] = a ^ flip_lo;
    tmp[kLanes + l] = b ^ flip_hi;
  }
  return tmp;
}

const uint32_t* sdwa_select(const Sdwa& sdwa, unsigned n, const uint32_t* s, uint32_t* tmp) {
  const unsigned sel = sdwa.src_sel[n];
  if (sel >= 6) return s;
  const unsigned width = sel < 4 ? 8 : 16, up = 32 - width - (sel < 4 ? 8 * sel : 16 * (sel - 4));
  if (sdwa.src_sext[n]) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
      tmp[l] = static_cast<uint32_t>(static_cast<int32_t>(s[l] << up) >> (32 - width));
    }
  } else {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) tmp[l] = s[l] << up >> (32 - width);
  }
  return tmp;
}

void sdwa_merge(const Sdwa& sdwa, const uint32_t* old, uint32_t* value) {
  const unsigned sel = sdwa.dst_sel;
  if (sel >= 6) return;
  const unsigned width = sel < 4 ? 8 : 16, at = sel < 4 ? 8 * sel : 16 * (sel - 4);
  const uint32_t field = (width == 8 ? 0xffu : 0xffffu) << at;
  if (sdwa.dst_unused == 1) {  // sign-extended upwards, zero below
    const unsigned up = 32 - width;
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
      value[l] = static_cast<uint32_t>(static_cast<int32_t>(value[l] << up) >> up) << at;
    }
    return;
  }
  const uint32_t keep = sdwa.dst_unused == 2 ? ~field : 0;
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) value[l] = (value[l] << at & field) | (old[l] & keep);
}

void merge_half(bool high, const uint32_t* old, uint32_t* value) {
  const unsigned at = high ? 16 : 0;
  const uint32_t field = high ? 0xffff0000u : 0xffffu;
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) value[l] =
      (value[l] << at & field) | (old[l] & ~field);
}

uint64_t dpp_move(const Dpp& dpp, uint64_t exec, const uint32_t* s, uint32_t* moved) {
  uint64_t written = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    const int from = dpp_source(dpp.ctrl, l);
    const bool valid = from >= 0 && (exec >> from & 1) != 0;
    moved[l] = valid ? s[from] : 0;
    const bool enabled = (dpp.row_mask >> (l / 16) & 1) != 0 && (dpp.bank_mask >> (l / 4 % 4) & 1) != 0;
    if (enabled && (valid || dpp.bound_ctrl)) written |= uint64_t{1} << l;
  }
  return written & exec;
}

bool dpp_ctrl_valid(unsigned ctrl, bool gfx90a) {
  if (is_row_newbcast(ctrl)) return gfx90a;
  if (ctrl < 0x100) return true;
  if (ctrl < 0x130) return (ctrl & 15) != 0;
  return ctrl == 0x130 || ctrl == 0x134 || ctrl == 0x138 || ctrl == 0x13c || (ctrl >= 0x140 && ctrl <= 0x143);
}

void apply_omod(const Wave& w, Ty ty, unsigned omod, uint32_t* value) {
  const unsigned denorm_shift = ty == Ty::f32 ? mode_bit::denorm_f32_shift : mode_bit::denorm_f64_f16_shift;
  if ((w.mode & mode_bit::ieee) != 0 || (w.mode >> denorm_shift & 2) != 0) return;
  // A power of two: add to the exponent. Results are normal, zero, infinite or NaN here (denormals flushed);
  // minus zero becomes plus zero, an exponent that leaves the range becomes infinity or zero.
  const int step = omod == 1 ? 1 : omod == 2 ? 2 : -1;
  const unsigned frac = ty == Ty::f16 ? 10 : ty == Ty::f32 ? 23 : 20;
  const int top = ty == Ty::f16 ? 31 : ty == Ty::f32 ? 255 : 2047;
  const uint32_t sign = sign_of(ty);
  uint32_t* hi = value + (ty == Ty::f64 ? kLanes : 0);
  for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t v = hi[l];
    const int e = static_cast<int>((v & ~sign) >> frac);
    uint32_t lo = ty == Ty::f64 ? value[l] : 0;
    uint32_t r = v;
    if (e == 0 || (e < top && e + step <= 0)) {
      r = e == 0 ? 0 : v & sign;
      lo = 0;
    } else if (e < top && e + step >= top) {
      r = (v & sign) | static_cast<uint32_t>(top) << frac;
      lo = 0;
    } else if (e < top) {
      r = v + (static_cast<uint32_t>(step) << frac);
    }
    hi[l] = r;
    if (ty == Ty::f64) value[l] = lo;
  }
}

void apply_clamp(const Wave& w, Ty ty, uint32_t* value) {
  const bool dx10 = (w.mode & mode_bit::dx10_clamp) != 0;
  if (ty == Ty::pkf16) {
    alignas(64) uint32_t half[2][kLanes];
    for (unsigned l = 0; l < kLanes; ++l) {
      half[0][l] = value[l] & 0xffffu;
      half[1][l] = value[l] >> 16;
    }
    apply_clamp(w, Ty::f16, half[0]);
    apply_clamp(w, Ty::f16, half[1]);
    for (unsigned l = 0; l < kLanes; ++l) value[l] = half[0][l] | half[1][l] << 16;
    return;
  }
  if (ty == Ty::pkf32) {
    apply_clamp(w, Ty::f32, value);
    apply_clamp(w, Ty::f32, value + kLanes);
    return;
  }
  // As sign-magnitude integers floats are ordered: negative numbers become 0, those above one become one.
  if (ty == Ty::f64) {
    constexpr uint64_t kOne = 0x3ff0000000000000, kInf = 0x7ff0000000000000, kSign = uint64_t{1} << 63;
    for (unsigned l = 0; l < kLanes; ++l) {
      uint64_t v = LaneType<uint64_t>::get(value, l);
      if ((v & ~kSign) > kInf) {
        v = dx10 ? 0 : v;
      } else if ((v & kSign) != 0) {
        v = 0;
      } else if (v > kOne) {
        v = kOne;
      }
      LaneType<uint64_t>::put(value, l, v);
    }
    return;
  }
  const uint32_t sign = sign_of(ty), one = ty == Ty::f16 ? 0x3c00u : 0x3f800000u;
  const uint32_t inf = ty == Ty::f16 ? 0x7c00u : 0x7f800000u, nan_keep = dx10 ? 0 : ~0u;
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t v = value[l];
    const uint32_t magnitude = v & (sign - 1);
    const uint32_t in_range = magnitude > one ? one : magnitude;
    const uint32_t number = (v & sign) != 0 ? 0 : in_range;
    value[l] = magnitude > inf ? v & nan_keep : number;
  }
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
