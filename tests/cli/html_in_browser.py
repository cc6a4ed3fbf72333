#!/usr/bin/env python3
"""The pages in a real headless browser, wide and as narrow as a telephone: they draw every plot, sort and filter by
keyboard, name their pictures, keep within the screen, and ask for nothing.

    html_in_browser.py KREPLAY GOLDEN_RESULT_FILE [BROWSER]
"""
import json
import html
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SKIPPED = 77
# Put behind the page's own script; what it finds out becomes text of the page.
PROBE = """
<script>
const box = node => node.getBoundingClientRect();
const outside = svg => [...svg.querySelectorAll("text")].filter(text =>
  box(text).left < box(svg).left - 1 || box(text).right > box(svg).right + 1).map(text => text.textContent);
const table = document.querySelector("table");
const button = name => [...table.querySelectorAll("th button")].find(one => one.textContent === name);
const column = name => button(name).closest("th").cellIndex;
const order = () => [...table.tBodies[0].rows].map(row => Number(row.cells[column(SORTED)].dataset.value));
// As a keyboard does it: a button that has the focus is pressed.
const press = name => { button(name).focus(); document.activeElement.click(); return order(); };
const down = press(SORTED), up = press(SORTED);
const input = document.querySelector("input[type=search]");
const shown = () => [...table.tBodies[0].rows].filter(row => row.offsetParent !== null).length;
const all = shown();
input.value = "kernel_5 float"; input.dispatchEvent(new Event("input"));
const filtered = shown(), said = document.querySelector("output").textContent;
input.value = ""; input.dispatchEvent(new Event("input"));
const found = {
  ready: document.documentElement.dataset.ready, down, up, all, filtered, said,
  figures: [...document.querySelectorAll("figure")].map(figure => ({
    kind: figure.className, name: figure.querySelector("svg").getAttribute("aria-label"),
    role: figure.querySelector("svg").getAttribute("role"),
    width: box(figure.querySelector("svg")).width, height: box(figure.querySelector("svg")).height,
    text: Math.min(...[...figure.querySelectorAll("text")].map(text => box(text).height)),
    marks: figure.querySelectorAll("rect, circle, polygon").length, tips: figure.querySelectorAll("title").length,
    outside: outside(figure.querySelector("svg"))})),
  unnamed: [...document.querySelectorAll("table, .scroll")].filter(node => !node.getAttribute("aria-label")).length,
  heads: [...document.querySelectorAll("th")].filter(head => !head.querySelector("button")).length,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth, screen: innerWidth,
  requests: performance.getEntriesByType("resource").map(entry => entry.name), errors: window.probeErrors};
const out = document.createElement("pre");
out.id = "probe";
out.textContent = JSON.stringify(found);
document.body.append(out);
</script>
"""
ERRORS = '<script>window.probeErrors = []; onerror = text => probeErrors.push(text);</script>'


def write_sample(golden, path, slower=1.0, start_s=0):
    """A result file of seven kernels: some noise, a drift, a very long name, one that is never replayed. The fifth takes
    `slower` times as long."""
    header, *_ = lines = [json.loads(line) for line in open(golden, encoding="utf-8")]
    of_type = {line["type"]: line for line in reversed(lines)}
    replayed = next(line for line in lines if line.get("outcome") == "replayed")
    declined = next(line for line in lines if line.get("outcome") == "declined")
    out, number = [dict(header, start_unix_ns=header["start_unix_ns"] + start_s * 10**9)], 0
    for kernel in range(1, 8):
        name = f"void kernel_{kernel}<float, {'very_long_template_argument, ' * 4 * (kernel % 2)}4>(float*, int)"
        out.append(dict(of_type["kernel"], id=kernel, name=name))
        for launch in range(1, 41):
            number += 1
            base = int((1000 * kernel ** 3 + 7 * launch * kernel) * (slower if kernel == 5 else 1))
            passes = [[0, base + (launch * 37 + place * 101) % (base // 20)] for place in range(5)]
            record = dict(replayed, id=number, kernel=kernel, launch=launch, passes=passes, passes_run=5,
                          bytes_saved=kernel << 20, bytes_restored=kernel << 22)
            out.append(record if kernel < 7 else dict(declined, id=number, kernel=kernel))
    out.append(of_type["trailer"])
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in out)


def browser_of(arguments):
    for name in [*arguments, "chromium-headless-shell", "chromium"]:
        path = shutil.which(name)
        if path:
            return path
    print("skipped: no headless browser; scripts/setup --tests installs chromium-headless-shell")
    sys.exit(SKIPPED)


def visit(browser, page, width, *options):
    """What the browser prints. Names of hosts resolve to nothing, so what the page would load would be missing."""
    with tempfile.TemporaryDirectory() as profile:
        words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND",
                 f"--user-data-dir={profile}", f"--window-size={width},2200", *options, "file://" + page]
        ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"FAILED: {' '.join(words)}: status {ended.returncode}\n{ended.stderr}")
    return ended.stdout


def colours(path):
    """Distinct bytes of a PNG's lines: a blank page has next to none."""
    data = open(path, "rb").read()
    packed, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    return len(set(zlib.decompress(packed)))


def faults_of(found, drawn, width, kinds, rows):
    """What is wrong with a page."""
    faults = []
    if found["ready"] != "yes" or found["errors"]:
        faults.append(f"script: ready={found['ready']}, errors={found['errors']}")
    if found["requests"]:
        faults.append(f"the page asked for {found['requests']}")
    for kind in kinds:
        figures = [figure for figure in found["figures"] if figure["kind"] == kind]
        if not figures:
            faults.append(f"no plot {kind}")
        for figure in figures:
            if figure["width"] < 250 or figure["height"] < 20 or figure["marks"] == 0 or figure["tips"] == 0:
                faults.append(f"plot {kind}: {figure}")
            if figure["outside"]:
                faults.append(f"plot {kind}: text beyond its edge: {figure['outside']}")
            if figure["role"] != "img" or len(figure["name"] or "") < 20:
                faults.append(f"plot {kind} has no accessible name: {figure}")
            if figure["text"] < 9:
                faults.append(f"plot {kind}: text of {figure['text']} pixels")
    if len(found["down"]) < 2 or found["down"] != sorted(found["down"], reverse=True) or found["up"] != sorted(found["up"]):
        faults.append(f"sorting: {found['down']}, {found['up']}")
    if found["all"] != rows or found["filtered"] != 1 or found["said"] != f"1 of {rows} rows":
        faults.append(f"filter: {found['all']} rows, {found['filtered']} after it, {found['said']!r}")
    if found["unnamed"] or found["heads"]:
        faults.append(f"{found['unnamed']} tables without a name, {found['heads']} heads without a button")
    if found["overflow"] > 0 or found["screen"] != width:
        faults.append(f"{found['overflow']} pixels beyond the screen's {found['screen']}")
    if drawn < 20:
        faults.append(f"the screenshot is blank ({drawn} distinct bytes)")
    return faults


def look_at(browser, folder, page, width, sorted_by, kinds, rows):
    """@return what is wrong with the page on a screen of that width"""
    text = open(page, encoding="utf-8").read()
    probed, image = os.path.join(folder, "probed.html"), os.path.join(folder, "page.png")
    with open(probed, "w", encoding="utf-8") as file:
        probe = PROBE.replace("SORTED", json.dumps(sorted_by))
        file.write(text.replace("<body>", "<body>" + ERRORS).replace("</body>", probe + "</body>"))
    dom = visit(browser, probed, width, "--dump-dom")
    visit(browser, page, width, f"--screenshot={image}")
    match = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.DOTALL)
    if not match:
        return ["the page's scripts did not run:\n" + dom[-2000:]]
    return faults_of(json.loads(html.unescape(match.group(1))), colours(image), width, kinds, rows)


def main():
    kreplay, golden, *names = sys.argv[1:]
    browser = browser_of(names)
    failures, looked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        store = at("store")
        write_sample(golden, at("base.jsonl"))
        write_sample(golden, at("new.jsonl"), slower=1.3)
        for day in range(8):
            write_sample(golden, at("day.jsonl"), slower=1.0 if day < 5 else 1.3, start_s=86400 * day)
            subprocess.run([kreplay, "baseline", "update", "--store", store, at("day.jsonl")], check=True,
                           stderr=subprocess.DEVNULL)
        pages = {
            "report": (["report", at("base.jsonl")], 0, "per run", ("launches", "distribution", "bytes", "outcomes"), 6),
            "compare": (["compare", at("base.jsonl"), at("new.jsonl")], 1, "change", ("overlay", "launches"), 6),
            "history": (["history", store], 0, "last", ("trend",), 6)}
        for name, (words, status, sorted_by, kinds, rows) in pages.items():
            page = at(name + ".html")
            with open(page, "w", encoding="utf-8") as out:
                ended = subprocess.run([kreplay, *words, "--format", "html"], stdout=out, check=False)
            if ended.returncode != status:
                sys.exit(f"FAILED: kreplay {' '.join(words)}: status {ended.returncode}")
            for width in (1600, 800, 400):
                looked += 1
                failures += [f"{name} at {width} pixels: {fault}"
                             for fault in look_at(browser, folder, page, width, sorted_by, kinds, rows)]
    if failures:
        sys.exit("FAILED: " + "\nFAILED: ".join(failures))
    print(f"{os.path.basename(browser)}: {len(pages)} pages, {looked} looks, nothing asked for")


main()
