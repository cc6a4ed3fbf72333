"""Reads the result files of libkreplay (docs/results.md) into tidy tables.

    import kreplay
    run = kreplay.read("run.jsonl")
    run.passes().query("counted").groupby("kernel").duration_ns.median()

Pure Python. Only the methods that return frames need pandas; records() and the lists of rows do not.
"""
from kreplay.reader import SCHEMA, ResultFileError, records
from kreplay.results import Results, read

__all__ = ["SCHEMA", "ResultFileError", "Results", "read", "records"]
__version__ = "0.1.0"
