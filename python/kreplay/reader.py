"""Lines of result files, checked and numbered."""
import gzip
import json
import os
import zlib
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

SCHEMA = 1
"""The newest schema that is read; so are all before it."""

Path = Union[str, "os.PathLike[str]"]
Record = Dict[str, Any]


class ResultFileError(ValueError):
    """What was given is no result file, or of a schema that is not known."""


def _lines(path: Path, notes: List[str]) -> Iterator[bytes]:
    """The file's lines, decompressed where its content is gzip's, whatever its name."""
    with open(path, "rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        try:
            yield from gzip.GzipFile(fileobj=file) if packed else file
        except EOFError:
            notes.append(f"{path}: its compressed data end early")
        except (zlib.error, gzip.BadGzipFile) as error:
            raise ResultFileError(f"{path}: its compressed data are damaged: {error}") from error


def _record(line: bytes) -> Optional[Record]:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("type"), str) else None


def _check_schema(path: Path, header: Record) -> None:
    schema = header.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise ResultFileError(f"{path}: is not a result file")
    if schema > SCHEMA:
        raise ResultFileError(f"{path}: schema {schema} is not known to this package, which reads up to {SCHEMA}")


_HEADER_BEGIN = b'{"type":"header"'
"""No text within a line can look like it, since its quotes would be escaped."""


def _joined(line: bytes) -> List[bytes]:
    """The parts of a line where files were joined of which some end within a line; each begins with a header but the first."""
    begins = [0]
    while (begin := line.find(_HEADER_BEGIN, begins[-1] + 1)) >= 0:
        begins.append(begin)
    return [line[begin:end] for begin, end in zip(begins, begins[1:] + [len(line)])]


def _parts(lines: Iterator[bytes]) -> Iterator[Tuple[bytes, Optional[Record], bool]]:
    """Every line with its record, and whether it was cut off and another file was joined to it."""
    for line in lines:
        record = _record(line)
        parts = _joined(line) if record is None else [line]
        for number, part in enumerate(parts, 1):
            yield part, _record(part) if record is None else record, number < len(parts)


def records(path: Path, notes: Optional[List[str]] = None) -> Iterator[Record]:
    """Every record of a file in order, each as its line has it; a record begins with its "type".

    A last line that was cut off is left out; so are lines that make no sense, which `notes` gets a sentence on. Where files
    were joined of which one ends within a line, the header in the same line begins the next process.
    Raises ResultFileError when the file is empty, not a result file or of a newer schema, OSError when it cannot be read.
    """
    said: List[str] = [] if notes is None else notes
    empty, header_seen, unreadable = True, False, 0
    for line, record, joined in _parts(_lines(path, said)):
        empty = False
        torn_header = record is None and line.startswith(_HEADER_BEGIN)
        if not header_seen and not torn_header and (record is None or record["type"] != "header"):
            raise ResultFileError(f"{path}: is not a result file")
        if record is None:
            if torn_header and joined:
                said.append(f"{path}: holds a process of which not even the first line is whole")
            else:
                unreadable += line.endswith(b"\n")
            continue
        if record["type"] == "header":
            _check_schema(path, record)
            header_seen = True
        yield record
    if empty:
        raise ResultFileError(f"{path}: is empty; the process recorded nothing")
    if not header_seen:
        raise ResultFileError(f"{path}: ends within its first line; nothing that it recorded is left")
    if unreadable:
        said.append(f"{path}: {unreadable} line{'s' * (unreadable != 1)} could not be understood")
