"""Lines of result files, checked and numbered."""
import gzip
import json
import os
import zlib
from typing import Any, Dict, Iterator, List, Optional, Union

SCHEMA = 1
"""The newest schema that is read; so are all before it."""

# No text within a line can look like it, since its quotes would be escaped.
_HEADER = b'{"type":"header"'

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


def _parts(line: bytes) -> Iterator[bytes]:
    """The line, or the lines it is made of where files were joined of which some end within a line."""
    begin = 0
    while (end := line.find(_HEADER, begin + 1)) >= 0 and _record(line[begin:]) is None:
        yield line[begin:end]
        begin = end
    yield line[begin:]


def _check_schema(path: Path, header: Record) -> None:
    schema = header.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise ResultFileError(f"{path}: is not a result file")
    if schema > SCHEMA:
        raise ResultFileError(f"{path}: schema {schema} is not known to this package, which reads up to {SCHEMA}")


def records(path: Path, notes: Optional[List[str]] = None) -> Iterator[Record]:
    """Every record of a file in order, each as its line has it; a record begins with its "type".

    A last line that was cut off is left out; so are lines that make no sense, which `notes` gets a sentence on.
    Raises ResultFileError when the file is empty, not a result file or of a newer schema, OSError when it cannot be read.
    """
    said: List[str] = [] if notes is None else notes
    any_line, first, unreadable = False, True, 0
    for part in (part for line in _lines(path, said) for part in _parts(line)):
        any_line = True
        record = _record(part)
        if record is None and part.startswith(_HEADER):
            said.append(f"{path}: holds a process of which not even the first line is whole")
            continue
        if first and (record is None or record["type"] != "header"):
            raise ResultFileError(f"{path}: is not a result file")
        first = False
        if record is None:
            unreadable += part.endswith(b"\n")
            continue
        if record["type"] == "header":
            _check_schema(path, record)
        yield record
    if not any_line:
        raise ResultFileError(f"{path}: is empty; the process recorded nothing")
    if first:
        raise ResultFileError(f"{path}: ends within its first line; nothing that it recorded is left")
    if unreadable:
        said.append(f"{path}: {unreadable} line{'s' * (unreadable != 1)} could not be understood")
