// Double-precision ops of the vector ALU as pure functions of one lane. For lane sources only.
// Rules as in ops_f32.hpp: class Fp::f64 arithmetic runs under MODE, the first NaN operand wins.
#pragma once

#include "gfx9/ops_f32.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

constexpr u64 kF64Sign = u64{1} << 63, kF64Inf = 0x7ff0000000000000, kF64Quiet = u64{1} << 51;
constexpr u64 kF64Nan = kF64Inf | kF64Quiet, kF64Fraction = (u64{1} << 52) - 1;

GFX9_INLINE constexpr u64 f64_mag(double x) { return f64_bits(x) & ~kF64Sign; }
GFX9_INLINE constexpr bool is_nan(double x) { return f64_mag(x) > kF64Inf; }
GFX9_INLINE constexpr bool is_snan(double x) { return is_nan(x) && (f64_bits(x) & kF64Quiet) == 0; }
GFX9_INLINE constexpr double quiet(double x) { return f64_from(f64_bits(x) | kF64Quiet); }
GFX9_INLINE constexpr double pick(bool which, double yes, double no) {
  const u64 m = which ? ~u64{0} : 0;
  return f64_from((f64_bits(yes) & m) | (f64_bits(no) & ~m));
}
GFX9_INLINE constexpr double flush(double x, u64 keep) {
  const u64 b = f64_bits(x);
  return f64_from((b & kF64Inf) == 0 ? b & keep : b);
}
GFX9_INLINE double nan_rule(double r, double a) {
  return pick(r != r, pick(a != a, quiet(a), f64_from(kF64Nan)), r);
}
GFX9_INLINE double nan_rule(double r, double a, double b) {
  const double n = pick(a != a, quiet(a), pick(b != b, quiet(b), f64_from(kF64Nan)));
  return pick(r != r, n, r);
}
GFX9_INLINE double nan_rule(double r, double a, double b, double c) {
  const double n = pick(a != a, quiet(a), pick(b != b, quiet(b), pick(c != c, quiet(c), f64_from(kF64Nan))));
  return pick(r != r, n, r);
}

GFX9_INLINE double v_add_f64(double a, double b) { return nan_rule(a + b, a, b); }
GFX9_INLINE double v_mul_f64(double a, double b) { return nan_rule(a * b, a, b); }

/// a * b + c times 2^scale, rounded once by MODE 3:2; inputs and result flushed by the masks. In integers, so
/// independent of the host unit. Not for NaN or infinite operands.
inline double fma_soft(const FpCtx& fp, double a, double b, double c, i32 scale);
/// The same for any operands.
GFX9_INLINE double fma_number(const FpCtx& fp, double a, double b, double c) {
#if defined(__FMA__)
  (void)fp;
  return __builtin_fma(a, b, c);
#else
  if (f64_mag(a) >= kF64Inf || f64_mag(b) >= kF64Inf) return a * b + c;  // the product is exact
  return f64_mag(c) >= kF64Inf ? c : fma_soft(fp, a, b, c, 0);
#endif
}
GFX9_INLINE double v_fma_f64(const FpCtx& fp, double a, double b, double c) {
  return nan_rule(fma_number(fp, a, b, c), a, b, c);
}

template <bool Max>
GFX9_INLINE constexpr double min_max(const FpCtx& fp, double a0, double b0) {
  const double a = flush(a0, fp.f64_in & fp.f64_out), b = flush(b0, fp.f64_in & fp.f64_out);
  const i64 sa = static_cast<i64>(f64_bits(a)), sb = static_cast<i64>(f64_bits(b));
  const i64 ka = sa ^ static_cast<i64>(static_cast<u64>(sa >> 63) & ~kF64Sign);
  const i64 kb = sb ^ static_cast<i64>(static_cast<u64>(sb >> 63) & ~kF64Sign);
  double r = pick(Max ? ka > kb : ka < kb, a, b);
  r = pick(is_nan(b), a, r);
  r = pick(is_nan(a), b, r);
  const bool ieee = fp.ieee != 0;
  r = pick(ieee & is_snan(b), quiet(b), r);
  return pick(ieee & is_snan(a), quiet(a), r);
}
GFX9_INLINE constexpr double v_min_f64(const FpCtx& fp, double a, double b) {
  return min_max<false>(fp, a, b);
}
GFX9_INLINE constexpr double v_max_f64(const FpCtx& fp, double a, double b) {
  return min_max<true>(fp, a, b);
}

// --- rounding to integral values, in integers: exact ---
GFX9_INLINE constexpr double trunc_number(double x) {
  const u64 b = f64_bits(x);
  const i32 exponent = static_cast<i32>(b >> 52 & 0x7ff) - 1023;
  if (exponent >= 52) return x;
  return f64_from(exponent < 0 ? b & kF64Sign : b & ~(kF64Fraction >> exponent));
}
GFX9_INLINE constexpr double with_sign_of(double magnitude, double sign) {
  return f64_from((f64_bits(magnitude) & ~kF64Sign) | (f64_bits(sign) & kF64Sign));
}
GFX9_INLINE constexpr double floor_number(double x) {
  const double t = trunc_number(x);
  return with_sign_of(t > x ? t - 1.0 : t, x);
}
GFX9_INLINE constexpr double ceil_number(double x) {
  const double t = trunc_number(x);
  return with_sign_of(t < x ? t + 1.0 : t, x);
}
GFX9_INLINE constexpr double rndne_number(double x) {
  const double m = f64_from(f64_mag(x)), t = trunc_number(m);
  const double rest = m < 4503599627370496.0 ? m - t : 0.0;
  const bool odd = t < 4503599627370496.0 && (static_cast<i64>(t) & 1) != 0;
  return with_sign_of(rest > 0.5 || (rest == 0.5 && odd) ? t + 1.0 : t, x);
}
GFX9_INLINE constexpr double quiet_if_nan(double r, double x) { return pick(is_nan(x), quiet(x), r); }
GFX9_INLINE constexpr double v_trunc_f64(const FpCtx& fp, double x) {
  return quiet_if_nan(trunc_number(flush(x, fp.f64_in)), x);
}
GFX9_INLINE constexpr double v_floor_f64(const FpCtx& fp, double x) {
  return quiet_if_nan(floor_number(flush(x, fp.f64_in)), x);
}
GFX9_INLINE constexpr double v_ceil_f64(const FpCtx& fp, double x) {
  return quiet_if_nan(ceil_number(flush(x, fp.f64_in)), x);
}
GFX9_INLINE constexpr double v_rndne_f64(const FpCtx& fp, double x) {
  return quiet_if_nan(rndne_number(flush(x, fp.f64_in)), x);
}
static_assert(rndne_number(2.5) == 2.0 && rndne_number(-3.5) == -4.0 && floor_number(-0.25) == -1.0);
static_assert(ceil_number(1e300) == 1e300 && trunc_number(-1.75) == -1.0 &&
              ceil_number(4503599627370495.5) == 4503599627370496.0);
GFX9_INLINE double v_fract_f64(const FpCtx& fp, double x0) {
  const double x = flush(x0, fp.f64_in);
  const double r = x - floor_number(x);
  const double below = f64_from(0x3fefffffffffffff);
  return nan_rule(pick(r > below, below, r), x0);
}

GFX9_INLINE constexpr i32 v_frexp_exp_i32_f64(const FpCtx& fp, double x) {
  const u64 mag = f64_mag(flush(x, fp.f64_in));
  if (mag == 0 || mag >= kF64Inf) return 0;
  const i32 exponent = static_cast<i32>(mag >> 52);
  return exponent != 0 ? exponent - 1022 : -1010 - __builtin_clzll(mag);
}
GFX9_INLINE constexpr double v_frexp_mant_f64(const FpCtx& fp, double x0) {
  const double x = flush(x0, fp.f64_in);
  const u64 mag = f64_mag(x);
  if (mag > kF64Inf) return quiet(x);
  if (mag == 0 || mag == kF64Inf) return x;
  const u32 shift = mag >> 52 != 0 ? 0 : static_cast<u32>(__builtin_clzll(mag)) - 11;
  return f64_from((f64_bits(x) & kF64Sign) | 0x3fe0000000000000 | (mag << shift & kF64Fraction));
}
constexpr FpCtx kKeep64 = {.f64_in = ~u64{0}, .f64_out = ~u64{0}};
static_assert(v_frexp_exp_i32_f64(kKeep64, f64_from(1)) == -1073 && v_frexp_exp_i32_f64(kKeep64, 1.0) == 1);
static_assert(v_frexp_mant_f64(kKeep64, f64_from(3)) == 0.75 && v_frexp_mant_f64(kKeep64, -6.0) == -0.75);

GFX9_INLINE constexpr bool v_cmp_class_f64(double x, u32 mask) {
  const u64 mag = f64_mag(x);
  return (class_bits((f64_bits(x) & kF64Sign) != 0, mag > kF64Inf, is_snan(x), mag == kF64Inf, mag == 0,
                     mag >> 52 == 0) &
          mask) != 0;
}

/// 128-bit right shift that keeps whether anything was lost in bit 0.
GFX9_INLINE unsigned __int128 shift_sticky(unsigned __int128 x, unsigned n) {
  if (n == 0) return x;
  if (n > 127) return x != 0;
  return x >> n | static_cast<unsigned>((x << (128 - n)) != 0);
}
inline double fma_soft(const FpCtx& fp, double a0, double b0, double c0, i32 scale) {
  using u128 = unsigned __int128;
  const double a = flush(a0, fp.f64_in), b = flush(b0, fp.f64_in), c = flush(c0, fp.f64_in);
  const auto mantissa = [](double x) {
    const u64 e = f64_mag(x) >> 52, f = f64_bits(x) & kF64Fraction;
    return e != 0 ? f | u64{1} << 52 : f;
  };
  const auto exponent = [](double x) {  // of the mantissa's unit
    const i32 e = static_cast<i32>(f64_mag(x) >> 52);
    return (e != 0 ? e : 1) - 1075;
  };
  const auto normalise = [](u128& m, i32& e) {  // top bit to 125: room for a carry
    if (m == 0) return;
    const u64 hi = static_cast<u64>(m >> 64);
    const int lead = hi != 0 ? __builtin_clzll(hi) : 64 + __builtin_clzll(static_cast<u64>(m));
    m = lead >= 2 ? m << (lead - 2) : shift_sticky(m, static_cast<unsigned>(2 - lead));
    e -= lead - 2;
  };
  u128 p = u128{mantissa(a)} * mantissa(b), q = mantissa(c);
  i32 pe = exponent(a) + exponent(b), qe = exponent(c);
  const bool p_neg = ((f64_bits(a) ^ f64_bits(b)) & kF64Sign) != 0, q_neg = (f64_bits(c) & kF64Sign) != 0;
  normalise(p, pe);
  normalise(q, qe);
  if (p == 0) pe = qe;
  if (q == 0) qe = pe;
  const i32 e0 = pe > qe ? pe : qe;
  p = shift_sticky(p, static_cast<unsigned>(e0 - pe));
  q = shift_sticky(q, static_cast<unsigned>(e0 - qe));
  bool neg = p_neg;
  u128 sum;
  if (p_neg == q_neg) {
    sum = p + q;
  } else if (p > q) {
    sum = p - q;
  } else {
    sum = q - p;
    neg = q_neg;
  }
  const u32 round = fp.round_f64;  // 0 nearest even, 1 up, 2 down, 3 toward zero
  if (sum == 0) {
    const bool zero_neg = p_neg == q_neg ? p_neg : round == 2;
    return f64_from(zero_neg ? kF64Sign : 0);
  }
  i32 e = e0;
  normalise(sum, e);
  // value = sum * 2^(e + scale), sum in [2^125, 2^126). Cut to 53 bits, or fewer below the normal range.
  const i32 unit_normal = e + scale + 73, unit = unit_normal < -1074 ? -1074 : unit_normal;
  const i32 drop = unit - (e + scale);
  const auto cut = [&](i32 n) {  // sum >> n, rounded
    const u128 kept = n > 127 ? 0 : sum >> n;
    const u128 lost = n > 127 ? sum : sum & ((u128{1} << n) - 1);
    const u128 half = n > 127 ? ~u128{0} : u128{1} << (n - 1);
    const bool up = round == 0 ? lost > half || (lost == half && (kept & 1) != 0)
                               : lost != 0 && ((round == 1 && !neg) || (round == 2 && neg));
    return static_cast<u64>(kept) + (up ? 1 : 0);
  };
  const u64 m = cut(drop);
  // m = 2^52 + f or 2^53: adding it to the exponent field carries by itself.
  u64 bits;
  if (unit == -1074) {
    bits = m;
  } else {
    const i32 biased = unit + 1074;  // exponent field of a mantissa whose bit 52 is added on top
    bits = biased >= 2046 ? kF64Inf : (static_cast<u64>(biased) << 52) + m;
  }
  const u64 sign = neg ? kF64Sign : 0;
  if (bits >= kF64Inf) {
    const bool to_inf = round == 0 || (round == 1 && !neg) || (round == 2 && neg);
    bits = to_inf ? kF64Inf : kF64Inf - 1;
  }
  // Flushed if below the normal range after rounding to 53 bits, as the host unit does.
  if (unit_normal < -1074 && !(unit_normal == -1075 && cut(73) == u64{1} << 53)) {
    bits &= fp.f64_out & ~kF64Sign;
  }
  return f64_from(bits | sign);
}

/// x * 2^n, rounded once. Class Fp::f64.
GFX9_INLINE double v_ldexp_f64(double x, i32 n0) {
  i32 n = n0 < -2200 ? -2200 : n0 > 2200 ? 2200 : n0;
  double y = x;
  // Up in exact steps; down so that only the last step can leave the normal range: each earlier step
  // leaves at least 53 powers of two to go, after which an early loss of bits is a zero anyhow.
  for (; n > 1023; n -= 1023) y *= power_of_two(1023);
  for (; n < -1022; n += 969) y *= power_of_two(-969);
  return nan_rule(y * power_of_two(n), x);
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
