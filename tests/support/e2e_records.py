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
        if self.trailer is None:
            if needs_trailer:
                complaints.append("outcome records: no trailer line")
            return complaints
        sums = collections.Counter(record.outcome for record in self.records)
        totals = self.trailer.get("outcomes", {})
        for outcome in set(sums) | set(totals):
            if sums.get(outcome, 0) != totals.get(outcome, 0):
                complaints.append(f"outcome records: {sums.get(outcome, 0)} lines with {outcome}, "
                                  f"the trailer says {totals.get(outcome, 0)}")
        return complaints


def load(path):
    """@return a Run. Raises Malformed for a line that is no JSON object or has no known type."""
    run = Run()
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            try:
                line = json.loads(text)
                kind = line["type"]
            except (ValueError, KeyError, TypeError) as error:
                raise Malformed(f"line {number}: {error}") from error
            if kind == "header":
                run.header = line
            elif kind == "kernel":
                run.kernels[line["kernel_id"]] = line
            elif kind == "dispatch":
                kernel = run.kernels.get(line.get("kernel_id"), {})
                name = kernel.get("demangled") or kernel.get("symbol") or ""
                run.records.append(Record(name, line["outcome"], line.get("reason", ""), len(line.get("passes", [])), line))
            elif kind == "trailer":
                run.trailer = line
            else:
                raise Malformed(f"line {number}: unknown type {kind!r}")
    return run


def difference(left, right, left_name, right_name, limit=20):
    """The first lines of a unified diff, indented."""
    lines = list(difflib.unified_diff(left.splitlines(), right.splitlines(), left_name, right_name, lineterm="", n=1))
    return "\n".join("    " + line for line in lines[:limit])
