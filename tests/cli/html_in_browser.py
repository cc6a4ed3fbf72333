#!/usr/bin/env python3
"""The HTML report in a real headless browser: it draws every plot, its script works, it asks for nothing.

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
const column = name => [...table.querySelectorAll("th")].findIndex(head => head.textContent === name);
const order = () => [...table.tBodies[0].rows].map(row => Number(row.cells[column("total")].dataset.value));
table.querySelectorAll("th")[column("total")].click();
const down = order();
table.querySelectorAll("th")[column("total")].click();
const up = order();
const found = {
  ready: document.documentElement.dataset.ready,
  plots: Object.fromEntries([...document.querySelectorAll("figure")].map(figure => [figure.className, {
    width: box(figure.querySelector("svg")).width, height: box(figure.querySelector("svg")).height,
    marks: figure.querySelectorAll("rect, circle").length, tips: figure.querySelectorAll("title").length,
    outside: outside(figure.querySelector("svg"))}])),
  down, up, requests: performance.getEntriesByType("resource").map(entry => entry.name), errors: window.probeErrors};
const out = document.createElement("pre");
out.id = "probe";
out.textContent = JSON.stringify(found);
document.body.append(out);
</script>
"""
ERRORS = '<script>window.probeErrors = []; onerror = text => probeErrors.push(text);</script>'


def write_sample(golden, path):
    """A result file of seven kernels: some noise, a drift, a very long name, one that is never replayed."""
    header, *_ = lines = [json.loads(line) for line in open(golden, encoding="utf-8")]
    of_type = {line["type"]: line for line in reversed(lines)}
    replayed = next(line for line in lines if line.get("outcome") == "replayed")
    declined = next(line for line in lines if line.get("outcome") == "declined")
    out, number = [header], 0
    for kernel in range(1, 8):
        name = f"void kernel_{kernel}<float, {'very_long_template_argument, ' * 4 * (kernel % 2)}4>(float*, int)"
        out.append(dict(of_type["kernel"], id=kernel, name=name))
        for launch in range(1, 41):
            number += 1
            base = 1000 * kernel ** 3 + 7 * launch * kernel
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


def visit(browser, page, *options):
    """What the browser prints. Names of hosts resolve to nothing, so what the page would load would be missing."""
    with tempfile.TemporaryDirectory() as profile:
        words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND",
                 f"--user-data-dir={profile}", "--window-size=1000,2200", *options, "file://" + page]
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


def main():
    kreplay, golden, *names = sys.argv[1:]
    browser = browser_of(names)
    with tempfile.TemporaryDirectory() as folder:
        results, page, probed, image = (os.path.join(folder, name)
                                        for name in ("run.jsonl", "run.html", "probed.html", "run.png"))
        write_sample(golden, results)
        subprocess.run([kreplay, "report", "--format", "html", "-o", page, results], check=True)
        text = open(page, encoding="utf-8").read()
        with open(probed, "w", encoding="utf-8") as file:
            file.write(text.replace("<body>", "<body>" + ERRORS).replace("</body>", PROBE + "</body>"))
        dom = visit(browser, probed, "--dump-dom")
        visit(browser, page, f"--screenshot={image}")
        drawn = colours(image)
    match = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.DOTALL)
    if not match:
        sys.exit("FAILED: the page's scripts did not run:\n" + dom[-2000:])
    found = json.loads(html.unescape(match.group(1)))
    failures = []
    if found["ready"] != "yes" or found["errors"]:
        failures.append(f"script: ready={found['ready']}, errors={found['errors']}")
    if found["requests"]:
        failures.append(f"the page asked for {found['requests']}")
    for name in ("launches", "distribution", "bytes", "outcomes"):
        plot = found["plots"].get(name)
        if not plot or plot["width"] < 300 or plot["height"] < 20 or plot["marks"] == 0 or plot["tips"] == 0:
            failures.append(f"plot {name}: {plot}")
        elif plot["outside"]:
            failures.append(f"plot {name}: text beyond its edge: {plot['outside']}")
    if len(found["down"]) < 2 or found["down"] != sorted(found["down"], reverse=True) or \
            found["up"] != sorted(found["up"]):
        failures.append(f"sorting: {found['down']}, {found['up']}")
    if drawn < 20:
        failures.append(f"the screenshot is blank ({drawn} distinct bytes)")
    if failures:
        sys.exit("FAILED: " + "\nFAILED: ".join(failures))
    print(f"{os.path.basename(browser)}: {len(found['plots'])} kinds of plots drawn, nothing asked for")


main()
