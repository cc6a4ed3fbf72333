#!/usr/bin/env python3
"""A kernel whose inner loop grows by 10 % is a regression of that size; the others of the program are not.

    inner_loop.py KREPLAY PROGRAM PROGRAM_WITH_THE_LONGER_LOOP
"""
import json
import os
import subprocess
import sys
import tempfile


def run(words, want):
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode != want:
        sys.exit(f"FAILED: {' '.join(words)}: status {ended.returncode}, want {want}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def main():
    kreplay, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        results = [os.path.join(folder, name) for name in ("base.jsonl", "again.jsonl", "new.jsonl")]
        for program, result in zip([programs[0], programs[0], programs[1]], results):
            run([kreplay, "run", "--device", "soft", "--passes", "3", "--quiet", "-o", result, "--", program], 0)
        base, again, new = results
        limits = ["--format", "json", "--min-effect", "0"]
        same = json.loads(run([kreplay, "compare", *limits, "--fail-over", "0", base, again], 0))
        changed = json.loads(run([kreplay, "compare", *limits, base, new], 1))
    failures = []
    if {row["ratio"] for row in same["rows"]} != {1.0} or same["facts"]:
        failures.append(f"two runs of one program differ: {same}")
    rows = {row["kernel"].split("(")[0]: row for row in changed["rows"]}
    if set(rows) != {"grown", "unchanged_loop", "unchanged_copy"}:
        failures.append(f"kernels: {sorted(rows)}")
    grown = rows["grown"]
    if grown["verdict"] != "regression" or not 1.09 < grown["ratio"] < 1.11:
        failures.append(f"the loop grew by 10 %: {grown}")
    for name in ("unchanged_loop", "unchanged_copy"):
        if rows[name]["verdict"] != "ok" or rows[name]["ratio"] != 1:
            failures.append(f"nothing changed in {name}: {rows[name]}")
    hashes = {fact["kernel"].split("(")[0] for fact in changed["facts"] if fact["name"] == "code_hash"}
    if changed["facts"] and hashes != {"grown"}:
        failures.append(f"the code of one kernel changed: {changed['facts']}")
    if failures:
        sys.exit("FAILED: " + "\nFAILED: ".join(failures))
    print(f"grown: {grown['ratio']:.4f}; the others: 1")


main()
