#!/usr/bin/env python3
"""Runs the commands of docs/tutorial.md, word for word and in order, in one shell.

    tutorial.py TUTORIAL REPOSITORY BIN_FOLDER

Blocks marked ```sh are commands; all must succeed. "```sh status=N" is one command that must end with N. A block marked
```text shows what the commands before it print: each of its lines must be in that output, blanks and what "..." stands
for aside. The block marked "```sh build" builds the project, which takes longer than everything else: it is left out
and BIN_FOLDER put into PATH in its place, unless KREPLAY_TUTORIAL_BUILD=1.
"""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sh|text)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATUS = re.compile(r"status=(\d+)")


def script_of(blocks, bin_folder, folder):
    """A script that holds the blocks, each with its output in a file of its own."""
    lines = ["set -euo pipefail", "exec 3>&1"]
    for number, (kind, info, text) in enumerate(blocks):
        if kind != "sh":
            continue
        if "build" in info.split() and os.environ.get("KREPLAY_TUTORIAL_BUILD") != "1":
            print("tutorial: the build is not repeated; the commands use " + bin_folder)
            text = f'PATH="{bin_folder}:$PATH"\n'
        output = os.path.join(folder, f"block{number}.out")
        lines += [f"trap 'cat {output} >&3' EXIT", f"exec >{output} 2>&1"]
        status = STATUS.search(info)
        if not status:
            lines.append(text)
            continue
        want = status.group(1)
        lines += ["set +e", text + "got=$?", "set -e",
                  f'[ "$got" -eq {want} ] || {{ echo "block {number}: status $got, want {want}"; exit 1; }}']
    return "\n".join(lines + ["trap - EXIT"]) + "\n"


def missing_lines(shown, output):
    """Lines of a text block that the output does not have."""
    have = [" ".join(line.split()) for line in output.splitlines()]
    missing = []
    for line in shown.splitlines():
        parts = [re.escape(" ".join(part.split())) for part in line.split("...")]
        pattern = re.compile(r"\s*" + r".*".join(parts) + r"\s*$")
        if line.strip() and not any(pattern.match(one) for one in have):
            missing.append(line)
    return missing


def main():
    tutorial, repository, bin_folder = sys.argv[1:]
    blocks = BLOCK.findall(open(tutorial, encoding="utf-8").read())
    if sum(kind == "sh" for kind, _, _ in blocks) < 5:
        sys.exit("FAILED: the tutorial has hardly any commands")
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.mkdir(home)
        script = script_of(blocks, bin_folder, folder)
        environment = dict(os.environ, TMPDIR=folder, HOME=home)
        ended = subprocess.run(["bash", "-c", script], cwd=repository, env=environment, text=True, check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if ended.returncode != 0:
            sys.exit(f"FAILED: status {ended.returncode}\n{ended.stdout}")
        failures = []
        for number, (kind, _, text) in enumerate(blocks):
            if kind != "text":
                continue
            output = open(os.path.join(folder, f"block{number - 1}.out"), encoding="utf-8").read()
            failures += [f"block {number} shows {line!r}, which is not in:\n{output}"
                         for line in missing_lines(text, output)]
    if failures:
        sys.exit("FAILED: " + "\nFAILED: ".join(failures))
    print(f"tutorial: {sum(kind == 'sh' for kind, _, _ in blocks)} blocks of commands ran as shown")


main()
