"""Reads a file of outcome records (JSON Lines; docs/results.md has the schema) for the tests."""

import collections
import difflib
import json
import re

Record = collections.namedtuple("Record", "kernel outcome reason passes_run line")


class Malformed(Exception):
    """The file is not what the schema says."""


class Run:
    """One process' records.

    records  list of Record, in file order
    header, trailer  dict or None
    """

    def __init__(self):
        self.header = None
        self.trailer = None
        self.records = []
        self.kernels = {}

    def named(self, pattern):
        return [record for record in self.records if re.search(pattern, record.kernel)]

    def kernel_names(self):
        return sorted({record.kernel for record in self.records})

    @staticmethod
    def describe(records):
        counts = collections.Counter(f"{r.outcome}({r.reason})" if r.reason not in ("", "none") else r.outcome for r in records)
        return ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))

    def inconsistencies(self, needs_trailer):
        """@return complaints: a missing header or trailer, totals that are not the sum of the records."""
        complaints = []
        if self.header is None:
            complaints.append("outcome records: no header line")
        # What tells dispatches apart is in the line, never a time or its place in the file (C70).
        for what, members in (("id", ("id",)), ("kernel, agent and launch", ("kernel", "agent", "launch"))):
            keys = collections.Counter(tuple(r.line[m] for m in members) for r in self.records if r.line["kernel"] is not None)
            twice = [key for key, number in keys.items() if number > 1]
            if twice:
                complaints.append(f"outcome records: {len(twice)} times the same {what}, first {twice[0]}")
        # Where memory was saved is also how its bytes went.
        for record in self.records:
            moved, link = (record.line["bytes_saved"] + record.line["bytes_restored"], record.line["bytes_link"])
            right = {"": moved == 0, "T1": link == 0, "T3": link == moved, "T1+T3": 0 < link < moved}
            if not right.get(record.line["tier"], False):
                complaints.append(f"outcome records: tier {record.line['tier']!r}, {moved} bytes moved, {link} of them over the link")
                break
        if self.trailer is None:
            if needs_trailer:
                complaints.append("outcome records: no trailer line")
            return complaints
        sums = {
            "dispatches": len(self.records),
            "outcomes": collections.Counter(record.outcome for record in self.records),
            "declined": collections.Counter(r.reason for r in self.records if r.outcome == "declined"),
            "stopped": collections.Counter(r.reason for r in self.records if r.outcome == "stopped"),
            "lines_lost": 0,
        }
        for field in ("passes_run", "bytes_saved", "bytes_restored", "bytes_link", "save_ns", "restore_ns", "window_ns"):
            sums[field] = sum(record.line[field] for record in self.records)
        for field, value in sums.items():
            said = self.trailer[field]
            if isinstance(value, collections.Counter):
                said = collections.Counter({name: number for name, number in said.items() if number})
            if said != value:
                complaints.append(f"outcome records: the lines sum up to {field} {value}, the trailer says {said}")
        return complaints


def load(path):
    """@return a Run. Raises Malformed for a line that is no JSON object or has no known type."""
    run = Run()
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if run.trailer is not None:
                raise Malformed(f"line {number}: a line after the trailer")
            try:
                line = json.loads(text)
                kind = line["type"]
            except (ValueError, KeyError, TypeError) as error:
                raise Malformed(f"line {number}: {error}") from error
            if kind == "header":
                run.header = line
            elif kind == "kernel":
                run.kernels[line["id"]] = line["name"]
            elif kind == "dispatch":
                if line["kernel"] is not None and line["kernel"] not in run.kernels:
                    raise Malformed(f"line {number}: kernel {line['kernel']} has no line before")
                if line["outcome"] == "replayed" and len(line["passes"]) != line["passes_run"]:
                    raise Malformed(f"line {number}: {len(line['passes'])} pass times, passes_run {line['passes_run']}")
                run.records.append(Record(run.kernels.get(line["kernel"], ""), line["outcome"], line["reason"],
                                          line["passes_run"], line))
            elif kind == "trailer":
                run.trailer = line
            else:
                raise Malformed(f"line {number}: unknown type {kind!r}")
    return run


def difference(left, right, left_name, right_name, limit=20):
    """The first lines of a unified diff, indented."""
    lines = list(difflib.unified_diff(left.splitlines(), right.splitlines(), left_name, right_name, lineterm="", n=1))
    return "\n".join("    " + line for line in lines[:limit])
