"""Random programs as LLVM IR, without undefined behaviour, that mean the same on every target.

One program is one function: it reads typed inputs of its work-item (and uniform arguments), computes, and stores
typed outputs. `emit` writes it as a GPU kernel or as a function of the host. What a target may choose stays
invisible: the sign and payload of a NaN (bits of floats are looked at only behind `fcmp uno`), which zero a
minimum returns (an addition of +0.0 follows), and how a NaN converts to an integer.
"""
import random

INTS = {'i8': 8, 'i16': 16, 'i32': 32, 'i64': 64}
FLOATS = {'half': 16, 'float': 32, 'double': 64}
VECTORS = ('<2 x i16>', '<4 x i8>', '<2 x i32>', '<4 x i32>', '<2 x half>', '<2 x float>', '<2 x double>')
PACKED = ('<2 x i16>', '<2 x half>')
SCALARS = tuple(INTS) + tuple(FLOATS)
STORED = SCALARS + ('<2 x i16>', '<4 x i8>', '<2 x half>')  # 8 bytes at the most
SUFFIX = {'half': 'f16', 'float': 'f32', 'double': 'f64'}
PREDICATES = ('oeq', 'ogt', 'oge', 'olt', 'ole', 'one', 'ord', 'ueq', 'ugt', 'uge', 'ult', 'ule', 'une', 'uno')
COMPARES = ('eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle')
# The largest magnitude that converts to every integer type of the width, and back without loss.
FLOAT_CONSTANTS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.25, 3.0, 7.0, 100.0, -1.5)


def element(vector):
    return vector.strip('<>').split(' x ')[1]


def count(vector):
    return int(vector.strip('<>').split(' x ')[0])


def name(ty):
    """The type in the name of an intrinsic."""
    if ty in INTS:
        return ty
    if ty in SUFFIX:
        return SUFFIX[ty]
    return f'v{count(ty)}{name(element(ty))}'


class Program:
    def __init__(self, seed, host_half_fma=False):
        self.rng = random.Random(seed)
        self.seed = seed
        self.half_fma = host_half_fma
        self.lines = []
        self.values = {}  # type -> names
        self.declared = set()
        self.inputs = []
        self.outputs = []
        self.number = 0
        self.block = 'entry'  # the label of the block that is being written
        self.nested = 0
        self.steps = []  # what this program may be made of
        self.lds_used = 0
        self.exact = self.rng.random() < .2
        self.build()

    # --- writing ---
    def line(self, ty, text):
        self.number += 1
        value = f'%v{self.number}'
        self.lines.append(f'  {value} = {text}')
        self.values.setdefault(ty, []).append(value)
        return value

    def quiet(self, ty, text):
        """A step whose value is not offered to later steps."""
        value = self.line(ty, text)
        self.values[ty].pop()
        return value

    def call(self, ty, function, args, keep=True):
        """args: (type, value) pairs."""
        signature = ', '.join(t for t, _ in args)
        self.declared.add(f'declare {ty} @{function}({signature})')
        text = f'call {ty} @{function}(' + ', '.join(f'{t} {v}' for t, v in args) + ')'
        return self.line(ty, text) if keep else self.quiet(ty, text)

    def constant(self, ty):
        r = self.rng
        if ty == 'i1':
            return r.choice(('true', 'false'))
        if ty in INTS:
            bits = INTS[ty]
            value = r.choice((0, 1, 2, 3, -1, -2, 64, 0xff, 0xffff, r.getrandbits(bits), r.getrandbits(bits),
                              1 << r.randrange(bits), (1 << r.randrange(1, bits + 1)) - 1, r.randrange(-16, 65)))
            value &= (1 << bits) - 1
            return str(value - (1 << bits) if value >> (bits - 1) else value)
        if ty in FLOATS:
            value = r.choice(FLOAT_CONSTANTS)
            if ty != 'half' and r.random() < .3:
                value = r.randrange(-1 << 20, 1 << 20) / 64
            return f'{value:.20e}'
        one = element(ty)
        # LLVM 15 takes other 16-bit pairs, such as <0, 10>, for inline constants they are not (LLVM #76522), and
        # at -O0 loses the sign of a zero in them.
        splat = ty in PACKED or r.random() < .4
        same = self.constant(one).replace('-0.0', '0.0') if ty == '<2 x half>' else self.constant(one)
        return '<' + ', '.join(f'{one} {same if splat else self.constant(one)}' for _ in range(count(ty))) + '>'

    def pick(self, ty, constants=.2):
        have = self.values.get(ty)
        if not have or self.rng.random() < constants:
            return self.constant(ty)
        # Recent values more often: long chains instead of a broad forest.
        if self.rng.random() < .6:
            return self.rng.choice(have[-4:])
        return self.rng.choice(have)

    def number_of(self, ty, value):
        """0 where a float is NaN, so that its bits may be looked at."""
        nan = self.quiet('i1', f'fcmp uno {ty} {value}, {value}')
        return self.quiet(ty, f'select i1 {nan}, {ty} 0.0, {ty} {value}')

    def bits(self, ty, value):
        whole = self.number_of(ty, value)
        return self.quiet(f'i{FLOATS[ty]}', f'bitcast {ty} {whole} to i{FLOATS[ty]}')

    # --- one step each ---
    def step_int_arithmetic(self):
        ty = self.rng.choice(tuple(INTS) + ('i32', 'i32', '<2 x i16>', '<2 x i16>', '<4 x i8>', '<2 x i32>'))
        op = self.rng.choice(('add', 'sub', 'mul', 'and', 'or', 'xor', 'add', 'sub', 'and', 'or', 'xor'))
        self.line(ty, f'{op} {ty} {self.pick(ty)}, {self.pick(ty)}')

    def step_shift(self):
        ty = self.rng.choice(('i8', 'i16', 'i32', 'i32', 'i64', '<2 x i16>', '<2 x i32>'))
        bits = INTS[element(ty)] if ty not in INTS else INTS[ty]
        mask = str(bits - 1) if ty in INTS else '<' + ', '.join([f'{element(ty)} {bits - 1}'] * count(ty)) + '>'
        if ty in INTS and self.rng.random() < .5:
            amount = str(self.rng.randrange(bits))
        else:
            amount = self.quiet(ty, f'and {ty} {self.pick(ty, 0)}, {mask}')
        self.line(ty, f'{self.rng.choice(("shl", "lshr", "ashr"))} {ty} {self.pick(ty)}, {amount}')

    def step_divide(self):
        ty = self.rng.choice(('i16', 'i32', 'i32', 'i64'))
        op = self.rng.choice(('udiv', 'urem', 'sdiv', 'srem'))
        positive = self.quiet(ty, f'lshr {ty} {self.pick(ty, .1)}, {self.rng.randrange(1, INTS[ty] - 1)}')
        divisor = self.quiet(ty, f'or {ty} {positive}, 1')
        a = self.pick(ty)
        if ty == 'i64':  # a dividend of 31 known bits or less is divided in single precision, which has 24
            a = self.quiet(ty, f'xor i64 {self.values["i64"][0]}, {self.pick(ty)}')
        if op[0] == 'u':  # LLVM's 24-bit division takes a negative number of few bits for a small unsigned one
            a = self.quiet(ty, f'lshr {ty} {a}, {self.rng.choice((1, 1, 1, 5, 9))}')
        self.line(ty, f'{op} {ty} {a}, {divisor}')

    def step_bits(self):
        ty = self.rng.choice(('i16', 'i32', 'i32', 'i64'))
        kind = self.rng.choice(('ctpop', 'ctlz', 'cttz', 'bswap', 'bitreverse', 'fshl', 'fshr', 'field', 'merge'))
        a = self.pick(ty, .05)
        if kind in ('ctlz', 'cttz'):
            self.call(ty, f'llvm.{kind}.{ty}', [(ty, a), ('i1', 'false')])
        elif kind in ('fshl', 'fshr'):
            self.call(ty, f'llvm.{kind}.{ty}', [(ty, a), (ty, self.pick(ty)), (ty, self.pick(ty, .5))])
        elif kind == 'field':
            low, width = self.rng.randrange(INTS[ty]), self.rng.randrange(1, INTS[ty])
            shifted = self.quiet(ty, f'{self.rng.choice(("lshr", "ashr"))} {ty} {a}, {low}')
            self.line(ty, f'and {ty} {shifted}, {(1 << width) - 1}')
        elif kind == 'merge':
            mask = self.pick(ty, .5)
            other = self.quiet(ty, f'xor {ty} {mask}, -1')
            x = self.quiet(ty, f'and {ty} {a}, {mask}')
            y = self.quiet(ty, f'and {ty} {self.pick(ty)}, {other}')
            self.line(ty, f'or {ty} {x}, {y}')
        else:
            self.call(ty, f'llvm.{kind}.{ty}', [(ty, a)])

    def step_limits(self):
        ty = self.rng.choice(('i16', 'i32', 'i32', 'i64', '<2 x i16>'))
        kind = self.rng.choice(('smax', 'smin', 'umax', 'umin', 'smax', 'smin', 'uadd.sat', 'sadd.sat', 'usub.sat',
                                'ssub.sat', 'abs'))
        a, b = self.pick(ty), self.pick(ty, .4)
        if kind == 'abs':
            self.call(ty, f'llvm.abs.{name(ty)}', [(ty, a), ('i1', 'false')])
            return
        value = self.call(ty, f'llvm.{kind}.{name(ty)}', [(ty, a), (ty, b)])
        if kind in ('smax', 'umax') and self.rng.random() < .5:  # three operands, or a median
            self.call(ty, f'llvm.{kind[0]}{self.rng.choice(("min", "max"))}.{name(ty)}', [(ty, value), (ty, self.pick(ty, .4))])

    def step_three(self):
        """Shapes the compiler has one instruction for."""
        ty = 'i32'
        a, b, c = self.pick(ty), self.pick(ty), self.pick(ty)
        kind = self.rng.randrange(8)
        if kind == 0:
            s = self.quiet(ty, f'shl {ty} {a}, {self.rng.randrange(32)}')
            self.line(ty, f'{self.rng.choice(("add", "or"))} {ty} {s}, {b}')
        elif kind == 1:
            s = self.quiet(ty, f'add {ty} {a}, {b}')
            self.line(ty, f'{self.rng.choice(("add", "shl"))} {ty} {s}, {self.rng.randrange(32)}')
        elif kind == 2:
            s = self.quiet(ty, f'{self.rng.choice(("and", "or", "xor"))} {ty} {a}, {b}')
            self.line(ty, f'{self.rng.choice(("or", "add", "xor"))} {ty} {s}, {c}')
        elif kind == 3:  # 24 bits
            x, y = (self.quiet(ty, f'and {ty} {v}, {self.rng.choice((0xffffff, 0xffff, 0x7fffff))}') for v in (a, b))
            p = self.line(ty, f'mul {ty} {x}, {y}')
            self.line(ty, f'add {ty} {p}, {c}')
        elif kind == 4:
            x, y = (self.quiet(ty, f'ashr {ty} {self.quiet(ty, f"shl {ty} {v}, 8")}, 8') for v in (a, b))
            p = self.line(ty, f'mul {ty} {x}, {y}')
            self.line(ty, f'add {ty} {p}, {c}')
        elif kind == 5:  # 64-bit product and sum
            ext = self.rng.choice(('zext', 'sext'))
            if ext == 'zext':  # LLVM 15 takes a zero-extended constant -1 for a signed one of 24 bits
                a, b = self.pick(ty, 0), self.pick(ty, 0)
            x, y = (self.quiet('i64', f'{ext} i32 {v} to i64') for v in (a, b))
            p = self.line('i64', f'mul i64 {x}, {y}')
            self.line('i64', f'add i64 {p}, {self.pick("i64")}')
            h = self.quiet('i64', f'lshr i64 {p}, 32')
            self.line('i32', f'trunc i64 {h} to i32')
        elif kind == 6:  # a dot product of bytes
            ext, total = self.rng.choice(('zext', 'sext')), c
            for n in range(4):
                parts = []
                for v in (a, b):
                    s = self.quiet(ty, f'lshr i32 {v}, {8 * n}')
                    t = self.quiet('i8', f'trunc i32 {s} to i8')
                    parts.append(self.quiet(ty, f'{ext} i8 {t} to i32'))
                p = self.quiet(ty, f'mul i32 {parts[0]}, {parts[1]}')
                total = self.quiet(ty, f'add i32 {p}, {total}')
            self.values[ty].append(total)
        else:
            less = self.quiet('i1', f'icmp ult {ty} {a}, {b}')
            d, e = self.quiet(ty, f'sub {ty} {a}, {b}'), self.quiet(ty, f'sub {ty} {b}, {a}')
            d = self.quiet(ty, f'select i1 {less}, {ty} {e}, {ty} {d}')
            self.line(ty, f'add {ty} {d}, {c}')

    def step_overflow(self):
        ty = self.rng.choice(('i16', 'i32', 'i32', 'i64'))
        kind = self.rng.choice(('uadd', 'sadd', 'usub', 'ssub', 'umul', 'smul') if ty != 'i64' else ('uadd', 'usub', 'sadd'))
        pair = '{ ' + f'{ty}, i1' + ' }'
        both = self.call(pair, f'llvm.{kind}.with.overflow.{ty}', [(ty, self.pick(ty)), (ty, self.pick(ty))], keep=False)
        self.line(ty, f'extractvalue {pair} {both}, 0')
        self.line('i1', f'extractvalue {pair} {both}, 1')

    def step_resize(self):
        a, b = self.rng.sample(tuple(INTS), 2)
        if INTS[a] > INTS[b]:
            self.line(b, f'trunc {a} {self.pick(a, 0)} to {b}')
        else:
            self.line(b, f'{self.rng.choice(("zext", "sext"))} {a} {self.pick(a, 0)} to {b}')

    def step_flag(self):
        ty = self.rng.choice(tuple(INTS))
        if self.rng.random() < .3:
            op = self.rng.choice(('and', 'or', 'xor'))
            self.line('i1', f'{op} i1 {self.pick("i1")}, {self.pick("i1")}')
        elif self.rng.random() < .5:
            self.line(ty, f'{self.rng.choice(("zext", "sext"))} i1 {self.pick("i1", 0)} to {ty}')
        else:
            self.line('i1', f'icmp {self.rng.choice(COMPARES)} {ty} {self.pick(ty, .1)}, {self.pick(ty, .3)}')

    def step_select(self):
        ty = self.rng.choice(SCALARS + ('<2 x i16>', '<2 x half>', '<2 x float>', '<4 x i8>'))
        self.line(ty, f'select i1 {self.pick("i1", .05)}, {ty} {self.pick(ty)}, {ty} {self.pick(ty)}')

    def step_vector(self):
        ty = self.rng.choice(VECTORS)
        one, n = element(ty), count(ty)
        constants = 0 if ty in PACKED else .3
        inserted = self.pick(one)
        if ty == '<2 x half>' and inserted.startswith('-0.0'):
            inserted = '0.0'  # LLVM 19 loses the sign in a pair
        kind = self.rng.randrange(5)
        if kind == 0:
            self.line(one, f'extractelement {ty} {self.pick(ty, .05)}, i32 {self.rng.randrange(n)}')
        elif kind == 1:
            self.line(ty, f'insertelement {ty} {self.pick(ty, constants)}, {one} {inserted}, i32 {self.rng.randrange(n)}')
        elif kind == 2:
            mask = ', '.join(f'i32 {self.rng.randrange(2 * n)}' for _ in range(n))
            self.line(ty, f'shufflevector {ty} {self.pick(ty, constants)}, {ty} {self.pick(ty, constants)}, <{n} x i32> <{mask}>')
        elif kind == 3:  # an index known at run time only
            # Faults of LLVM 15: at -O0 a lane's own index loses the second dword of a double; for bytes the mask
            # of an insertion is 0xffff.
            insert = ty not in ('<2 x double>', '<4 x i8>') and self.rng.random() < .5
            index = self.quiet('i32', f'and i32 {self.pick("i32", 0)}, {n - 1}')
            if insert:
                self.line(ty, f'insertelement {ty} {self.pick(ty, constants)}, {one} {inserted}, i32 {index}')
            else:
                self.line(one, f'extractelement {ty} {self.pick(ty, .1)}, i32 {index}')
        else:
            a, b = self.rng.choice((('i32', '<2 x i16>'), ('i32', '<4 x i8>'), ('<2 x i16>', '<4 x i8>'),
                                    ('i64', '<2 x i32>')))
            if self.rng.random() < .5:
                a, b = b, a
            self.line(b, f'bitcast {a} {self.pick(a, .05)} to {b}')

    def step_float_arithmetic(self):
        ty = self.rng.choice(tuple(FLOATS) + ('float', 'float', 'double', '<2 x half>', '<2 x float>', '<2 x float>',
                                              '<2 x double>'))
        kind = self.rng.choice(('fadd', 'fsub', 'fmul', 'fadd', 'fsub', 'fmul', 'fma', 'fma', 'fneg', 'fabs'))
        a, b = self.pick(ty), self.pick(ty)
        if self.rng.random() < .25:
            a = self.quiet(ty, f'fneg {ty} {a}')
        if self.rng.random() < .2:
            b = self.call(ty, f'llvm.fabs.{name(ty)}', [(ty, b)], keep=False)
        if kind == 'fma':
            if 'half' in ty and not self.half_fma:
                kind = 'fmul'
            else:
                self.call(ty, f'llvm.fma.{name(ty)}', [(ty, a), (ty, b), (ty, self.pick(ty))])
                return
        if kind == 'fneg':
            self.line(ty, f'fneg {ty} {a}')
        elif kind == 'fabs':
            self.call(ty, f'llvm.fabs.{name(ty)}', [(ty, a)])
        else:
            self.line(ty, f'{kind} {ty} {a}, {b}')

    def step_float_divide(self):
        ty = self.rng.choice(('float', 'float', 'double'))
        if self.rng.random() < .6:
            self.line(ty, f'fdiv {ty} {self.pick(ty)}, {self.pick(ty, .05)}')
        else:
            self.call(ty, f'llvm.sqrt.{name(ty)}', [(ty, self.pick(ty, .05))])

    def step_float_limits(self):
        ty = self.rng.choice(tuple(FLOATS) + ('float', '<2 x half>'))
        if self.rng.random() < .4:  # compare and select; the compiler makes some a minimum, zeros included
            if ty not in FLOATS:
                return
            a, b = self.pick(ty, .1), self.pick(ty, .3)
            c = self.quiet('i1', f'fcmp {self.rng.choice(PREDICATES)} {ty} {a}, {b}')
            chosen = self.quiet(ty, f'select i1 {c}, {ty} {a}, {ty} {b}')
            self.line(ty, f'fadd {ty} {chosen}, 0.0')
            return
        zero = '0.0' if ty in FLOATS else '<half 0.0, half 0.0>'
        a = self.call(ty, f'llvm.{self.rng.choice(("minnum", "maxnum"))}.{name(ty)}', [(ty, self.pick(ty, .1)), (ty, self.pick(ty, .3))],
                      keep=False)
        if self.rng.random() < .5:
            a = self.call(ty, f'llvm.{self.rng.choice(("minnum", "maxnum"))}.{name(ty)}', [(ty, a), (ty, self.pick(ty, .5))], keep=False)
        self.line(ty, f'fadd {ty} {a}, {zero}')

    def step_float_round(self):
        ty = self.rng.choice(tuple(FLOATS))
        kind = self.rng.choice(('floor', 'ceil', 'trunc', 'rint', 'round'))  # LLVM 15 lacks the others
        value = self.call(ty, f'llvm.{kind}.{name(ty)}', [(ty, self.pick(ty, .05))], keep=kind != 'round')
        if kind == 'round':  # LLVM's code for the GPU gives +0 for what rounds to -0
            value = self.line(ty, f'fadd {ty} {value}, 0.0')
        if self.rng.random() < .3:
            self.line(ty, f'fsub {ty} {self.pick(ty)}, {value}')

    def step_float_sign(self):
        ty = self.rng.choice(tuple(FLOATS))
        sign = self.number_of(ty, self.pick(ty, .05))
        self.call(ty, f'llvm.copysign.{name(ty)}', [(ty, self.pick(ty)), (ty, sign)])

    def step_float_compare(self):
        ty = self.rng.choice(tuple(FLOATS))
        a, b = self.pick(ty, .05), self.pick(ty, .3)
        if self.rng.random() < .2:
            b = self.call(ty, f'llvm.fabs.{name(ty)}', [(ty, b)], keep=False)
        self.line('i1', f'fcmp {self.rng.choice(PREDICATES)} {ty} {a}, {b}')

    def step_convert(self):
        f, i = self.rng.choice(tuple(FLOATS)), self.rng.choice(tuple(INTS))
        kind = self.rng.randrange(6)
        if kind == 0:
            self.line(f, f'{self.rng.choice(("sitofp", "uitofp"))} {i} {self.pick(i, .05)} to {f}')
        elif kind == 1:
            op = self.rng.choice(('fptosi', 'fptoui'))
            f = self.rng.choice(('float', 'double'))  # from halves LLVM 15 is wrong for hosts that have them
            self.call(i, f'llvm.{op}.sat.{i}.{name(f)}', [(f, self.pick(f, .05))])
        elif kind == 2:  # in range, so that the bare conversion is defined
            i = self.rng.choice(('i32', 'i64'))
            op = self.rng.choice(('fptosi', 'fptoui'))
            low, high = ('-60000.0', '60000.0') if op == 'fptosi' else ('0.0', '60000.0')
            a = self.pick(f, .05)
            x, y = self.quiet('i1', f'fcmp oge {f} {a}, {low}'), self.quiet('i1', f'fcmp ole {f} {a}, {high}')
            both = self.quiet('i1', f'and i1 {x}, {y}')
            safe = self.quiet(f, f'select i1 {both}, {f} {a}, {f} 1.0')
            self.line(i, f'{op} {f} {safe} to {i}')
        elif kind == 3:
            a, b = self.rng.sample(tuple(FLOATS), 2)
            op = 'fptrunc' if FLOATS[a] > FLOATS[b] else 'fpext'
            if b == 'half':  # LLVM 19 makes a product that is rounded to half a fused one with +0 added
                value = self.quiet(b, f'{op} {a} {self.pick(a, .05)} to {b}')
                self.line(b, f'fadd half {value}, 0.0')
            else:
                self.line(b, f'{op} {a} {self.pick(a, .05)} to {b}')
        elif kind == 4:
            bits = self.bits(f, self.pick(f, .05))
            self.values.setdefault(f'i{FLOATS[f]}', []).append(bits)
        else:  # no exponent of all ones: neither infinite nor NaN
            width = FLOATS[f]
            mask = (1 << width) - 1 - (1 << (width - 2))
            small = self.quiet(f'i{width}', f'and i{width} {self.pick(f"i{width}", 0)}, {mask - (1 << width)}')
            self.line(f, f'bitcast i{width} {small} to {f}')

    # --- memory: places that only this work-item uses ---
    def place(self):
        """(address space, pointer) of 16 bytes, in LDS, in scratch or in the output."""
        kind = self.rng.choice(('lds', 'scratch', 'output'))
        if kind == 'lds' and self.lds_used < 4:
            self.lds_used += 1
            offset = self.quiet('i32', f'add i32 %item, {(self.lds_used - 1) * 1024}')
            return '{L}', self.quiet('p', f'getelementptr i8, ptr{{L}} @lds{self.seed}, i32 {offset}')
        if kind == 'output':
            slot = len(self.outputs)
            self.outputs += ['i64', 'i64']  # two slots of 8 bytes, of which work-items use every second
            self.lines.insert(0, f'  %place{slot} = getelementptr i8, ptr{{AS}} %out, i64 %place_at{slot}')
            self.lines.insert(0, f'  %place_at{slot} = add i64 %twice, {slot * 1024}')
            return '{AS}', f'%place{slot}'
        self.number += 1
        self.lines.insert(0, f'  %a{self.number} = alloca [2 x i64], align 16{{P}}')
        return '{S}', f'%a{self.number}'

    def step_memory(self):
        """Bytes go in as one type and come out as another."""
        space, place = self.place()
        a, b = (self.rng.choice(tuple(INTS) + ('float', 'double', '<4 x i32>', '<2 x i16>')) for _ in range(2))
        zero = self.rng.choice(('i64', '<2 x i64>'))
        for n in range(2 if zero == 'i64' else 1):
            at = self.quiet('p', f'getelementptr i8, ptr{space} {place}, i32 {8 * n}')
            self.lines.append(f'  store {zero} zeroinitializer, ptr{space} {at}, align 8' if zero != 'i64' else
                              f'  store i64 0, ptr{space} {at}, align 8')
        value = self.pick(a)
        if a in FLOATS:
            value, a = self.bits(a, value), f'i{FLOATS[a]}'
        size = 16 if a == '<4 x i32>' else 4 if a == '<2 x i16>' else INTS[a] // 8
        offset = self.rng.randrange(0, 17 - size, size)
        at = self.quiet('p', f'getelementptr i8, ptr{space} {place}, i32 {offset}')
        self.lines.append(f'  store {a} {value}, ptr{space} {at}, align {min(size, 8)}')
        if self.rng.random() < .4:
            self.atomic(space, place)
        if b in FLOATS:
            b = f'i{FLOATS[b]}'
        size = 16 if b == '<4 x i32>' else 4 if b == '<2 x i16>' else INTS[b] // 8
        if self.rng.random() < .5:  # where it is read is known at run time only
            index = self.quiet('i32', f'and i32 {self.pick("i32", 0)}, {16 - size}')
            index = self.quiet('i32', f'and i32 {index}, {-size}')
        else:
            index = self.rng.randrange(0, 17 - size, size)
        at = self.quiet('p', f'getelementptr i8, ptr{space} {place}, i32 {index}')
        self.line(b, f'load {b}, ptr{space} {at}, align {min(size, 8)}')

    def atomic(self, space, place):
        ty = self.rng.choice(('i32', 'i64'))
        at = self.quiet('p', f'getelementptr i8, ptr{space} {place}, i32 {self.rng.choice((0, 8))}')
        if self.rng.random() < .2:
            pair = '{ ' + f'{ty}, i1' + ' }'
            both = self.quiet(pair, f'cmpxchg ptr{space} {at}, {ty} {self.rng.choice((0, self.pick(ty)))}, {ty} '
                                    f'{self.pick(ty)} seq_cst seq_cst')
            self.line(ty, f'extractvalue {pair} {both}, 0')
            self.line('i1', f'extractvalue {pair} {both}, 1')
            return
        op = self.rng.choice(('add', 'sub', 'and', 'or', 'xor', 'max', 'min', 'umax', 'umin', 'xchg'))
        text = f'atomicrmw {op} ptr{space} {at}, {ty} {self.pick(ty)} {self.rng.choice(("monotonic", "seq_cst"))}'
        if self.rng.random() < .5:
            self.line(ty, text)
        else:  # the old value is not used: another instruction
            self.quiet(ty, text)

    # --- control flow ---
    def some_steps(self, most):
        for _ in range(self.rng.randrange(1, most)):
            self.rng.choice(self.steps)()  # a branch in a branch does nothing

    def step_branch(self):
        if self.nested or not self.values.get('i1'):
            return
        self.nested += 1
        n = self.number
        types = self.rng.sample(('i32', 'i64', 'i16') + (() if self.exact else ('float', 'double')), 2)
        self.lines.append(f'  br i1 {self.pick("i1", 0)}, label %then{n}, label %else{n}')
        results = []
        for side in ('then', 'else'):
            saved = {k: list(v) for k, v in self.values.items()}
            self.block = f'{side}{n}'
            self.lines.append(f'{self.block}:')
            self.some_steps(6)
            results.append([self.pick(t, .1) for t in types])
            self.lines.append(f'  br label %join{n}')
            self.values = saved
        self.block = f'join{n}'
        self.lines.append(f'{self.block}:')
        for k, t in enumerate(types):
            self.line(t, f'phi {t} [ {results[0][k]}, %then{n} ], [ {results[1][k]}, %else{n} ]')
        self.nested -= 1

    def step_loop(self):
        if self.nested or self.rng.random() < .5:
            return
        self.nested += 1
        n, before = self.number, self.block
        ty = self.rng.choice(('i32', 'i64') + (() if self.exact else ('float',)))
        limit = self.quiet('i32', f'and i32 {self.pick("i32", 0)}, 7')
        start = self.pick(ty, .1)
        self.lines.append(f'  br label %loop{n}')
        saved = {k: list(v) for k, v in self.values.items()}
        self.block = f'loop{n}'
        self.lines.append(f'loop{n}:')
        self.lines.append(f'  %count{n} = phi i32 [ 0, %{before} ], [ %next{n}, %loop{n} ]')
        self.lines.append(f'  %sum{n} = phi {ty} [ {start}, %{before} ], [ %last{n}, %loop{n} ]')
        self.values.setdefault(ty, []).append(f'%sum{n}')
        self.values['i32'].append(f'%count{n}')
        self.some_steps(5)
        last = self.pick(ty, 0)
        self.lines.append(f'  %last{n} = ' + (f'fadd {ty} {last}, 1.0' if ty == 'float' else f'add {ty} {last}, %sum{n}'))
        self.lines.append(f'  %next{n} = add i32 %count{n}, 1')
        self.lines.append(f'  %more{n} = icmp ult i32 %count{n}, {limit}')
        self.lines.append(f'  br i1 %more{n}, label %loop{n}, label %done{n}')
        self.block = f'done{n}'
        self.lines.append(f'done{n}:')
        self.values = saved
        self.values.setdefault(ty, []).append(f'%last{n}')
        self.nested -= 1

    # --- small whole numbers in floats: exact under every rounding, contraction and flushing ---
    def whole(self, ty, most):
        mask = self.quiet('i32', f'and i32 {self.pick("i32", .1)}, {most}')
        if self.rng.random() < .3:
            mask = self.quiet('i32', f'sub i32 0, {mask}')
        return self.quiet(ty, f'sitofp i32 {mask} to {ty}')

    def step_exact(self):
        """fma, mad, mixed precision, clamp and omod, which the compiler forms only if it may."""
        flags = self.rng.choice(('fast', 'nnan nsz contract', 'contract', 'nsz arcp contract'))
        ty = self.rng.choice(('half', 'half', 'float', 'float', 'double'))
        most = 31 if ty == 'half' else 255
        a, b, c = (self.whole(ty, most) for _ in range(3))
        if self.rng.random() < .3:
            a = self.quiet(ty, f'fneg {ty} {a}')
        if self.rng.random() < .3:
            b = self.call(ty, f'llvm.fabs.{name(ty)}', [(ty, b)], keep=False)
        if ty == 'half' and self.rng.random() < .6:  # mixed precision
            a, b = (self.quiet('float', f'fpext half {v} to float') for v in (a, b))
            ty, c = 'float', self.rng.choice((self.whole('float', 255), self.quiet('float', f'fpext half {c} to float')))
        p = self.quiet(ty, f'fmul {flags} {ty} {a}, {b}')
        r = self.quiet(ty, f'{self.rng.choice(("fadd", "fsub"))} {flags} {ty} {p}, {c}')
        if self.rng.random() < .3:
            r = self.quiet(ty, f'fmul {flags} {ty} {r}, {self.rng.choice(("2.0", "4.0"))}')
        if self.rng.random() < .3:
            low = self.call(ty, f'llvm.maxnum.{name(ty)}', [(ty, r), (ty, '0.0')], keep=False)
            r = self.call(ty, f'llvm.minnum.{name(ty)}', [(ty, low), (ty, '1.0')], keep=False)
        if ty == 'float' and self.rng.random() < .2:
            r, ty = self.quiet('half', f'fptrunc float {self.whole("float", 255)} to half'), 'half'
        if self.rng.random() < .3:
            self.line('i1', f'fcmp {flags} {self.rng.choice(("ogt", "olt", "oeq", "une"))} {ty} {r}, {self.whole(ty, 31)}')
        # As an integer: a zero may have either sign.
        self.line('i32', f'fptosi {ty} {r} to i32')

    # --- the whole ---
    def load(self, ty, uniform):
        slot = len(self.inputs)
        self.inputs.append(ty)
        where = f'i64 {slot * 1024 + self.rng.randrange(100) * 8}' if uniform else f'i64 %at{slot}'
        if not uniform:
            self.lines.append(f'  %at{slot} = add i64 %base, {slot * 1024}')
        self.lines.append(f'  %from{slot} = getelementptr i8, ptr{{AS}} %in, {where}')
        self.line(ty, f'load {ty}, ptr{{AS}} %from{slot}, align {self.rng.choice((1, 8, 8, 8)) if not uniform else 8}')

    def build(self):
        for ty in SCALARS + ('i32', 'float', '<2 x i16>', '<2 x half>', '<4 x i8>'):
            self.load(ty, False)
        for ty in ('i32', 'i64', 'float', 'i32', '<2 x half>'):
            self.load(ty, True)
        self.values.setdefault('i32', []).extend(['%ua', '%ub', '%id'])
        self.values.setdefault('i64', []).append('%uc')
        self.values.setdefault('float', []).append('%ud')
        self.values.setdefault('double', []).append('%ue')
        steps = [getattr(self, s) for s in sorted(dir(self)) if s.startswith('step_')]
        if self.exact:  # floats under other modes of the machine
            steps = [s for s in steps if 'float' not in s.__name__ and s.__name__ not in ('step_convert', 'step_vector', 'step_select')]
            steps += [self.step_exact] * 8
        self.steps = steps
        # A program has a taste: some steps are frequent in it.
        favourites = self.rng.sample(steps, 4)
        for _ in range(self.rng.choice((15, 30, 60))):
            self.rng.choice(favourites if self.rng.random() < .5 else steps)()
        for ty in STORED:
            if self.exact and ty in FLOATS or ty == '<2 x half>' and self.exact:
                continue
            for value in self.values.get(ty, [])[-3:]:
                self.store(ty, value)
        for value in self.values.get('i1', [])[-3:]:
            self.store('i32', self.quiet('i32', f'zext i1 {value} to i32'))
        for ty in ('<2 x i32>', '<4 x i32>') + (() if self.exact else ('<2 x float>', '<2 x double>')):
            for value in self.values.get(ty, [])[-2:]:
                for n in range(count(ty)):
                    self.store(element(ty), self.quiet(element(ty), f'extractelement {ty} {value}, i32 {n}'))

    def store(self, ty, value):
        slot = len(self.outputs)
        self.outputs.append(ty)
        self.lines.append(f'  %to{slot} = getelementptr i8, ptr{{AS}} %out, i64 %out{slot}')
        self.lines.insert(0, f'  %out{slot} = add i64 %base, {slot * 1024}')
        self.lines.append(f'  store {ty} {value}, ptr{{AS}} %to{slot}, align 8')

    def emit(self, gpu):
        args = 'i32 %ua, i32 %ub, i64 %uc, float %ud, double %ue'
        spaces = {'{AS}': ' addrspace(1)', '{L}': ' addrspace(3)', '{S}': ' addrspace(5)', '{P}': ', addrspace(5)'}
        out = []
        if self.lds_used:
            out.append(f'@lds{self.seed} = internal {"addrspace(3) " if gpu else ""}global [4096 x i8] undef, align 16')
        if gpu:
            out.append(f'define amdgpu_kernel void @k{self.seed}(ptr addrspace(1) noalias %in, '
                       f'ptr addrspace(1) noalias %out, {args}) #{self.seed % 3 + 1 if self.exact else 0} {{')
            out.append('entry:')
            out.append('  %local = call i32 @llvm.amdgcn.workitem.id.x()')
            out.append('  %group = call i32 @llvm.amdgcn.workgroup.id.x()')
            out.append('  %first = shl i32 %group, 6')
            out.append('  %id = add i32 %first, %local')
        else:
            out.append(f'define void @k{self.seed}(ptr %in, ptr %out, {args}, i32 %id) {{')
            out.append('entry:')
        out.append('  %wide = zext i32 %id to i64')
        out.append('  %base = shl i64 %wide, 3')
        out.append('  %twice = shl i64 %wide, 4')
        out.append(f'  %in_group = and i32 %id, 63')
        out.append(f'  %item = shl i32 %in_group, 4')
        for line in self.lines:
            for mark, space in spaces.items():
                line = line.replace(mark, space if gpu else '')
            out.append(line)
        out += ['  ret void', '}']
        return '\n'.join(out)


def module(programs, gpu):
    out = [p.emit(gpu) for p in programs]
    declared = set().union(*(p.declared for p in programs))
    if gpu:
        declared |= {'declare i32 @llvm.amdgcn.workitem.id.x()', 'declare i32 @llvm.amdgcn.workgroup.id.x()'}
        size = 'nounwind "amdgpu-flat-work-group-size"="64,64"'
        flush = '"denormal-fp-math-f32"="preserve-sign,preserve-sign" "denormal-fp-math"="preserve-sign,preserve-sign"'
        out.append(f'attributes #0 = {{ {size} }}')
        out.append(f'attributes #1 = {{ {size} "amdgpu-ieee"="false" {flush} }}')
        out.append(f'attributes #2 = {{ {size} "amdgpu-ieee"="false" "amdgpu-dx10-clamp"="false" {flush} }}')
        out.append(f'attributes #3 = {{ {size} "no-nans-fp-math"="true" "unsafe-fp-math"="true" }}')
    return '\n'.join(out + sorted(declared)) + '\n'
