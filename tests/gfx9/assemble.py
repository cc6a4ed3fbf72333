#!/usr/bin/env python3
"""Writes NAME.hex for each NAME.s given (or all below this folder): the words of every case, one line each.

Needs llvm-mc-15 and llvm-objcopy-15. The tests themselves need neither.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

MC, OBJCOPY = "llvm-mc-15", "llvm-objcopy-15"


def assemble(text, target, where):
    with tempfile.TemporaryDirectory() as folder:
        obj, raw = f"{folder}/o", f"{folder}/raw"
        run = subprocess.run([MC, "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}", "-filetype=obj", "-o", obj],
                             input=text, text=True, capture_output=True)
        if run.returncode != 0:
            sys.exit(f"{where}: {run.stderr}")
        subprocess.run([OBJCOPY, "--dump-section", f".text={raw}", obj], check=True, capture_output=True)
        data = pathlib.Path(raw).read_bytes()
    return struct.unpack(f"<{len(data) // 4}I", data)


MARK = (0x6B72616D, 0x21657361, 0x6B72616D, 0x21657361)  # stands between the cases of one run


def assemble_all(bodies, target, where):
    """Words of several cases from one run of the assembler; None if they cannot stand in one file (labels)."""
    mark = "\n.long " + ", ".join(map(str, MARK)) + "\n"
    text = mark.join("\n".join(body) for body in bodies) + "\n"
    if any(line.split("//")[0].rstrip().endswith(":") for body in bodies for line in body):
        return None
    words, found, current = assemble(text, target, where), [], []
    for word in words:
        current.append(word)
        if tuple(current[-4:]) == MARK:
            found.append(tuple(current[:-4]))
            current = []
    found.append(tuple(current))
    return found if len(found) == len(bodies) else None


def cases(path):
    target, name, body = "gfx906", None, []
    for line in path.read_text().splitlines():
        line = line.strip()
        if line.startswith("//# target "):
            new_target = line[11:]
            if name is not None:
                yield name, target, body
                name, body = None, []
            target = new_target
        elif line.startswith("//# case "):
            if name is not None:
                yield name, target, body
            name, body = line[9:], []
        elif not line.startswith("//"):
            body.append(line)
    if name is not None:
        yield name, target, body


def main():
    version = subprocess.run([MC, "--version"], capture_output=True, text=True).stdout
    version = next(l.strip() for l in version.splitlines() if "version" in l)
    paths = [pathlib.Path(p) for p in sys.argv[1:]] or sorted(pathlib.Path(__file__).parent.rglob("*.s"))
    for path in paths:
        lines = [f"# assemble.py with {version}, -triple=amdgcn-amd-amdhsa; names as in {path.name}"]
        named = list(cases(path))
        names = [name for name, _, _ in named]
        for name in names:
            if names.count(name) > 1:
                sys.exit(f"{path}: two cases named {name!r}")
        # Text that is not assembly (".long 0x...") may be used for words no assembler makes.
        words = {}
        for target in dict.fromkeys(t for _, t, _ in named):
            chosen = [(name, body) for name, t, body in named if t == target]
            together = assemble_all([body for _, body in chosen], target, path)
            for n, (name, body) in enumerate(chosen):
                words[name] = together[n] if together else assemble("\n".join(body) + "\n", target, f"{path}: {name}")
        lines += [f"{name}: " + " ".join(f"{w:08x}" for w in words[name]) for name in names]
        path.with_suffix(".hex").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
