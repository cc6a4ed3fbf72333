#!/usr/bin/env python3
"""The Python reader against the command, which reads the same files with other code, and against files by hand.

    reader_test.py KREPLAY GOLDEN_FOLDER RECORDED_FILE
"""
import csv
import glob
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

import kreplay

KREPLAY, GOLDEN, RECORDED = sys.argv[1:4]


def command(*words):
    """What the command prints."""
    return subprocess.run([KREPLAY, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout


def files():
    """A file of every released schema, and one that was recorded."""
    golden = sorted(glob.glob(os.path.join(GOLDEN, "results-*.jsonl")))
    assert golden, "no golden files"
    return [*golden, RECORDED]


def text(value):
    return "" if value is None or str(value) in ("<NA>", "nan") else str(value)


class AgainstTheCommand(unittest.TestCase):
    def test_passes_and_dispatches_are_those_of_csv(self):
        for path in files():
            with self.subTest(path):
                rows = list(csv.DictReader(io.StringIO(command("report", "--format", "csv", path))))
                run = kreplay.read(path)
                passes = run.passes()
                timed = [row for row in rows if row["pass"]]
                self.assertEqual(len(passes), len(timed))
                for ours, theirs in zip(passes.itertuples(index=False), timed):
                    for name in ("dispatch", "launch", "grid", "workgroup", "outcome", "start_ns", "end_ns", "duration_ns"):
                        self.assertEqual(text(getattr(ours, name)), theirs[name], name)
                    self.assertEqual(text(ours.kernel), theirs["kernel"])
                    self.assertEqual(int(ours.warmup_pass), int(theirs["warmup"]))
                by_number = {row["dispatch"]: row for row in rows}
                dispatches = run.dispatches()
                self.assertEqual({str(number) for number in dispatches["dispatch"]}, set(by_number))
                for row in dispatches.to_dict("records"):
                    theirs = by_number[str(row["dispatch"])]
                    for name in ("outcome", "reason", "tier", "cache", "passes_end", "relative_error_ppm", "lds_bytes",
                                 "bytes_saved", "bytes_restored", "save_ns", "restore_ns", "window_ns", "queue", "thread"):
                        self.assertEqual(text(row[name]), theirs[name], name)

    def test_facts_are_those_of_csv(self):
        seen = set()
        for path in files():
            with self.subTest(path):
                theirs = {row["kernel"]: row for row in csv.DictReader(io.StringIO(command("report", "--format", "csv", path)))}
                kernels = kreplay.read(path).kernels()
                facts = [name for name in kernels.columns if name not in ("process", "number", "kernel", "symbol")]
                seen.update(facts)
                for row in kernels.to_dict("records"):
                    if row["kernel"] in theirs:
                        for name in facts:
                            self.assertEqual(text(row[name]), theirs[row["kernel"]]["kernel_" + name], name)
        self.assertEqual(len(seen), 11)

    def test_medians_are_those_of_the_report(self):
        for path in files():
            with self.subTest(path):
                report = json.loads(command("report", "--format", "json", path))
                want = {kernel["name"]: kernel["pass_ns"] for kernel in report["kernels"] if kernel["pass_ns"]}
                passes = kreplay.read(path).passes()
                ours = passes[passes["counted"]].groupby("kernel")["duration_ns"]
                self.assertEqual(set(ours.groups), set(want))
                for name, times in ours:
                    self.assertEqual(len(times), want[name]["passes"])
                    if len(times) <= 256:
                        self.assertAlmostEqual(float(times.median()), want[name]["median"])


class ByHand(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(GOLDEN, "results-1.jsonl"), "rb") as golden:
            self.golden = golden.read()

    def file(self, content, name="run.jsonl"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def test_numbers_keep_all_their_digits(self):
        number = 2**64 - 1
        line = self.golden.replace(b'"correlation":17', b'"correlation":%d' % number)
        self.assertEqual(int(kreplay.read(self.file(line)).dispatches()["correlation"][0]), number)
        self.assertEqual(int(kreplay.read(self.file(self.golden)).processes()["start_unix_ns"][0]), 1700000000123456789)

    def test_gzip_by_content(self):
        plain = kreplay.read(self.file(self.golden)).passes()
        packed = kreplay.read(self.file(gzip.compress(self.golden), "odd-name")).passes()
        self.assertTrue(plain.equals(packed))
        cut = gzip.compress(os.urandom(1) + b"")  # not a result file, though compressed
        with self.assertRaisesRegex(kreplay.ResultFileError, "is not a result file"):
            kreplay.read(self.file(cut))
        half = kreplay.read(self.file(gzip.compress(self.golden * 50)[:-200]))
        self.assertIn("compressed data end early", half.notes[0])
        broken = bytearray(gzip.compress(self.golden * 50))
        broken[len(broken) // 2:len(broken) // 2 + 40] = b"\x55" * 40
        with self.assertRaisesRegex(kreplay.ResultFileError, "damaged"):
            kreplay.read(self.file(bytes(broken)))

    def test_cut_off_and_damaged(self):
        for length in range(self.golden.index(b"\n") + 1, len(self.golden) - 1, 97):
            run = kreplay.read(self.file(self.golden[:length]))
            self.assertFalse(run.processes()["complete"][0])
            self.assertIn("cut off", run.notes[-1])
        run = kreplay.read(self.file(self.golden.replace(b'{"type":"trailer"', b'garbage\n{"type":"later"}\n{"type":"trailer"')))
        self.assertEqual(run.notes, [run.notes[0]])
        self.assertIn("1 line could not be understood", run.notes[0])
        self.assertEqual(len(run.dispatches()), 3)

    def test_files_joined_after_a_line_that_was_cut_off(self):
        header = self.golden.index(b"\n")
        for cut in range(20, len(self.golden)):
            with self.subTest(cut):
                first = self.golden[:cut]
                run = kreplay.read(self.file(first + first + self.golden))
                headless = cut < header  # of the first two nothing is known but that they began
                trailer = cut == len(self.golden) - 1
                self.assertEqual([row["complete"] for row in run.process_rows], [True] if headless else [trailer, trailer, True])
                self.assertEqual(len(run.notes), 0 if trailer else 2)
                self.assertEqual(sum(row["process"] == len(run.process_rows) - 1 for row in run.dispatch_rows), 3)
                if headless:
                    at_end = kreplay.read(self.file(self.golden + first))
                    self.assertEqual(len(at_end.process_rows), 1)
                    self.assertIn("not even the first line is whole", at_end.notes[0])
                    with self.assertRaisesRegex(kreplay.ResultFileError, "ends within its first line"):
                        kreplay.read(self.file(first))
                if cut % 131 == 0:
                    path = self.file(first + first + self.golden)
                    theirs = json.loads(command("report", "--format", "json", path))
                    self.assertEqual([process["complete"] for process in theirs["processes"]],
                                     [row["complete"] for row in run.process_rows])
                    self.assertEqual([process["dispatches"] for process in theirs["processes"]],
                                     [sum(row["process"] == number for row in run.dispatch_rows)
                                      for number in range(len(run.process_rows))])

    def test_what_is_no_result_file(self):
        for content, why in ((b"", "is empty"), (b"hello\n", "is not a result file"), (b"[1]\n", "is not a result file"),
                             (b'{"type":"header"}\n', "is not a result file"),
                             (b'{"type":"header","schema":999}\n', "schema 999 is not known")):
            with self.subTest(content), self.assertRaisesRegex(kreplay.ResultFileError, why):
                kreplay.read(self.file(content))
        with self.assertRaises(FileNotFoundError):
            kreplay.read(os.path.join(self.folder.name, "absent"))

    def test_impossible_and_warm_up_passes_do_not_count(self):
        line = self.golden.replace(b"[20000,32100]", b"[32100,20000]").replace(b'"warmup":0', b'"warmup":1', 1)
        run = kreplay.read(self.file(line))
        self.assertEqual([bool(counted) for counted in run.passes()["counted"]], [False, False, True])
        self.assertEqual([int(ns) for ns in run.passes()["duration_ns"]], [12300, -12100, 12900])
        self.assertIn("end before they start: 1", run.notes[0])

    def test_several_files_and_processes_stay_apart(self):
        run = kreplay.read(self.file(self.golden + self.golden, "a"), self.file(self.golden, "b"))
        self.assertEqual(list(run.processes()["process"]), [0, 1, 2])
        self.assertEqual(len(run.passes()), 9)
        self.assertEqual(run.passes().groupby("process")["duration_ns"].count().to_dict(), {0: 3, 1: 3, 2: 3})
        self.assertEqual(list(run.skipped()["launches"]), [4, 4, 4])

    def test_without_pandas(self):
        hidden = "import sys; sys.modules['pandas'] = None; import kreplay; print(len(kreplay.read(sys.argv[1]).pass_rows))"
        path = self.file(self.golden)
        ended = subprocess.run([sys.executable, "-c", hidden, path], stdout=subprocess.PIPE, check=True, text=True)
        self.assertEqual(ended.stdout, "3\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
