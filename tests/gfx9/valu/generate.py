#!/usr/bin/env python3
"""Writes vop1.s .. vop3p.s: for every row of the vector ALU tables one case of up to 64 lanes with values
computed here, in exact arithmetic, from the ISA manual's descriptions.

Run after adding a row; then run ../assemble.py on the results. The model shares no code with the interpreter.
"""
import math
import os
import random
from decimal import Decimal, getcontext
from fractions import Fraction as Fr

from floats import *  # noqa: F401,F403
from floats import F16, F32, F64

getcontext().prec = 60
HERE = os.path.dirname(os.path.abspath(__file__))
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def s(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def sat(x, lo, hi):
    return max(lo, min(hi, x))


# --- inputs ---
I32 = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
       0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef,
       0x55555555, 0xaaaaaaaa, 0x00ff00ff, 0x01020304]
I16 = [0, 1, 2, 15, 16, 17, 0x7f, 0x80, 0xff, 0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x1234, 0xabcd]
I64 = [0, 1, 2, 63, 64, M32, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, M64, M64 - 1, 0x123456789abcdef0,
       0xfedcba9876543210, 0x8000000080000000]


def floats(t):
    one = t.bias << t.f
    tops = [0, 1, t.inf, t.max, t.nan, t.inf | 1, t.nan | 5, one, one + 1, one - 1, 1 << t.f, (1 << t.f) - 1,
            one - (1 << t.f), one + (1 << (t.f - 1)), one + (1 << t.f), one + 3 * (1 << (t.f - 1)),
            rnd(Fr(5, 2), t), rnd(Fr(7, 2), t), rnd(Fr(1, 3), t), rnd(Fr(100), t), rnd(Fr(255), t), rnd(Fr(2047), t),
            rnd(Fr(255, 256), t), rnd(Fr(1, 1024), t)]
    tops += [x | t.sign for x in tops]
    if t.width >= 32:
        tops += [rnd(Fr(x), t) for x in (2147483647, 2147483648, 4294967295, 4294967296, -2147483648, -2147483649,
                                        16777217, 8388607)]
        tops += [rnd(Fr(8388607) / 2, t), rnd(Fr(2) ** 100, t), rnd(Fr(2) ** -100, t)]
    return tops


POOL = {'u32': I32, 'i32': I32, 'u16': I16, 'i16': I16, 'u64': I64, 'i64': I64, 'f16': floats(F16),
        'f32': floats(F32), 'f64': floats(F64), 'm': [0, 1]}
BITS = {'u32': 32, 'i32': 32, 'u16': 16, 'i16': 16, 'u64': 64, 'i64': 64, 'f16': 16, 'f32': 32, 'f64': 64, 'm': 1,
        'u128': 128}


def random_value(kind, rng):
    t = {'f16': F16, 'f32': F32, 'f64': F64}.get(kind)
    if t:  # random exponents near each other, so that sums do something
        return rng.getrandbits(1) << (t.width - 1) | (t.bias + rng.randint(-6, 6)) << t.f | rng.getrandbits(t.f)
    return rng.getrandbits(BITS[kind])


def lanes_for(kinds, rng, count=64):
    """Tuples of inputs: products of interesting values, thinned out, then random ones."""
    pools = [POOL.get(k, I32) for k in kinds]
    out = []
    if len(kinds) == 1:
        out = [(x,) for x in pools[0]]
    else:
        longest = max(len(p) for p in pools)
        for n in range(longest):
            out.append(tuple(p[n % len(p)] for p in pools))
        for n in range(longest):
            out.append(tuple(rng.choice(p) for p in pools))
    rng.shuffle(out)
    out = out[:count - 12]
    while len(out) < count:
        out.append(tuple(random_value(k, rng) if k != 'u128' else rng.getrandbits(128) for k in kinds))
    return out


# --- the model ---
def simple(f):
    return f


def shl(a, b, bits):
    return (b << (a & (bits - 1))) & ((1 << bits) - 1)


def perm(a, b, c):
    data = [(b >> 8 * n) & 255 for n in range(4)] + [(a >> 8 * n) & 255 for n in range(4)]
    out = 0
    for n in range(4):
        sel = c >> (8 * n) & 255
        if sel < 8:
            v = data[sel]
        elif sel < 12:
            v = 255 if data[[1, 3, 5, 7][sel - 8]] & 128 else 0
        else:
            v = 0 if sel == 12 else 255
        out |= v << (8 * n)
    return out


def by(x, n):
    return x >> (8 * n) & 255


def sad8(a, b, masked=False):
    return sum(abs(by(a, n) - by(b, n)) for n in range(4) if not (masked and by(b, n) == 0))


def qsad(a, b, c, masked):
    return sum(((sad8(a >> 8 * n & M32, b, masked) + (c >> 16 * n & 0xffff)) & 0xffff) << 16 * n for n in range(4))


def mqsad32(a, b, c):
    return sum(((sad8(a >> 8 * n & M32, b, True) + (c >> 32 * n & M32)) & M32) << 32 * n for n in range(4))


def lerp(a, b, c):
    return sum(((by(a, n) + by(b, n) + (by(c, n) & 1)) >> 1) << 8 * n for n in range(4))


def bfe_i(a, b, c):
    width, off = c & 31, b & 31
    if width == 0:
        return 0
    field = s(a, 32) >> off
    return s(field, width) & M32


def ffbh_i(a):
    bits = format(a, '032b')
    for n, ch in enumerate(bits):
        if ch != bits[0]:
            return n
    return M32


def rev(a):
    return int(format(a, '032b')[::-1], 2)


def med(a, b, c):
    return sorted((a, b, c))[1]


def frexp_exp(b, t):
    return 0 if is_zero(b, t) or is_inf(b, t) or is_nan(b, t) else (floor_log2(abs(val(b, t))) + 1)


def frexp_mant(b, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_zero(b, t) or is_inf(b, t):
        return b
    return rnd(val(b, t) / Fr(2) ** frexp_exp(b, t), t)


def fract(b, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_inf(b, t):
        return t.nan
    v = val(b, t)
    r = rnd(v - (v.numerator // v.denominator), t, 'even', False)
    return min(r, (t.bias << t.f) - 1)


def ldexp(b, n, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_inf(b, t) or is_zero(b, t):
        return b
    return rnd(val(b, t) * Fr(2) ** sat(n, -2500, 2500), t)


def flush_den(b, t):
    return b & t.sign if mag(b, t) < (1 << t.f) else b


def rcp(b, t):
    return div(t.bias << t.f, b, t)


def rsq(b, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_zero(b, t):
        return t.inf | (b & t.sign)
    if neg(b, t):
        return t.nan
    if is_inf(b, t):
        return 0
    v = 1 / val(b, t)
    k = 300 - floor_log2(v) // 2
    r, exact = isqrt_frac(v, k)
    root = Fr(r) / Fr(2) ** k
    return rnd(root if exact else root + Fr(1, 4) / Fr(2) ** k, t)


def dec(v):
    return Decimal(v.numerator) / Decimal(v.denominator)


LN2 = Decimal(2).ln()


def exp2(b, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_inf(b, t):
        return 0 if neg(b, t) else t.inf
    v = val(b, t)
    if v > 2000:
        return t.inf
    if v < -2000:
        return 0
    return rnd(Fr((dec(v) * LN2).exp()), t)


def log2(b, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_zero(b, t):
        return t.inf | t.sign
    if neg(b, t):
        return t.nan
    if is_inf(b, t):
        return b
    v = val(b, t)
    e = floor_log2(v)
    return rnd(Fr(dec(v / Fr(2) ** e).ln() / LN2) + e, t)


def dsin(x):
    term, total, n = x, x, 1
    while abs(term) > Decimal(10) ** -50:
        term = -term * x * x / ((n + 1) * (n + 2))
        total += term
        n += 2
    return total


def dcos(x):
    term, total, n = Decimal(1), Decimal(1), 0
    while abs(term) > Decimal(10) ** -50:
        term = -term * x * x / ((n + 1) * (n + 2))
        total += term
        n += 2
    return total


PI = Decimal('3.14159265358979323846264338327950288419716939937510582097494')


def turn(b, t, cos):
    if is_nan(b, t):
        return quiet(b, t)
    if is_inf(b, t):
        return t.nan
    v = val(b, t)
    if abs(v) > 256:
        return rnd(Fr(1 if cos else 0), t)
    f = v - v.numerator // v.denominator
    if (f * 4).denominator == 1:
        q = int(f * 4)
        n = ([1, 0, -1, 0] if cos else [0, 1, 0, -1])[q]
        return (0 if cos else b & t.sign) if n == 0 else rnd(Fr(n), t)
    x = dec(f) * 2 * PI
    return rnd(Fr(dcos(x) if cos else dsin(x)), t)


def class_bit(b, t):
    n = neg(b, t)
    if is_nan(b, t):
        return 0 if is_snan(b, t) else 1
    if is_inf(b, t):
        return 2 if n else 9
    if is_zero(b, t):
        return 5 if n else 6
    if mag(b, t) < (1 << t.f):
        return 4 if n else 7
    return 3 if n else 8


def compare(cond, a, b, t):
    unordered = is_nan(a, t) or is_nan(b, t)
    if unordered:
        return cond in ('u', 'nge', 'nlg', 'ngt', 'nle', 'neq', 'nlt', 'tru')

    def num(x):
        return float('inf') * (-1 if neg(x, t) else 1) if is_inf(x, t) else val(x, t)
    x, y = num(a), num(b)
    return {'f': False, 'lt': x < y, 'eq': x == y, 'le': x <= y, 'gt': x > y, 'lg': x != y, 'ge': x >= y, 'o': True,
            'u': False, 'nge': x < y, 'nlg': x == y, 'ngt': x <= y, 'nle': x > y, 'neq': x != y, 'nlt': x >= y,
            'tru': True}[cond]


def icompare(cond, x, y):
    return {'f': False, 'lt': x < y, 'eq': x == y, 'le': x <= y, 'gt': x > y, 'ne': x != y, 'ge': x >= y,
            't': True}[cond]


def cube(a, b, c, what):
    def key(x):
        return float('inf') if is_inf(x, F32) else abs(val(x, F32))
    if any(is_nan(x, F32) for x in (a, b, c)):
        return None  # order of comparisons decides; not specified
    x, y, z = key(a), key(b), key(c)
    axis = 'z' if z >= x and z >= y else 'y' if y >= x else 'x'
    main = {'x': a, 'y': b, 'z': c}[axis]
    less = neg(main, F32) and not is_zero(main, F32)
    if what == 'id':
        return rnd(Fr({'x': 0, 'y': 2, 'z': 4}[axis] + less), F32)
    if what == 'ma':
        return mul(rnd(Fr(2), F32), main, F32)
    if what == 'sc':
        return {'z': negate(a, F32) if less else a, 'y': a, 'x': c if less else negate(c, F32)}[axis]
    return {'z': negate(b, F32), 'y': negate(c, F32) if less else c, 'x': negate(b, F32)}[axis]


def legacy(a, b):
    return 0 if is_zero(a, F32) or is_zero(b, F32) else mul(a, b, F32)


def mad(a, b, c, t):
    n = first_nan((a, b, c), t)
    return n if n is not None else add(mul(a, b, t), c, t)


def med3f(a, b, c, t):
    if is_nan(a, t) or is_nan(b, t) or is_nan(c, t):
        return fmin(fmin(a, b, t), c, t)
    return sorted((a, b, c), key=lambda x: order_key(x, t))[1]


def norm(b, t, top, lo):
    if is_nan(b, t):
        return 0
    v = Fr(1) * (-1 if neg(b, t) else 1) if is_inf(b, t) else val(b, t)
    v = sat(v, Fr(lo), Fr(1))
    p = val(rnd(v * top, F32), F32)  # the product is a single
    n = round_int(abs(p), 'even', False)
    return -n if p < 0 else n


def pk2(lo, hi):
    return (lo & 0xffff) | (hi & 0xffff) << 16


def div_fixup(q, d, n, t, underflow):
    sign = t.sign if neg(d, t) != neg(n, t) else 0
    if is_nan(n, t):
        return quiet(n, t)
    if is_nan(d, t):
        return quiet(d, t)
    if (is_zero(d, t) and is_zero(n, t)) or (is_inf(d, t) and is_inf(n, t)):
        return t.sign | t.nan
    if is_zero(d, t) or is_inf(n, t):
        return sign | t.inf
    if is_inf(d, t) or is_zero(n, t):
        return sign
    if underflow and (mag(n, t) >> t.f) - (mag(d, t) >> t.f) < underflow:
        return sign
    if underflow and is_nan(q, t):
        return sign | t.inf  # the division steps overflowed
    return sign | mag(q, t)


def div_scale(a, d, n, t, gap, tiny, k):
    """Value and VCC bit."""
    if is_zero(n, t) or is_zero(d, t):
        return t.nan, 0

    def scaled(x, e):
        return ldexp(x, e, t)
    en, ed = mag(n, t) >> t.f, mag(d, t) >> t.f
    special = max(en, ed) == (1 << t.e) - 1  # infinite or NaN: v_div_fixup decides, nothing is scaled
    quotient = None if special else abs(val(n, t) / val(d, t))
    if en - ed >= gap:
        return (scaled(a, k) if a == d else a), 1
    if ed == 0:
        return scaled(a, k), 0
    low = Fr(2) ** t.emin
    small_q = quotient is not None and quotient < low
    small_r = quotient is not None and 1 / abs(val(d, t)) < low
    if small_r and small_q:
        return (scaled(a, -k) if a == d else a), 1
    if small_r:
        return scaled(a, -k), 0
    if small_q:
        return (scaled(a, k) if a == n else a), 1
    if en <= tiny:
        return scaled(a, k), 0
    return a, 0


def two_over_pi(bits):
    """floor(2/pi * 2^bits), by Machin's formula."""
    guard = bits + 64
    one = 1 << guard

    def atan_inv(x):
        total, term, n, sign = 0, one // x, 1, 1
        while term:
            total += sign * (term // n)
            term //= x * x
            n, sign = n + 2, -sign
        return total
    pi = 4 * (4 * atan_inv(5) - atan_inv(239))
    return (2 * one * one // pi) >> (guard - bits)


TWO_OVER_PI = two_over_pi(1201)


def trig_preop(a, b):
    e = mag(a, F64) >> 52
    shift = (b & 31) * 53 + (e - 1077 if e > 1077 else 0)
    digits = (TWO_OVER_PI << shift) >> (1201 - 53) & ((1 << 53) - 1)
    return rnd(Fr(digits) * Fr(2) ** (-53 - shift + (128 if e >= 1968 else 0)), F64)


def pack_u8(a, b, c):
    n = to_int(a, F32, 0, 255)
    at = 8 * (b & 3)
    return (c & ~(255 << at) & M32) | n << at


def half(f):
    return lambda *a: f(*a, F16)


VOP1 = {
    'v_mov_b32': ('u32', ['u32'], lambda a: a),
    'v_cvt_i32_f64': ('u32', ['f64'], lambda a: to_int(a, F64, -1 << 31, (1 << 31) - 1)),
    'v_cvt_f64_i32': ('f64', ['i32'], lambda a: rnd(Fr(s(a, 32)), F64)),
    'v_cvt_f32_i32': ('f32', ['i32'], lambda a: rnd(Fr(s(a, 32)), F32)),
    'v_cvt_f32_u32': ('f32', ['u32'], lambda a: rnd(Fr(a), F32)),
    'v_cvt_u32_f32': ('u32', ['f32'], lambda a: to_int(a, F32, 0, M32)),
    'v_cvt_i32_f32': ('u32', ['f32'], lambda a: to_int(a, F32, -1 << 31, (1 << 31) - 1)),
    'v_cvt_f16_f32': ('f16', ['f32'], lambda a: convert(a, F32, F16)),
    'v_cvt_f32_f16': ('f32', ['f16'], lambda a: convert(a, F16, F32)),
    'v_cvt_rpi_i32_f32': ('u32', ['f32'], lambda a: to_int(a, F32, -1 << 31, (1 << 31) - 1)
                          if is_nan(a, F32) or is_inf(a, F32) else
                          min(max(math.floor(val(a, F32) + Fr(1, 2)), -1 << 31), (1 << 31) - 1)),
    'v_cvt_flr_i32_f32': ('u32', ['f32'],
                          lambda a: to_int(integral(a, F32, 'floor'), F32, -1 << 31, (1 << 31) - 1)),
    'v_cvt_off_f32_i4': ('f32', ['u32'], lambda a: rnd(Fr(s(a, 4), 16), F32)),
    'v_cvt_f32_f64': ('f32', ['f64'], lambda a: convert(a, F64, F32)),
    'v_cvt_f64_f32': ('f64', ['f32'], lambda a: convert(a, F32, F64)),
    'v_cvt_f32_ubyte0': ('f32', ['u32'], lambda a: rnd(Fr(by(a, 0)), F32)),
    'v_cvt_f32_ubyte1': ('f32', ['u32'], lambda a: rnd(Fr(by(a, 1)), F32)),
    'v_cvt_f32_ubyte2': ('f32', ['u32'], lambda a: rnd(Fr(by(a, 2)), F32)),
    'v_cvt_f32_ubyte3': ('f32', ['u32'], lambda a: rnd(Fr(by(a, 3)), F32)),
    'v_cvt_u32_f64': ('u32', ['f64'], lambda a: to_int(a, F64, 0, M32)),
    'v_cvt_f64_u32': ('f64', ['u32'], lambda a: rnd(Fr(a), F64)),
    'v_rcp_f64': ('f64', ['f64'], lambda a: rcp(a, F64)),
    'v_rsq_f64': ('f64', ['f64'], None),  # 1 / sqrt rounds twice; see agreement tests
    'v_sqrt_f64': ('f64', ['f64'], lambda a: sqrt(a, F64)),
    'v_exp_f32': ('f32', ['f32'], lambda a: flush_den(exp2(flush_den(a, F32), F32), F32)),
    'v_log_f32': ('f32', ['f32'], lambda a: log2(flush_den(a, F32), F32)),
    'v_rcp_f32': ('f32', ['f32'], lambda a: flush_den(rcp(flush_den(a, F32), F32), F32)),
    'v_rsq_f32': ('f32', ['f32'], lambda a: flush_den(rsq(flush_den(a, F32), F32), F32)),
    'v_sqrt_f32': ('f32', ['f32'], lambda a: sqrt(a, F32)),
    'v_sin_f32': ('f32', ['f32'], lambda a: flush_den(turn(flush_den(a, F32), F32, False), F32)),
    'v_cos_f32': ('f32', ['f32'], lambda a: turn(flush_den(a, F32), F32, True)),
    'v_not_b32': ('u32', ['u32'], lambda a: ~a),
    'v_bfrev_b32': ('u32', ['u32'], rev),
    'v_ffbh_u32': ('u32', ['u32'], lambda a: 32 - a.bit_length() if a else -1),
    'v_ffbl_b32': ('u32', ['u32'], lambda a: (a & -a).bit_length() - 1 if a else -1),
    'v_ffbh_i32': ('u32', ['u32'], ffbh_i),
    'v_frexp_exp_i32_f64': ('u32', ['f64'], lambda a: frexp_exp(a, F64)),
    'v_frexp_exp_i32_f32': ('u32', ['f32'], lambda a: frexp_exp(a, F32)),
    'v_frexp_exp_i16_f16': ('u16', ['f16'], lambda a: frexp_exp(a, F16)),
    'v_cvt_f16_u16': ('f16', ['u16'], lambda a: rnd(Fr(a), F16)),
    'v_cvt_f16_i16': ('f16', ['i16'], lambda a: rnd(Fr(s(a, 16)), F16)),
    'v_cvt_u16_f16': ('u16', ['f16'], lambda a: to_int(a, F16, 0, 0xffff)),
    'v_cvt_i16_f16': ('u16', ['f16'], lambda a: to_int(a, F16, -0x8000, 0x7fff)),
    'v_rcp_f16': ('f16', ['f16'], lambda a: rcp(a, F16)),
    'v_sqrt_f16': ('f16', ['f16'], lambda a: sqrt(a, F16)),
    'v_rsq_f16': ('f16', ['f16'], lambda a: rsq(a, F16)),
    'v_log_f16': ('f16', ['f16'], lambda a: log2(a, F16)),
    'v_exp_f16': ('f16', ['f16'], lambda a: exp2(a, F16)),
    'v_sin_f16': ('f16', ['f16'], lambda a: turn(a, F16, False)),
    'v_cos_f16': ('f16', ['f16'], lambda a: turn(a, F16, True)),
    'v_cvt_norm_i16_f16': ('u16', ['f16'], lambda a: norm(a, F16, 32767, -1)),
    'v_cvt_norm_u16_f16': ('u16', ['f16'], lambda a: norm(a, F16, 65535, 0)),
    'v_sat_pk_u8_i16': ('u16', ['u32'],
                        lambda a: sat(s(a, 16), 0, 255) | sat(s(a >> 16, 16), 0, 255) << 8),
}
VOP1['v_rcp_iflag_f32'] = VOP1['v_rcp_f32']
VOP1['v_exp_legacy_f32'] = VOP1['v_exp_f32']
VOP1['v_log_legacy_f32'] = VOP1['v_log_f32']
for name, t in (('f16', F16), ('f32', F32), ('f64', F64)):
    for kind in ('trunc', 'ceil', 'rndne', 'floor'):
        VOP1[f'v_{kind}_{name}'] = (name, [name], lambda a, t=t, kind=kind: integral(a, t, kind))
    VOP1[f'v_fract_{name}'] = (name, [name], lambda a, t=t: fract(a, t))
    VOP1[f'v_frexp_mant_{name}'] = (name, [name], lambda a, t=t: frexp_mant(a, t))


def i24(a):
    return s(a, 24)


VOP2 = {
    'v_cndmask_b32': ('u32', ['u32', 'u32', 'm'], lambda a, b, m: b if m else a),
    'v_mul_legacy_f32': ('f32', ['f32', 'f32'], legacy),
    'v_mul_i32_i24': ('u32', ['u32', 'u32'], lambda a, b: i24(a) * i24(b)),
    'v_mul_hi_i32_i24': ('u32', ['u32', 'u32'], lambda a, b: i24(a) * i24(b) >> 32),
    'v_mul_u32_u24': ('u32', ['u32', 'u32'], lambda a, b: (a % (1 << 24)) * (b % (1 << 24))),
    'v_mul_hi_u32_u24': ('u32', ['u32', 'u32'], lambda a, b: (a % (1 << 24)) * (b % (1 << 24)) >> 32),
    'v_min_i32': ('u32', ['i32', 'i32'], lambda a, b: min(s(a, 32), s(b, 32))),
    'v_max_i32': ('u32', ['i32', 'i32'], lambda a, b: max(s(a, 32), s(b, 32))),
    'v_min_u32': ('u32', ['u32', 'u32'], min),
    'v_max_u32': ('u32', ['u32', 'u32'], max),
    'v_lshrrev_b32': ('u32', ['u32', 'u32'], lambda a, b: b // 2 ** (a % 32)),
    'v_ashrrev_i32': ('u32', ['u32', 'i32'], lambda a, b: s(b, 32) // 2 ** (a % 32)),
    'v_lshlrev_b32': ('u32', ['u32', 'u32'], lambda a, b: b * 2 ** (a % 32)),
    'v_and_b32': ('u32', ['u32', 'u32'], lambda a, b: a & b),
    'v_or_b32': ('u32', ['u32', 'u32'], lambda a, b: a | b),
    'v_xor_b32': ('u32', ['u32', 'u32'], lambda a, b: (a | b) - (a & b)),
    'v_xnor_b32': ('u32', ['u32', 'u32'], lambda a, b: M32 - ((a | b) - (a & b))),
    'v_mac_f32': ('f32', ['f32', 'f32', 'dst'], lambda a, b, c: mad(a, b, c, F32)),
    'v_madmk_f32': ('f32', ['f32', 'lit', 'f32'], lambda a, k, c: mad(a, k, c, F32)),
    'v_madak_f32': ('f32', ['f32', 'f32', 'lit'], lambda a, b, k: mad(a, b, k, F32)),
    'v_fmac_f32': ('f32', ['f32', 'f32', 'dst'], lambda a, b, c: fma(a, b, c, F32)),
    'v_add_co_u32': ('u32c', ['u32', 'u32'], lambda a, b: ((a + b) & M32, (a + b) >> 32)),
    'v_sub_co_u32': ('u32c', ['u32', 'u32'], lambda a, b: ((a - b) & M32, a < b)),
    'v_subrev_co_u32': ('u32c', ['u32', 'u32'], lambda a, b: ((b - a) & M32, b < a)),
    'v_addc_co_u32': ('u32c', ['u32', 'u32', 'm'], lambda a, b, c: ((a + b + c) & M32, (a + b + c) >> 32)),
    'v_subb_co_u32': ('u32c', ['u32', 'u32', 'm'], lambda a, b, c: ((a - b - c) & M32, a - b - c < 0)),
    'v_subbrev_co_u32': ('u32c', ['u32', 'u32', 'm'], lambda a, b, c: ((b - a - c) & M32, b - a - c < 0)),
    'v_mac_f16': ('f16', ['f16', 'f16', 'dst'], lambda a, b, c: mad(a, b, c, F16)),
    'v_madmk_f16': ('f16', ['f16', 'lit', 'f16'], lambda a, k, c: mad(a, k, c, F16)),
    'v_madak_f16': ('f16', ['f16', 'f16', 'lit'], lambda a, b, k: mad(a, b, k, F16)),
    'v_add_u16': ('u16', ['u16', 'u16'], lambda a, b: a + b),
    'v_sub_u16': ('u16', ['u16', 'u16'], lambda a, b: a - b),
    'v_subrev_u16': ('u16', ['u16', 'u16'], lambda a, b: b - a),
    'v_mul_lo_u16': ('u16', ['u16', 'u16'], lambda a, b: a * b),
    'v_lshlrev_b16': ('u16', ['u16', 'u16'], lambda a, b: b * 2 ** (a % 16)),
    'v_lshrrev_b16': ('u16', ['u16', 'u16'], lambda a, b: b // 2 ** (a % 16)),
    'v_ashrrev_i16': ('u16', ['u16', 'i16'], lambda a, b: s(b, 16) // 2 ** (a % 16)),
    'v_max_u16': ('u16', ['u16', 'u16'], max),
    'v_min_u16': ('u16', ['u16', 'u16'], min),
    'v_max_i16': ('u16', ['i16', 'i16'], lambda a, b: max(s(a, 16), s(b, 16))),
    'v_min_i16': ('u16', ['i16', 'i16'], lambda a, b: min(s(a, 16), s(b, 16))),
    'v_ldexp_f16': ('f16', ['f16', 'i16'], lambda a, b: ldexp(a, s(b, 16), F16)),
    'v_add_u32': ('u32', ['u32', 'u32'], lambda a, b: a + b),
    'v_sub_u32': ('u32', ['u32', 'u32'], lambda a, b: a - b),
    'v_subrev_u32': ('u32', ['u32', 'u32'], lambda a, b: b - a),
}
for name, t in (('f16', F16), ('f32', F32)):
    VOP2[f'v_add_{name}'] = (name, [name, name], lambda a, b, t=t: add(a, b, t))
    VOP2[f'v_sub_{name}'] = (name, [name, name], lambda a, b, t=t: sub(a, b, t))
    VOP2[f'v_subrev_{name}'] = (name, [name, name], lambda a, b, t=t: subrev(a, b, t))
    VOP2[f'v_mul_{name}'] = (name, [name, name], lambda a, b, t=t: mul(a, b, t))
    VOP2[f'v_min_{name}'] = (name, [name, name], lambda a, b, t=t: fmin(a, b, t))
    VOP2[f'v_max_{name}'] = (name, [name, name], lambda a, b, t=t: fmax(a, b, t))


def sub(a, b, t):
    n = first_nan((a, b), t)
    return n if n is not None else add(a, negate(b, t), t)


def subrev(a, b, t):
    n = first_nan((a, b), t)
    return n if n is not None else add(b, negate(a, t), t)


VOP3 = {
    'v_mad_legacy_f32': ('f32', ['f32'] * 3, lambda a, b, c: add(legacy(a, b), c, F32)),
    'v_mad_f32': ('f32', ['f32'] * 3, lambda a, b, c: mad(a, b, c, F32)),
    'v_mad_i32_i24': ('u32', ['u32'] * 3, lambda a, b, c: i24(a) * i24(b) + c),
    'v_mad_u32_u24': ('u32', ['u32'] * 3, lambda a, b, c: (a % (1 << 24)) * (b % (1 << 24)) + c),
    'v_cubeid_f32': ('f32', ['f32'] * 3, lambda a, b, c: cube(a, b, c, 'id')),
    'v_cubesc_f32': ('f32', ['f32'] * 3, lambda a, b, c: cube(a, b, c, 'sc')),
    'v_cubetc_f32': ('f32', ['f32'] * 3, lambda a, b, c: cube(a, b, c, 'tc')),
    'v_cubema_f32': ('f32', ['f32'] * 3, lambda a, b, c: cube(a, b, c, 'ma')),
    'v_bfe_u32': ('u32', ['u32'] * 3, lambda a, b, c: (a >> (b % 32)) % 2 ** (c % 32)),
    'v_bfe_i32': ('u32', ['u32'] * 3, bfe_i),
    'v_bfi_b32': ('u32', ['u32'] * 3, lambda a, b, c: (a & b) + ((M32 - a) & c)),
    'v_fma_f32': ('f32', ['f32'] * 3, lambda a, b, c: fma(a, b, c, F32)),
    'v_fma_f64': ('f64', ['f64'] * 3, lambda a, b, c: fma(a, b, c, F64)),
    'v_lerp_u8': ('u32', ['u32'] * 3, lerp),
    'v_alignbit_b32': ('u32', ['u32'] * 3, lambda a, b, c: (a << 32 | b) >> (c % 32)),
    'v_alignbyte_b32': ('u32', ['u32'] * 3, lambda a, b, c: (a << 32 | b) >> (c % 4 * 8)),
    'v_min3_f32': ('f32', ['f32'] * 3, lambda a, b, c: fmin(fmin(a, b, F32), c, F32)),
    'v_max3_f32': ('f32', ['f32'] * 3, lambda a, b, c: fmax(fmax(a, b, F32), c, F32)),
    'v_med3_f32': ('f32', ['f32'] * 3, lambda a, b, c: med3f(a, b, c, F32)),
    'v_min3_f16': ('f16', ['f16'] * 3, lambda a, b, c: fmin(fmin(a, b, F16), c, F16)),
    'v_max3_f16': ('f16', ['f16'] * 3, lambda a, b, c: fmax(fmax(a, b, F16), c, F16)),
    'v_med3_f16': ('f16', ['f16'] * 3, lambda a, b, c: med3f(a, b, c, F16)),
    'v_sad_u8': ('u32', ['u32'] * 3, lambda a, b, c: sad8(a, b) + c),
    'v_sad_hi_u8': ('u32', ['u32'] * 3, lambda a, b, c: (sad8(a, b) << 16) + c),
    'v_sad_u16': ('u32', ['u32'] * 3,
                  lambda a, b, c: abs(a % 65536 - b % 65536) + abs((a >> 16) - (b >> 16)) + c),
    'v_sad_u32': ('u32', ['u32'] * 3, lambda a, b, c: abs(a - b) + c),
    'v_cvt_pk_u8_f32': ('u32', ['f32', 'u32', 'u32'], pack_u8),
    'v_cvt_pkaccum_u8_f32': ('u32', ['f32', 'u32', 'dst'], pack_u8),
    'v_div_fixup_f32': ('f32', ['f32'] * 3, lambda q, d, n: div_fixup(q, d, n, F32, -150)),
    'v_div_fixup_f64': ('f64', ['f64'] * 3, lambda q, d, n: div_fixup(q, d, n, F64, -1075)),
    'v_div_fixup_f16': ('f16', ['f16'] * 3, lambda q, d, n: div_fixup(q, d, n, F16, 0)),
    'v_div_fixup_legacy_f16': ('f16', ['f16'] * 3, lambda q, d, n: div_fixup(q, d, n, F16, 0)),
    'v_div_scale_f32': ('f32c', ['f32'] * 3, lambda a, d, n: div_scale(a, d, n, F32, 96, 23, 64)),
    'v_div_scale_f64': ('f64c', ['f64'] * 3, lambda a, d, n: div_scale(a, d, n, F64, 768, 53, 128)),
    'v_div_fmas_f32': ('f32', ['f32'] * 3 + ['vcc'], lambda a, b, c, v: fma(
        a, b, c, F32, scale=0 if not v else 64 if mag(c, F32) >> 23 > 127 else -64)),
    'v_div_fmas_f64': ('f64', ['f64'] * 3 + ['vcc'], lambda a, b, c, v: fma(
        a, b, c, F64, scale=0 if not v else 128 if mag(c, F64) >> 52 > 1023 else -128)),
    'v_msad_u8': ('u32', ['u32'] * 3, lambda a, b, c: sad8(a, b, True) + c),
    'v_qsad_pk_u16_u8': ('u64', ['u64', 'u32', 'u64'], lambda a, b, c: qsad(a, b, c, False)),
    'v_mqsad_pk_u16_u8': ('u64', ['u64', 'u32', 'u64'], lambda a, b, c: qsad(a, b, c, True)),
    'v_mqsad_u32_u8': ('u128', ['u64', 'u32', 'u128'], mqsad32),
    'v_mad_u64_u32': ('u64c', ['u32', 'u32', 'u64'],
                      lambda a, b, c: ((a * b + c) & M64, (a * b + c) >> 64)),
    'v_mad_i64_i32': ('u64c', ['i32', 'i32', 'i64'],
                      lambda a, b, c: ((s(a, 32) * s(b, 32) + s(c, 64)) & M64,
                                       s(a, 32) * s(b, 32) + s(c, 64) < 0)),
    'v_perm_b32': ('u32', ['u32'] * 3, perm),
    'v_mad_u32_u16': ('u32', ['u16', 'u16', 'u32'], lambda a, b, c: a * b + c),
    'v_mad_i32_i16': ('u32', ['i16', 'i16', 'u32'], lambda a, b, c: s(a, 16) * s(b, 16) + c),
    'v_xad_u32': ('u32', ['u32'] * 3, lambda a, b, c: ((a | b) - (a & b)) + c),
    'v_lshl_add_u32': ('u32', ['u32'] * 3, lambda a, b, c: a * 2 ** (b % 32) + c),
    'v_add_lshl_u32': ('u32', ['u32'] * 3, lambda a, b, c: ((a + b) & M32) * 2 ** (c % 32)),
    'v_add3_u32': ('u32', ['u32'] * 3, lambda a, b, c: a + b + c),
    'v_lshl_or_b32': ('u32', ['u32'] * 3, lambda a, b, c: a * 2 ** (b % 32) & M32 | c),
    'v_and_or_b32': ('u32', ['u32'] * 3, lambda a, b, c: a & b | c),
    'v_or3_b32': ('u32', ['u32'] * 3, lambda a, b, c: a | b | c),
    'v_add_f64': ('f64', ['f64'] * 2, lambda a, b: add(a, b, F64)),
    'v_mul_f64': ('f64', ['f64'] * 2, lambda a, b: mul(a, b, F64)),
    'v_min_f64': ('f64', ['f64'] * 2, lambda a, b: fmin(a, b, F64)),
    'v_max_f64': ('f64', ['f64'] * 2, lambda a, b: fmax(a, b, F64)),
    'v_ldexp_f64': ('f64', ['f64', 'i32'], lambda a, b: ldexp(a, s(b, 32), F64)),
    'v_ldexp_f32': ('f32', ['f32', 'i32'], lambda a, b: ldexp(a, s(b, 32), F32)),
    'v_mul_lo_u32': ('u32', ['u32'] * 2, lambda a, b: a * b),
    'v_mul_hi_u32': ('u32', ['u32'] * 2, lambda a, b: a * b >> 32),
    'v_mul_hi_i32': ('u32', ['i32'] * 2, lambda a, b: s(a, 32) * s(b, 32) >> 32),
    'v_bcnt_u32_b32': ('u32', ['u32'] * 2, lambda a, b: bin(a).count('1') + b),
    'v_lshlrev_b64': ('u64', ['u32', 'u64'], lambda a, b: b * 2 ** (a % 64)),
    'v_lshrrev_b64': ('u64', ['u32', 'u64'], lambda a, b: b // 2 ** (a % 64)),
    'v_ashrrev_i64': ('u64', ['u32', 'i64'], lambda a, b: s(b, 64) // 2 ** (a % 64)),
    'v_trig_preop_f64': ('f64', ['f64', 'u32'], trig_preop),
    'v_bfm_b32': ('u32', ['u32'] * 2, lambda a, b: (2 ** (a % 32) - 1) * 2 ** (b % 32)),
    'v_cvt_pknorm_i16_f32': ('u32', ['f32'] * 2, lambda a, b: pk2(norm(a, F32, 32767, -1), norm(b, F32, 32767, -1))),
    'v_cvt_pknorm_u16_f32': ('u32', ['f32'] * 2, lambda a, b: pk2(norm(a, F32, 65535, 0), norm(b, F32, 65535, 0))),
    'v_cvt_pknorm_i16_f16': ('u32', ['f16'] * 2, lambda a, b: pk2(norm(a, F16, 32767, -1), norm(b, F16, 32767, -1))),
    'v_cvt_pknorm_u16_f16': ('u32', ['f16'] * 2, lambda a, b: pk2(norm(a, F16, 65535, 0), norm(b, F16, 65535, 0))),
    'v_cvt_pkrtz_f16_f32': ('u32', ['f32'] * 2,
                            lambda a, b: pk2(convert(a, F32, F16, 'zero'), convert(b, F32, F16, 'zero'))),
    'v_cvt_pk_u16_u32': ('u32', ['u32'] * 2, lambda a, b: pk2(min(a, 65535), min(b, 65535))),
    'v_cvt_pk_i16_i32': ('u32', ['i32'] * 2,
                         lambda a, b: pk2(sat(s(a, 32), -32768, 32767), sat(s(b, 32), -32768, 32767))),
    'v_add_i32': ('u32', ['i32'] * 2, lambda a, b: a + b),
    'v_sub_i32': ('u32', ['i32'] * 2, lambda a, b: a - b),
    'v_add_i16': ('u16', ['i16'] * 2, lambda a, b: a + b),
    'v_sub_i16': ('u16', ['i16'] * 2, lambda a, b: a - b),
    'v_pack_b32_f16': ('u32', ['f16'] * 2, pk2),
}
for kind in ('u32', 'i32', 'u16', 'i16'):
    bits = BITS[kind]
    signed = kind[0] == 'i'

    def conv(x, bits=bits, signed=signed):
        return s(x, bits) if signed else x
    dst = 'u%d' % bits
    VOP3[f'v_min3_{kind}'] = (dst, [kind] * 3, lambda a, b, c, f=conv: min(f(a), f(b), f(c)))
    VOP3[f'v_max3_{kind}'] = (dst, [kind] * 3, lambda a, b, c, f=conv: max(f(a), f(b), f(c)))
    VOP3[f'v_med3_{kind}'] = (dst, [kind] * 3, lambda a, b, c, f=conv: med(f(a), f(b), f(c)))
for suffix in ('', '_legacy'):
    VOP3[f'v_mad{suffix}_f16'] = ('f16', ['f16'] * 3, lambda a, b, c: mad(a, b, c, F16))
    VOP3[f'v_fma{suffix}_f16'] = ('f16', ['f16'] * 3, lambda a, b, c: fma(a, b, c, F16))
    VOP3[f'v_mad{suffix}_u16'] = ('u16', ['u16'] * 3, lambda a, b, c: a * b + c)
    VOP3[f'v_mad{suffix}_i16'] = ('u16', ['i16'] * 3, lambda a, b, c: a * b + c)


def pairwise(f, bits=16, signed=False):
    def run(*args):
        lo = [s(a, 16) if signed else a & 0xffff for a in args]
        hi = [s(a >> 16, 16) if signed else a >> 16 for a in args]
        return pk2(f(*lo), f(*hi))
    return run


def dot(a, b, c, width, signed):
    total = s(c, 32) if signed else c
    for n in range(0, 32, width):
        x, y = a >> n & (2 ** width - 1), b >> n & (2 ** width - 1)
        total += s(x, width) * s(y, width) if signed else x * y
    return total


def dot2f(a, b, c):
    x, y = (a & 0xffff, a >> 16), (b & 0xffff, b >> 16)
    if any(is_nan(v, F16) or is_inf(v, F16) for v in x + y) or is_nan(c, F32) or is_inf(c, F32):
        return None
    total = sum(val(p, F16) * val(q, F16) for p, q in zip(x, y)) + val(c, F32)
    # The implementation's double sum is exact for inputs this close to each other.
    return rnd(total, F32) if total != 0 else 0


VOP3P = {
    'v_pk_mad_i16': ('u32', 3, pairwise(lambda a, b, c: a * b + c)),
    'v_pk_mul_lo_u16': ('u32', 2, pairwise(lambda a, b: a * b)),
    'v_pk_add_i16': ('u32', 2, pairwise(lambda a, b: a + b)),
    'v_pk_sub_i16': ('u32', 2, pairwise(lambda a, b: a - b)),
    'v_pk_lshlrev_b16': ('u32', 2, pairwise(lambda a, b: b * 2 ** (a % 16))),
    'v_pk_lshrrev_b16': ('u32', 2, pairwise(lambda a, b: b // 2 ** (a % 16))),
    'v_pk_ashrrev_i16': ('u32', 2, pairwise(lambda a, b: b // 2 ** (a % 16), signed=True)),
    'v_pk_max_i16': ('u32', 2, pairwise(max, signed=True)),
    'v_pk_min_i16': ('u32', 2, pairwise(min, signed=True)),
    'v_pk_mad_u16': ('u32', 3, pairwise(lambda a, b, c: a * b + c)),
    'v_pk_add_u16': ('u32', 2, pairwise(lambda a, b: a + b)),
    'v_pk_sub_u16': ('u32', 2, pairwise(lambda a, b: a - b)),
    'v_pk_max_u16': ('u32', 2, pairwise(max)),
    'v_pk_min_u16': ('u32', 2, pairwise(min)),
    'v_pk_fma_f16': ('u32', 3, pairwise(lambda a, b, c: fma(a, b, c, F16))),
    'v_pk_add_f16': ('u32', 2, pairwise(lambda a, b: add(a, b, F16))),
    'v_pk_mul_f16': ('u32', 2, pairwise(lambda a, b: mul(a, b, F16))),
    'v_pk_min_f16': ('u32', 2, pairwise(lambda a, b: fmin(a, b, F16))),
    'v_pk_max_f16': ('u32', 2, pairwise(lambda a, b: fmax(a, b, F16))),
    'v_fma_mix_f32': ('u32', 3, lambda a, b, c: fma(a, b, c, F32)),
    'v_fma_mixlo_f16': ('u16', 3, lambda a, b, c: convert(fma(a, b, c, F32), F32, F16)),
    'v_fma_mixhi_f16': ('u32', 3, lambda a, b, c: convert(fma(a, b, c, F32), F32, F16) << 16),
    'v_dot2_f32_f16': ('u32', 3, dot2f),
    'v_dot2_i32_i16': ('u32', 3, lambda a, b, c: dot(a, b, c, 16, True)),
    'v_dot2_u32_u16': ('u32', 3, lambda a, b, c: dot(a, b, c, 16, False)),
    'v_dot4_i32_i8': ('u32', 3, lambda a, b, c: dot(a, b, c, 8, True)),
    'v_dot4_u32_u8': ('u32', 3, lambda a, b, c: dot(a, b, c, 8, False)),
    'v_dot8_i32_i4': ('u32', 3, lambda a, b, c: dot(a, b, c, 4, True)),
    'v_dot8_u32_u4': ('u32', 3, lambda a, b, c: dot(a, b, c, 4, False)),
}

# --- writing cases ---
SRC = (2, 4, 8)


def reg(n, bits):
    return f'v{n}' if bits <= 32 else f'v[{n}:{n + bits // 32 - 1}]'


def hexes(values, bits):
    values = [v & ((1 << bits) - 1) for v in values]
    while len(values) > 1 and values[-1] == values[-2]:
        values.pop()
    return ' '.join(hex(v) for v in values)


def set_register(out, mark, n, bits, values):
    """One line per 64 bits (128-bit operands are two pairs)."""
    if bits <= 64:
        out.append(f'{mark} {reg(n, max(bits, 32))} = {hexes(values, max(bits, 32))}')
        return
    for k in range(bits // 64):
        out.append(f'{mark} {reg(n + 2 * k, 64)} = {hexes([v >> 64 * k & M64 for v in values], 64)}')


def mask_of(values):
    return sum(1 << n for n, v in enumerate(values) if v)


def case(out, mnemonic, dst, kinds, fn, rng, suffix='', asm=None, old=0, extra=None):
    carry = dst.endswith('c')
    dst = dst.rstrip('c')
    literal = None
    pools = []
    for k in kinds:
        pools.append(dst if k in ('dst', 'lit') else 'm' if k in ('m', 'vcc') else k)
    rows = lanes_for(pools, rng)
    if 'lit' in kinds:
        at = kinds.index('lit')
        literal = rnd(Fr(5, 3), F16 if dst == 'f16' else F32)
        rows = [r[:at] + (literal,) + r[at + 1:] for r in rows]
    kept, results = [], []
    for r in rows:
        v = fn(*r)
        if v is not None:
            kept.append(r)
            results.append(v)
    while len(kept) < 64:
        kept.append(kept[-1])
        results.append(results[-1])
    out.append(f'//# case {mnemonic}{suffix}')
    dreg = 12 if BITS[dst] == 128 else 0  # v_mqsad_u32_u8 must not overlap its sources
    ops = [reg(dreg, BITS[dst])]
    if carry:
        ops.append('vcc')
    slot = 0
    for n, k in enumerate(kinds):
        column = [r[n] for r in kept]
        if k == 'lit':
            ops.append(hex(literal))
        elif k == 'dst':
            set_register(out, '//!', 0, BITS[dst], column)
        elif k in ('m', 'vcc'):
            out.append(f'//! vcc = {hex(mask_of(column))}')
            if k == 'm':
                ops.append('vcc')
        else:
            # bits above a 16-bit operand must not matter
            wide = [v | (0xabcd0000 if BITS[k] == 16 else 0) for v in column]
            set_register(out, '//!', SRC[slot], BITS[k], wide)
            ops.append(reg(SRC[slot], BITS[k]))
            slot += 1
    for line in extra or []:
        out.append(line)
    out.append('    ' + (asm or f'{mnemonic}{suffix}') + ' ' + ', '.join(ops))
    values = [v[0] for v in results] if carry else results
    set_register(out, '//=', dreg, BITS[dst], [(v & ((1 << BITS[dst]) - 1)) | old for v in values])
    if carry:
        out.append(f'//= vcc = {hex(mask_of(v[1] for v in results))}')
    out.append('')


def write(name, out):
    with open(os.path.join(HERE, name), 'w') as f:
        f.write('// Generated by generate.py; expected values are computed there. Do not edit.\n')
        f.write('\n'.join(out))


def main():
    rng = random.Random(906)
    out = []
    for m, (dst, kinds, fn) in VOP1.items():
        if fn:
            case(out, m, dst, kinds, fn, rng, '_e32')
    write('vop1.s', out)

    out = []
    for m, (dst, kinds, fn) in VOP2.items():
        case(out, m, dst, kinds, fn, rng, '' if 'lit' in kinds else '_e32')
        if 'lit' not in kinds and m not in ('v_mac_f32', 'v_mac_f16', 'v_fmac_f32'):
            case(out, m, dst, kinds, fn, rng, '_e64')
    write('vop2.s', out)

    out = []
    for m, (dst, kinds, fn) in VOP3.items():
        # op_sel ops keep the other half of the destination, which starts as zero
        case(out, m, dst, kinds, fn, rng)
    write('vop3.s', out)

    out = []
    conds = ('f', 'lt', 'eq', 'le', 'gt', 'lg', 'ge', 'o', 'u', 'nge', 'nlg', 'ngt', 'nle', 'neq', 'nlt', 'tru')
    iconds = ('f', 'lt', 'eq', 'le', 'gt', 'ne', 'ge', 't')
    rows = []
    for kind, t in (('f16', F16), ('f32', F32), ('f64', F64)):
        rows += [(f'{c}_{kind}', [kind, kind], lambda a, b, c=c, t=t: compare(c, a, b, t)) for c in conds]
        rows.append((f'class_{kind}', [kind, 'u32'], lambda a, b, t=t: b >> class_bit(a, t) & 1))
    for kind in ('i16', 'u16', 'i32', 'u32', 'i64', 'u64'):
        for c in iconds:
            def fn(a, b, c=c, kind=kind):
                x, y = (s(a, BITS[kind]), s(b, BITS[kind])) if kind[0] == 'i' else (a, b)
                return icompare(c, x, y)
            rows.append((f'{c}_{kind}', [kind, kind], fn))
    for name, kinds, fn in rows:
        for x in ('', 'x'):
            lanes = lanes_for(kinds, rng)
            if name.startswith('class'):
                lanes = [(a, 1 << rng.randrange(10) | 1 << rng.randrange(10)) for a, _ in lanes]
            elif rng.random() < 0.9:
                lanes = [(a, a) if n % 5 == 0 else (a, b) for n, (a, b) in enumerate(lanes)]
            active = 0xfffffffffffffffe if rng.random() < 0.5 else 0x0123456789abcdef
            out.append(f'//# case v_cmp{x}_{name}')
            for n, k in enumerate(kinds):
                set_register(out, '//!', SRC[n], BITS[k],
                             [r[n] | (0x12340000 if BITS[k] == 16 else 0) for r in lanes])
            out.append(f'//! exec = {hex(active)}')
            out.append('//! vcc = 0xffffffffffffffff')
            ops = ', '.join(reg(SRC[n], BITS[k]) for n, k in enumerate(kinds))
            out.append(f'    v_cmp{x}_{name}_e32 vcc, {ops}')
            result = mask_of(fn(*r) for r in lanes) & active
            out.append(f'//= vcc = {hex(result)}')
            if x:
                out.append(f'//= exec = {hex(result)}')
            out.append('')
    write('vopc.s', out)

    out = []
    for m, (dst, count, fn) in VOP3P.items():
        halves = 'f16' in m and 'mix' not in m
        lanes = []
        for r in lanes_for(['u32'] * count, rng):
            if 'mix' in m:
                r = tuple(rng.choice(POOL['f32']) if rng.random() < .5 else random_value('f32', rng) for _ in r)
            elif halves:
                half_of = (lambda: rng.choice(POOL['f16'])) if rng.random() < .5 else (lambda: random_value('f16', rng))
                r = tuple(pk2(half_of(), half_of()) for _ in r)
                if m == 'v_dot2_f32_f16':
                    r = r[:2] + (random_value('f32', rng),)
            v = fn(*r)
            if v is not None:
                lanes.append((r, v))
        while len(lanes) < 64:
            lanes.append(lanes[-1])
        out.append(f'//# case {m}')
        for n in range(count):
            set_register(out, '//!', SRC[n], 32, [r[n] for r, _ in lanes])
        ops = ', '.join(f'v{SRC[n]}' for n in range(count))
        out.append(f'    {m} v0, {ops}')
        set_register(out, '//=', 0, 32, [v & ((1 << BITS[dst]) - 1) for _, v in lanes])
        out.append('')
    write('vop3p.s', out)


if __name__ == '__main__':
    main()
