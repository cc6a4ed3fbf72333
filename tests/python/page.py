#!/usr/bin/env python3
"""Runs docs/python.md word for word, in order: ```sh blocks by the shell, ```python blocks in one Python session.
A ```text block is what the block before it prints, to the letter, trailing blanks aside.

    page.py PAGE REPOSITORY BIN_FOLDER
"""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sh|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(kind, text, session, environment):
    """What the block prints."""
    if kind == "sh":
        return subprocess.run(["bash", "-euo", "pipefail", "-c", text], stdout=subprocess.PIPE, check=True, text=True,
                              env=environment).stdout
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "docs/python.md", "exec"), session)
    return out.getvalue()


def lines(text):
    return [line.rstrip() for line in text.rstrip().splitlines()]


def main():
    page, repository, bin_folder = sys.argv[1:]
    blocks = BLOCK.findall(open(page, encoding="utf-8").read())
    environment = dict(os.environ, PATH=bin_folder + ":" + os.environ["PATH"], SOURCE=repository)
    printed, shown, session = "", 0, {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind, text in blocks:
            if kind != "text":
                printed = run(kind, text, session, environment)
                continue
            shown += 1
            if lines(printed) != lines(text):
                sys.exit(f"FAILED: the page shows\n{text}\nand what is printed is\n{printed}")
        os.chdir("/")
    if shown < 4:
        sys.exit("FAILED: the page shows hardly anything")
    print(f"{len(blocks)} blocks ran as shown")


main()
