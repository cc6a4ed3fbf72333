"""Result files as tables: one row per process, kernel, dispatch or pass, one column per variable."""
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from kreplay.reader import Path, Record, records

if TYPE_CHECKING:
    import pandas

Row = Dict[str, Any]

# Members of the lines that become columns of their own, by kind of table. Absent ones become missing values.
_PROCESS = ("schema", "producer", "host", "pid", "rank", "program", "start", "start_unix_ns", "tool", "machine_key")
_DISPATCH = ("launch", "agent", "queue", "thread", "correlation", "lds_bytes", "outcome", "reason", "detail", "tier",
             "cache", "passes_requested", "passes_run", "warmup", "passes_end", "relative_error_ppm", "extents",
             "bytes_saved", "bytes_restored", "bytes_link", "save_ns", "restore_ns", "window_ns", "unverified_bytes", "launch_site")
_TEXTS = frozenset({"file", "producer", "host", "program", "start", "tool", "machine_key", "options", "machine", "kernel",
                    "symbol", "grid", "workgroup", "outcome", "reason", "detail", "tier", "cache", "passes_end",
                    "launch_site", "code_hash", "code_object_hash"})
_FLAGS = frozenset({"complete", "warmup_pass", "counted"})
_SIGNED = frozenset({"duration_ns"})
_KERNEL_NO_FACTS = frozenset({"type", "id", "symbol", "name"})


def _dimensions(sizes: Any) -> Optional[str]:
    """"1024x1x1", as the command prints it."""
    return "x".join(str(size) for size in sizes) if isinstance(sizes, list) else None


def _integers(values: List[Optional[int]], kind: str) -> Any:
    """A column of integers with missing values, none of which goes through a double on its way."""
    import numpy
    import pandas

    mask = numpy.array([value is None for value in values], dtype=bool)
    return pandas.arrays.IntegerArray(numpy.array([value or 0 for value in values], dtype=kind), mask)


def _frame(rows: List[Row], columns: List[str]) -> "pandas.DataFrame":
    import pandas

    series = {}
    for name in columns:
        values = [row.get(name) for row in rows]
        if name in _TEXTS or any(isinstance(value, str) for value in values):
            series[name] = pandas.array(values, dtype="string")
        elif name in _FLAGS:
            series[name] = pandas.array(values, dtype="boolean")
        else:  # numbers are unsigned and may need all 64 bits
            series[name] = _integers(values, "int64" if name in _SIGNED else "uint64")
    return pandas.DataFrame(series, columns=columns)


class Results:
    """What some result files hold. Rows refer to their process by `process`, its number from 0 over all files."""

    def __init__(self) -> None:
        self.process_rows: List[Row] = []
        self.kernel_rows: List[Row] = []
        self.dispatch_rows: List[Row] = []
        self.pass_rows: List[Row] = []
        self.skipped_rows: List[Row] = []
        self.notes: List[str] = []
        """Sentences on what is odd: cut off, unreadable, impossible."""

    def add(self, path: Path) -> None:
        """Adds a file. Raises as kreplay.records() does; what was read before stays."""
        kernels: Dict[int, str] = {}
        impossible = 0
        for record in records(path, self.notes):
            kind = record["type"]
            if kind == "header":
                kernels = {}
                self._header(str(path), record)
            elif kind == "kernel":
                kernels[record["id"]] = record["name"]
                self._kernel(record)
            elif kind == "dispatch":
                impossible += self._dispatch(record, kernels)
            elif kind == "trailer":
                self._trailer(record)
        for row in self.process_rows:
            if row["file"] == str(path) and not row["complete"]:
                self.notes.append(f"{path}: process {row['pid']} on {row['host']} has no trailer, so it is cut off")
        if impossible:
            self.notes.append(f"{path}: passes that end before they start: {impossible}; counted is False for them")

    def _header(self, path: str, record: Record) -> None:
        row: Row = {"process": len(self.process_rows), "file": path, "complete": False}
        row.update((name, record.get(name)) for name in _PROCESS)
        for name in ("options", "machine"):
            row[name] = "; ".join(f"{key}={value}" for key, value in sorted(record.get(name, {}).items()))
        self.process_rows.append(row)

    def _kernel(self, record: Record) -> None:
        row: Row = {"process": len(self.process_rows) - 1, "number": record["id"], "kernel": record["name"],
                    "symbol": record.get("symbol")}
        row.update((name, value) for name, value in record.items()
                   if name not in _KERNEL_NO_FACTS and isinstance(value, (str, int)))
        self.kernel_rows.append(row)

    def _dispatch(self, record: Record, kernels: Dict[int, str]) -> int:
        """Returns how many passes end before they start."""
        kernel = record.get("kernel")
        shared: Row = {"process": len(self.process_rows) - 1, "dispatch": record["id"],
                       "kernel": None if kernel is None else kernels.get(kernel), "launch": record.get("launch"),
                       "grid": _dimensions(record.get("grid")), "workgroup": _dimensions(record.get("workgroup"))}
        row = dict(shared)
        row.update((name, record.get(name)) for name in _DISPATCH)
        row["warmup"] = record.get("warmup", 0)
        self.dispatch_rows.append(row)
        timed = record.get("outcome") in ("replayed", "stopped")
        impossible = 0
        for number, (start, end, *_) in enumerate(record.get("passes", []), 1):
            warmup = number <= row["warmup"]
            impossible += timed and not warmup and end < start
            self.pass_rows.append(dict(shared, outcome=record.get("outcome"), **{"pass": number}, start_ns=start, end_ns=end,
                                       duration_ns=end - start, warmup_pass=warmup,
                                       counted=timed and not warmup and end >= start))
        return impossible

    def _trailer(self, record: Record) -> None:
        process = self.process_rows[-1]
        process.update(complete=True, end_unix_ns=record.get("end_unix_ns"), lines_lost=record.get("lines_lost"))
        for reason, launches in record.get("skipped", {}).items():
            self.skipped_rows.append({"process": process["process"], "reason": reason, "launches": launches})

    def processes(self) -> "pandas.DataFrame":
        """A row per process: its header, whether it is complete, options and machine as "name=value; ..."."""
        return _frame(self.process_rows,
                      ["process", "file", "complete", *_PROCESS, "options", "machine", "end_unix_ns", "lines_lost"])

    def kernels(self) -> "pandas.DataFrame":
        """A row per kernel line: process, number, kernel, symbol, then what the code object says of the code."""
        facts: Dict[str, None] = {}
        for row in self.kernel_rows:
            facts.update(dict.fromkeys(row))
        return _frame(self.kernel_rows, list(dict.fromkeys(["process", "number", "kernel", "symbol", *facts])))

    def dispatches(self) -> "pandas.DataFrame":
        """A row per dispatch: process, dispatch, kernel, launch, grid, workgroup, then the members of its line."""
        return _frame(self.dispatch_rows, list(dict.fromkeys(
            ["process", "dispatch", "kernel", "launch", "grid", "workgroup", *_DISPATCH])))

    def passes(self) -> "pandas.DataFrame":
        """A row per pass, never summed or merged, numbered from 1.

        `counted` is what the command's figures are made of: no warm-up, of a dispatch that was replayed or stopped, and
        not impossible (end before start).
        """
        return _frame(self.pass_rows, ["process", "dispatch", "kernel", "launch", "grid", "workgroup", "outcome", "pass",
                                       "warmup_pass", "counted", "start_ns", "end_ns", "duration_ns"])

    def skipped(self) -> "pandas.DataFrame":
        """Launches that were no candidates: process, reason, launches."""
        return _frame(self.skipped_rows, ["process", "reason", "launches"])


def read(*paths: Path) -> Results:
    """Reads result files, plain or compressed with gzip. Raises ResultFileError or OSError."""
    results = Results()
    for path in paths:
        results.add(path)
    return results
