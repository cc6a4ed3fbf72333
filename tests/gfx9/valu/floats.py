"""Exact binary floating point for the case generator: values are fractions, rounding is explicit.

Written against IEEE 754 alone; shares nothing with the interpreter it is used to check.
"""
from fractions import Fraction as Fr


class Fmt:
    def __init__(self, exp_bits, frac_bits):
        self.e, self.f = exp_bits, frac_bits
        self.width = 1 + exp_bits + frac_bits
        self.bias = (1 << (exp_bits - 1)) - 1
        self.sign = 1 << (self.width - 1)
        self.inf = ((1 << exp_bits) - 1) << frac_bits
        self.quiet_bit = 1 << (frac_bits - 1)
        self.nan = self.inf | self.quiet_bit
        self.max = self.inf - 1
        self.emin = 1 - self.bias


F16, F32, F64 = Fmt(5, 10), Fmt(8, 23), Fmt(11, 52)


def mag(b, t):
    return b & (t.sign - 1)


def is_nan(b, t):
    return mag(b, t) > t.inf


def is_snan(b, t):
    return is_nan(b, t) and not b & t.quiet_bit


def is_inf(b, t):
    return mag(b, t) == t.inf


def is_zero(b, t):
    return mag(b, t) == 0


def neg(b, t):
    return bool(b & t.sign)


def quiet(b, t):
    return b | t.quiet_bit


def val(b, t):
    """The number a finite pattern stands for."""
    m = mag(b, t)
    e, f = m >> t.f, m & ((1 << t.f) - 1)
    v = Fr(f, 1) * Fr(2) ** (t.emin - t.f) if e == 0 else Fr(f + (1 << t.f), 1) * Fr(2) ** (e - t.bias - t.f)
    return -v if b & t.sign else v


def floor_log2(v):
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e if Fr(2) ** e <= v else e - 1


def round_int(x, mode, negative):
    """A nonnegative fraction to an integer; mode even|up|down|zero as seen with the sign."""
    n, r = x.numerator // x.denominator, x - x.numerator // x.denominator
    if r == 0:
        return n
    if mode == 'even':
        return n + (1 if r > Fr(1, 2) or (r == Fr(1, 2) and n & 1) else 0)
    away = (mode == 'up' and not negative) or (mode == 'down' and negative)
    return n + (1 if away else 0)


def rnd(v, t, mode='even', zero_neg=False):
    """Bits of the fraction v rounded to format t."""
    if v == 0:
        return t.sign if zero_neg else 0
    negative, a = v < 0, abs(v)
    e = max(floor_log2(a), t.emin)
    m = round_int(a / Fr(2) ** (e - t.f), mode, negative)
    bits = m if e == t.emin and m < (1 << t.f) else m + ((e - t.emin) << t.f)
    if bits >= t.inf:
        to_inf = mode == 'even' or (mode == 'up' and not negative) or (mode == 'down' and negative)
        bits = t.inf if to_inf else t.max
    return bits | (t.sign if negative else 0)


def first_nan(args, t):
    for b in args:
        if is_nan(b, t):
            return quiet(b, t)
    return None


def add(a, b, t, mode='even'):
    n = first_nan((a, b), t)
    if n is not None:
        return n
    if is_inf(a, t) or is_inf(b, t):
        if is_inf(a, t) and is_inf(b, t) and a != b:
            return t.nan
        return a if is_inf(a, t) else b
    s = val(a, t) + val(b, t)
    if s == 0:
        both = neg(a, t) and neg(b, t)
        mixed = neg(a, t) != neg(b, t) or not is_zero(a, t)
        return rnd(s, t, mode, both and is_zero(a, t) or (mixed and mode == 'down'))
    return rnd(s, t, mode)


def negate(b, t):
    return b ^ t.sign


def mul(a, b, t, mode='even'):
    n = first_nan((a, b), t)
    if n is not None:
        return n
    s = (a ^ b) & t.sign
    if is_inf(a, t) or is_inf(b, t):
        return t.nan if is_zero(a, t) or is_zero(b, t) else t.inf | s
    return rnd(val(a, t) * val(b, t), t, mode, bool(s))


def fma(a, b, c, t, mode='even', scale=0):
    n = first_nan((a, b, c), t)
    if n is not None:
        return n
    s = (a ^ b) & t.sign
    if is_inf(a, t) or is_inf(b, t):
        if is_zero(a, t) or is_zero(b, t):
            return t.nan
        if is_inf(c, t) and (c & t.sign) != s:
            return t.nan
        return t.inf | s
    if is_inf(c, t):
        return c
    p, r = val(a, t) * val(b, t), val(c, t)
    if p + r == 0:
        same = bool(s) == neg(c, t)
        return t.sign if (same and s) or (not same and mode == 'down') else 0
    return rnd((p + r) * Fr(2) ** scale, t, mode)


def div(a, b, t, mode='even'):
    n = first_nan((a, b), t)
    if n is not None:
        return n
    s = (a ^ b) & t.sign
    if is_inf(a, t):
        return t.nan if is_inf(b, t) else t.inf | s
    if is_inf(b, t):
        return s
    if is_zero(b, t):
        return t.nan if is_zero(a, t) else t.inf | s
    return rnd(val(a, t) / val(b, t), t, mode, bool(s))


def isqrt_frac(v, bits):
    """floor(sqrt(v) * 2^bits) and whether that is exact."""
    n = v * Fr(4) ** bits
    q = n.numerator // n.denominator
    r = int_sqrt(q)
    return r, r * r == q and q == n


def int_sqrt(n):
    import math
    return math.isqrt(n)


def sqrt(b, t):
    if is_nan(b, t):
        return quiet(b, t)
    if is_zero(b, t):
        return b
    if neg(b, t):
        return t.nan
    if is_inf(b, t):
        return b
    v = val(b, t)
    e = floor_log2(v)
    k = 200 - e // 2
    r, exact = isqrt_frac(v, k)
    root = Fr(r) / Fr(2) ** k
    return rnd(root if exact else root + Fr(1, 4) / Fr(2) ** k, t)


def convert(b, src, dst, mode='even'):
    if is_nan(b, src):
        m = mag(b, src) & ((1 << src.f) - 1)
        m = m << (dst.f - src.f) if dst.f > src.f else m >> (src.f - dst.f)
        return dst.inf | dst.quiet_bit | m | (dst.sign if neg(b, src) else 0)
    if is_inf(b, src):
        return dst.inf | (dst.sign if neg(b, src) else 0)
    return rnd(val(b, src), dst, mode, neg(b, src))


def order_key(b, t):
    return -mag(b, t) - 1 if neg(b, t) else mag(b, t)


def fmin(a, b, t, ieee=True):
    return _minmax(a, b, t, ieee, min)


def fmax(a, b, t, ieee=True):
    return _minmax(a, b, t, ieee, max)


def _minmax(a, b, t, ieee, pick):
    if ieee and is_snan(a, t):
        return quiet(a, t)
    if ieee and is_snan(b, t):
        return quiet(b, t)
    if is_nan(a, t):
        return b
    if is_nan(b, t):
        return a
    return pick((a, b), key=lambda x: order_key(x, t))


def integral(b, t, kind):
    """trunc, floor, ceil or rndne."""
    if is_nan(b, t):
        return quiet(b, t)
    if is_inf(b, t) or is_zero(b, t):
        return b
    v = val(b, t)
    a = abs(v)
    mode = {'trunc': 'zero', 'floor': 'down', 'ceil': 'up', 'rndne': 'even'}[kind]
    n = round_int(a, mode, v < 0)
    return rnd(Fr(-n if v < 0 else n), t, 'even', v < 0)


def to_int(b, t, lo, hi):
    if is_nan(b, t):
        return 0
    if is_inf(b, t):
        return lo if neg(b, t) else hi
    v = val(b, t)
    n = abs(v).numerator // abs(v).denominator
    n = -n if v < 0 else n
    return max(lo, min(hi, n))
