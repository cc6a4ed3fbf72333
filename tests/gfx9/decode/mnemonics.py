#!/usr/bin/env python3
"""Writes mnemonics.txt: for every row of the scalar, memory and LDS op tables one instruction assembled by llvm-mc.

Usage: mnemonics.py LIST_OPS, the program built from list_ops.cpp. Vector ALU rows have a fixture of their own in
../valu. A row that only gfx90a has is assembled for that target.
"""
import pathlib
import re
import subprocess
import sys

MC = "llvm-mc-15"
S1, S2, S4, S8, S16 = "s4", "s[4:5]", "s[4:7]", "s[4:11]", "s[4:19]"
SDST = [S1, S2]
OPERANDS = {
    "sop2": [f"{d}, {a}, {b}" for d in ("s20", "s[20:21]") for a in ("s2", "s[2:3]") for b in ("s6", "s[6:7]")]
    + ["s[2:3], s[6:7]", "s[2:3], s6"],
    "sop1": [f"{d}, {a}" for d in ("s20", "s[20:21]") for a in ("s2", "s[2:3]")] + ["s[20:21]", "s2"],
    "sopk": ["s20, 0x34", "s20, hwreg(HW_REG_MODE)", "hwreg(HW_REG_MODE), s20", "hwreg(HW_REG_MODE), 0x12", "s[20:21], 4"],
    "sopc": ["s2, s6", "s[2:3], s6", "s[2:3], s[6:7]", "s2, gpr_idx(SRC0)"],
    "sopp": ["", "0", "4", "sendmsg(MSG_INTERRUPT)", "vmcnt(0)", "gpr_idx(SRC0)"],
    "smem": [f"{d}, {b}, 0x10" for d in (S1, S2, S4, S8, S16) for b in ("s[2:3]", "s[24:27]")]
    + [f"{b}, 0x10" for b in ("s[2:3]",)] + ["s[4:5]", "", "4, s[2:3], 0x10", "4, s[24:27], 0x10"],
    "ds": [""] + [f"{d}v1{e}{o}" for d in ("", "v8, ", "v[8:9], ", "v[8:10], ", "v[8:11], ")
           for e in ("", ", v2", ", v[2:3]", ", v[2:4]", ", v[2:5]", ", v2, v4", ", v[2:3], v[4:5]") for o in ("", " gds")]
    + ["gds"],
    "flat": [f"{d}, v[2:3]" for d in ("v8", "v[8:9]", "v[8:10]", "v[8:11]")]
    + [f"v[2:3], {d}" for d in ("v8", "v[8:9]", "v[8:10]", "v[8:11]")],
    "mubuf": [f"{d}, off, s[4:7], 0" for d in ("v8", "v[8:9]", "v[8:10]", "v[8:11]")] + [""],
}
OPERANDS["mfma"] = [f"a[{d}], {a}, {b}, a[{d}]" for d in ("0:31", "0:15", "0:7", "0:3", "0:1")
                    for a, b in (("v0", "a1"), ("v[0:1]", "a[2:3]"))]
OPERANDS["global"] = [o + ", off" for o in OPERANDS["flat"]]
OPERANDS["scratch"] = [o.replace("v[2:3]", "v2") + ", off" for o in OPERANDS["flat"]]


def assemble(rows, target):
    """{(family, mnemonic): words} for those some operand pattern fits."""
    lines, keys = [], []
    for family, _, mnemonic in rows:
        for operands in OPERANDS[family]:
            lines.append(f"{mnemonic} {operands}")
            keys.append((family, mnemonic))
    # One label per line says which lines were accepted.
    text = "\n".join(f"L{n}:\n{line}" for n, line in enumerate(lines))
    run = subprocess.run([MC, "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}", "-show-encoding"], input=text, text=True,
                         capture_output=True)
    found, current = {}, None
    for line in run.stdout.splitlines():
        label = re.match(r"L(\d+):", line)
        if label:
            current = keys[int(label.group(1))]
        code = re.search(r"encoding: \[([^\]]*)\]", line)
        if not code or current in found:
            continue
        # Branch targets and the like appear as fixups, not bytes.
        data = [0 if not b.startswith("0x") else int(b, 16) for b in code.group(1).split(",")]
        found[current] = [int.from_bytes(bytes(data[n:n + 4]), "little") for n in range(0, len(data), 4)]
    return found


def main():
    listed = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    rows = [r for r in rows if r[0] in OPERANDS]
    by_target = {target: assemble(rows, target) for target in ("gfx906", "gfx90a")}
    version = subprocess.run([MC, "--version"], capture_output=True, text=True).stdout
    version = next(l.strip() for l in version.splitlines() if "version" in l)
    out = [f"# mnemonics.py with {version}: target family mnemonic words"]
    for family, opcode, mnemonic in rows:
        for target, found in by_target.items():
            words = found.get((family, mnemonic))
            if words:
                out.append(f"{target} {family} {mnemonic} " + " ".join(f"{w:08x}" for w in words))
                break
        else:
            sys.exit(f"{family} {opcode} {mnemonic}: no operand pattern fits")
    (pathlib.Path(__file__).parent / "mnemonics.txt").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
