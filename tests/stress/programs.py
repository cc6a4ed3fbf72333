"""scripts/stress --programs: random HIP programs, each run plain, idle and replayed."""

import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys

import e2e_records

MODES = ("plain", "idle", "replayed")
LIMIT = 180  # seconds of a run that takes one


class Program:
    """What a seed decides, apart from what the program itself makes of it."""

    def __init__(self, seed, gpus, threads, passes):
        chosen = random.Random(seed)
        draws = {name: chosen.choice(values) for name, values in (
            ("gpus", (1, 2, 2, 3, 4)), ("threads", (1, 2, 4, 8)), ("passes", (2, 3, 5)), ("sdma", (0, 1)), ("direct", (0, 1)))}
        self.seed = seed
        self.gpus = gpus or draws["gpus"]
        self.threads = threads or draws["threads"]
        self.passes = passes or draws["passes"]
        # With direct dispatch HIP 5.2 lets a thread go before a copy to pinned memory that another one waits for has
        # ended, so several threads never have it.
        direct = draws["direct"] if self.threads == 1 else 0
        self.settings = {"KREPLAY_SOFTGPU_GPUS": str(self.gpus), "HSA_ENABLE_SDMA": str(draws["sdma"]),
                         "AMD_DIRECT_DISPATCH": str(direct)}

    def environment(self, mode, records):
        if mode == "plain":
            return self.settings
        shimmed = {**self.settings, "KREPLAY_QUIET": "1", "KREPLAY_OUTPUT": records}
        if mode == "idle":
            return {**shimmed, "KREPLAY_KERNELS": "^nothing$"}
        return {**shimmed, "KREPLAY_PASSES": str(self.passes)}


class Programs:
    """Runs programs and counts what fails.

    plain, shimmed  libraries to preload without and with libkreplay
    work            folder for records and for the output of what failed
    """

    def __init__(self, build, plain, shimmed, work):
        self.program = os.path.join(build, "bin", "stress_program")
        self.plain, self.shimmed, self.work = plain, shimmed, work
        self.failed = collections.Counter()
        self.outcomes = collections.Counter()

    def run(self, program, mode):
        """@return (last line of the output, complaints)"""
        name = os.path.join(self.work, f"{program.seed}.{mode}")
        added = program.environment(mode, name + ".jsonl")
        added["LD_PRELOAD"] = ":".join(self.plain if mode == "plain" else self.shimmed)
        command = [self.program, "--seed", str(program.seed), "--threads", str(program.threads)]
        environment = {k: v for k, v in os.environ.items() if not re.match(r"KREPLAY_|LD_PRELOAD$|ROCP_TOOL|HSA_|AMD_", k)}
        with open(name + ".log", "w+", encoding="utf-8", errors="replace") as log:
            try:
                done = subprocess.run(command, env={**environment, **added}, stdout=log, stderr=subprocess.STDOUT,
                                      timeout=LIMIT, check=False)
                complaints = [f"ended with {done.returncode}"] if done.returncode != 0 else []
            except subprocess.TimeoutExpired:
                complaints = [f"did not end within {LIMIT} s"]
            log.seek(0)
            lines = log.read().splitlines()
        if mode != "plain" and not complaints:
            complaints += self.look_at_records(mode, name + ".jsonl")
        if complaints:
            complaints += [line[:240] for line in lines if line.startswith(("wrong:", "error"))][:2]
            words = " ".join(f"{k}={v}" for k, v in added.items()) + " " + " ".join(command)
            print(f"{mode} {program.seed}: " + "\n    ".join(complaints) + f"\n    {name}.log: env {words}", flush=True)
        else:
            os.remove(name + ".log")
        if os.path.exists(name + ".jsonl") and not complaints:
            os.remove(name + ".jsonl")
        return lines[-1] if lines else "", complaints

    def look_at_records(self, mode, path):
        """@return complaints"""
        try:
            found = e2e_records.load(path)
        except (OSError, e2e_records.Malformed) as error:
            return [f"outcome records: {error}"]
        for record in found.records:
            self.outcomes[f"{record.outcome}({record.reason})" if record.outcome != "replayed" else "replayed"] += mode == "replayed"
        complaints = found.inconsistencies(needs_trailer=True)
        if mode == "idle" and any(record.outcome == "replayed" for record in found.records):
            complaints.append("something was replayed though nothing is selected")
        return complaints

    def all_modes(self, program):
        said = {}
        for mode in MODES:
            said[mode], complaints = self.run(program, mode)
            if not complaints and said[mode] != said["plain"]:
                complaints = [f"says '{said[mode]}', plain '{said['plain']}'"]
                print(f"{mode} {program.seed}: {complaints[0]}", flush=True)
            self.failed[mode] += bool(complaints)
            if complaints and mode == "plain":
                break  # nothing to compare with


def check(programs, seeds, jobs, gpus, threads, passes):
    """Runs the program of every seed in every mode. @return complaints"""
    if not os.path.exists(programs.program):
        return [f"{programs.program} is not there: build the target stress_program"]
    made = [Program(seed, gpus, threads, passes) for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(programs.all_modes, made))
    counts = ", ".join(f"{programs.failed[mode]} failed {mode}" for mode in MODES)
    print(f"{len(made)} programs, seeds {seeds[0]} to {seeds[-1]}: {counts}")
    print("replayed runs: " + ", ".join(f"{number} {what}" for what, number in sorted(programs.outcomes.items()) if number))
    sys.stdout.flush()
    complaints = [f"{number} of {len(made)} programs failed {mode}" for mode, number in programs.failed.items() if number]
    if not programs.outcomes["replayed"]:
        complaints.append("nothing was replayed")
    return complaints
