#!/usr/bin/env python3
"""Writes modifiers.txt: per vector ALU mnemonic of gfx906 its words and the modifiers that must decode.

The assembler (llvm-mc-15) says what exists. Taken away from that, on purpose: what it lets pass although the
ISA manual gives it no meaning (see `meaningless`); the interpreter refuses those by name.
Line: mnemonic family e32-word|- e64-word0 e64-word1 modifier...
"""
import os
import re
import subprocess

CPU = 'gfx906'
HERE = os.path.dirname(os.path.abspath(__file__))


def disassemble(words_list):
    lines = []
    for n, words in enumerate(words_list):
        lines.append(' '.join('0x%02x' % b for w in words for b in w.to_bytes(4, 'little')))
        lines.append(' '.join('0x%02x' % b for b in (0xBF800000 | n).to_bytes(4, 'little')))  # s_nop n
    run = subprocess.run(['llvm-mc-15', '-disassemble', '-triple=amdgcn', f'-mcpu={CPU}'], input='\n'.join(lines),
                         capture_output=True, text=True)
    bad = {(int(m.group(1)) - 1) // 2 for m in re.finditer(r'<stdin>:(\d+):\d+: warning', run.stderr)}
    result, current = [], []
    for line in run.stdout.splitlines():
        line = re.sub(r'\s*;.*', '', line).strip()
        if not line or line.startswith('.'):
            continue
        if line.startswith('s_nop'):
            n = len(result)
            result.append(current[0] if n not in bad and len(current) == 1 else None)
            current = []
        else:
            current.append(line)
    return result


def accepted(lines):
    run = subprocess.run(['llvm-mc-15', '-triple=amdgcn', f'-mcpu={CPU}'], input='\n'.join(lines) + '\n',
                         capture_output=True, text=True)
    bad = {int(m.group(1)) - 1 for m in re.finditer(r'<stdin>:(\d+):\d+: error', run.stderr)}
    return [n not in bad for n in range(len(lines))]


def split(operands):
    return re.split(r', (?![^\[]*\])', operands)



def meaningless(mnemonic, kind):
    if mnemonic.startswith(('v_cmp', 'v_min3_i', 'v_min3_u', 'v_max3_i', 'v_max3_u', 'v_med3_i', 'v_med3_u')):
        return kind == 'clamp'
    if re.match(r'v_(pack_b32|cvt_pknorm|mad_[ui]32)', mnemonic) and kind == 'sel_dst':
        return True  # the result is no half
    if mnemonic in ('v_mad_u32_u16', 'v_mad_i32_i16') and kind == 'sel2':
        return True  # nor is source 2
    converts = re.match(r'v_(cvt|frexp_exp)_(.*)', mnemonic)
    to_int = converts and not re.match(r'(f16|f32|f64|off_f32)', converts.group(2))
    if to_int or mnemonic.startswith('v_frexp_exp') or mnemonic == 'v_pack_b32_f16':
        return kind in ('clamp', 'omod')
    return False


def main():
    entries = []

    def add(family, words, e32):
        for word_list, text, short in zip(words, disassemble(words), e32):
            if text:
                entries.append((family, word_list, text, short))
    src = 256
    for family, first, count, shift, base32 in (
            ('vopc', 0x000, 256, 17, lambda o: 0x7C000000 | o << 17 | 4 << 9 | (src + 2)),
            ('vop2', 0x100, 62, 25, lambda o: o << 25 | 8 << 17 | 4 << 9 | (src + 2)),
            ('vop1', 0x140, 128, 9, lambda o: 0x7E000000 | 8 << 17 | o << 9 | (src + 2)),
            ('vop3', 0x1C0, 0x1C0, 0, lambda o: None)):
        ops = range(count)
        for sources in (1, 2, 3):
            second = (src + 2) | ((src + 4) << 9 if sources > 1 else 0) | ((src + 6) << 18 if sources > 2 else 0)
            dst = 10 if family == 'vopc' else 8
            add(family, [[0xD0000000 | (first + o) << 16 | dst, second] for o in ops], [base32(o) for o in ops])
    # An op decodes with fewer sources than it has (v0 or s0 by the zero field) too: keep the most.
    best = {}
    for entry in entries:
        name = re.sub(r'_e64$', '', entry[2].split()[0])
        if 'interp' not in name and 'screen_partition' not in name:
            best[name] = entry
    tests, keys = [], []

    def attempt(name, kind, line):
        tests.append(line)
        keys.append((name, kind))
    for name, (family, words, text, short) in best.items():
        mnemonic, operands = text.split(' ', 1)
        ops = split(operands)
        first = 2 if name.endswith(('_co_u32',)) or name.startswith(('v_div_scale', 'v_mad_u64', 'v_mad_i64')) else 1
        if name.startswith(('v_addc', 'v_subb', 'v_cndmask')):
            ops[-1] = 'vcc'
            words[1] = (words[1] & ~(0x1FF << 18)) | 106 << 18
        carry = first == 2
        for n in range(first, len(ops)):
            k = n - first
            if ops[n] == 'vcc':
                continue
            attempt(name, f'neg{k}', f'{mnemonic} ' + ', '.join(ops[:n] + ['-' + ops[n]] + ops[n + 1:]))
            if not carry:
                attempt(name, f'abs{k}', f'{mnemonic} ' + ', '.join(ops[:n] + [f'|{ops[n]}|'] + ops[n + 1:]))
        body = f'{mnemonic} ' + ', '.join(ops)
        attempt(name, 'clamp', body + ' clamp')
        attempt(name, 'omod', body + ' mul:2')
        count = len(ops) - first
        if not carry:
            for k in range(count + 1):
                bits = ['1' if n == k else '0' for n in range(count + 1)]
                attempt(name, 'sel_dst' if k == count else f'sel{k}', body + f' op_sel:[{",".join(bits)}]')
        if short is not None:
            e32 = list(ops)
            if family == 'vopc' or name.endswith('_co_u32'):
                e32[0 if family == 'vopc' else 1] = 'vcc'
            line = ', '.join(e32)
            sdwa = '' if family == 'vopc' else ' dst_sel:DWORD dst_unused:UNUSED_PAD'
            sdwa += ' src0_sel:BYTE_1' + ('' if family == 'vop1' else ' src1_sel:DWORD')
            attempt(name, 'sdwa', f'{name}_sdwa {line}{sdwa}')
            attempt(name, 'dpp', f'{name}_dpp {line} row_shl:1 row_mask:0xf bank_mask:0xf')
    kinds = {name: [] for name in best}
    for (name, kind), ok in zip(keys, accepted(tests)):
        if ok and not meaningless(name, kind):
            kinds[name].append(kind)
    with open(os.path.join(HERE, 'modifiers.txt'), 'w') as f:
        f.write('# Generated by modifiers.py (llvm-mc-15, gfx906).\n')
        for name, (family, words, _, short) in sorted(best.items()):
            f.write(f'{name} {family} {"-" if short is None else "%08x" % short} {words[0]:08x} {words[1]:08x} '
                    + ' '.join(kinds[name]) + '\n')


if __name__ == '__main__':
    main()
