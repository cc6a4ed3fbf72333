#!/usr/bin/env python3
"""Runs what docs/ci.md shows: the workflow with action.yml, the GitLab jobs with ci/gitlab/kreplay.yml, the commands.

    ci_test.py BUILD_DIR REPOSITORY BENCH_SOURCE

The YAML is read as the services do: steps in order, their conditions, inputs and variables, in the shell that the service
uses. Stood in for: apt-get, which unpacks packages into a folder and otherwise does nothing; what the URL serves; the
caches and artifacts of the services. Everything else is real: packages, scripts, programs, comparisons.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

BUILD, REPOSITORY, BENCH = (pathlib.Path(path) for path in sys.argv[1:])
PAGE = (REPOSITORY / "docs/ci.md").read_text(encoding="utf-8")
URL = "https://example.com/libkreplay/v0.1.0"


def check(good, what, text=""):
    if not good:
        sys.exit(f"FAILED: {what}\n{text}")


class Machine:
    """A job's machine: a checkout, a root that packages are unpacked into, and the programs it finds."""

    def __init__(self, folder, served):
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        (folder / "bin").mkdir()
        self.stub("apt-get", f'''for file; do
  case "$file" in *.deb) [ -r "$file" ] || exit 100; dpkg-deb -x "$file" {folder}/root; echo "unpacked $file" ;; esac
done''')
        # The one URL of the page is the folder of packages that were made here.
        self.stub("curl", f'''i=0
for word; do shift; case "$word" in {URL}/*) word="file://{served}${{word#{URL}}}" ;; esac; set -- "$@" "$word"; done
exec {shutil.which("curl")} "$@"''')
        self.stub("sudo", 'exec "$@"')
        self.path = f"{folder}/root/usr/bin:{folder}/bin:{os.environ['PATH']}"

    def stub(self, name, text):
        path = self.folder / "bin" / name
        path.write_text("#!/bin/sh\n" + text + "\n", encoding="utf-8")
        path.chmod(0o755)

    def checkout(self, rounds):
        source = BENCH.read_text(encoding="utf-8")
        (self.work / "bench.hip.cpp").write_text(f"#define INNER {rounds}\n{source}", encoding="utf-8")
        (self.work / "limits.toml").write_text('fail-over = "5%"\n', encoding="utf-8")

    def run(self, script, variables, shell):
        clean = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        done = subprocess.run([*shell, script], cwd=self.work, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**clean, "PATH": self.path, **variables})
        return done.returncode, done.stdout


class GitHub:
    SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]

    def __init__(self, machine, cache):
        self.machine, self.cache, self.text, self.status, self.used = machine, cache, "", 0, []
        self.artifacts = {}

    def value(self, text, context):
        return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda found: str(context[found.group(1)]), str(text))

    def wanted(self, condition, context):
        if condition is None:
            return self.status == 0
        if condition == "always()":
            return True
        known = re.fullmatch(r"([\w.]+) == '(\w+)'", condition)
        check(known, f"a condition that the test does not know: {condition}")
        return self.status == 0 and context[known.group(1)] == known.group(2)

    def act(self, step, context):
        name, given = step["uses"].split("@")[0], {k: self.value(v, context) for k, v in step.get("with", {}).items()}
        self.used.append(name)
        path = self.machine.work / given.get("path", ".")
        if name == "actions/cache/restore":
            found = [key for key in self.cache if key.startswith(given["restore-keys"])]
            if found:
                shutil.copytree(self.cache[found[-1]], path, dirs_exist_ok=True)
        elif name == "actions/cache/save":
            kept = self.machine.folder / "cache" / given["key"]
            shutil.copytree(path, kept)
            self.cache[given["key"]] = kept
        elif name == "actions/upload-artifact":
            self.artifacts[given["name"]] = sorted(file.name for file in path.iterdir()) if path.is_dir() else []
        elif name == "example/libkreplay":
            action = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
            inputs = {name: one.get("default") for name, one in action["inputs"].items()}
            check(set(given) <= set(inputs), f"the page gives inputs that action.yml does not have: {given}")
            inputs.update(given)
            for name, one in action["inputs"].items():
                check(inputs[name] is not None, f"input {name} is missing")
                check(f"| `{name}` |" in PAGE, f"docs/ci.md does not list the input {name}")
            check(action["runs"]["using"] == "composite", "action.yml is not composite")
            self.steps(action["runs"]["steps"], {**context, **{f"inputs.{k}": v for k, v in inputs.items()}})
        else:
            check(name == "actions/checkout", f"the test does not know {name}")

    def steps(self, steps, context):
        for step in steps:
            if not self.wanted(step.get("if"), context):
                continue
            if "uses" in step:
                self.act(step, context)
                continue
            variables = {k: self.value(v, context) for k, v in step.get("env", {}).items()}
            summary = self.machine.folder / "summary.md"
            variables.update(GITHUB_ACTION_PATH=str(REPOSITORY), GITHUB_STEP_SUMMARY=str(summary), GITHUB_ACTIONS="true",
                             GITHUB_EVENT_NAME=context["github.event_name"], GITHUB_SHA=context["github.sha"])
            status, text = self.machine.run(step["run"], variables, self.SHELL)
            self.text += text
            self.status = self.status or status

    def job(self, event, sha):
        workflow = yaml.safe_load(re.search(r"## GitHub Actions.*?```yaml\n(.*?)```", PAGE, re.DOTALL).group(1))
        self.steps(workflow["jobs"]["gate"]["steps"], {"github.event_name": event, "github.sha": sha})
        summary = self.machine.folder / "summary.md"
        return self.status, self.text, summary.read_text(encoding="utf-8") if summary.exists() else ""


def test_github(folder, packages):
    cache = {}

    def job(event, rounds):
        machine = Machine(folder(), packages)
        machine.checkout(rounds)
        service = GitHub(machine, cache)
        return (*service.job(event, f"{event}-{rounds}"), service)

    status, text, summary, service = job("pull_request", 1000)
    check(status == 0 and "::warning title=kreplay::no verdict (status 5)" in text, f"no baseline: status {status}", text)
    status, text, summary, service = job("push", 1000)
    check(status == 0 and len(cache) == 1, f"a push keeps a baseline: status {status}", text)
    status, text, summary, service = job("pull_request", 1000)
    check(status == 0 and "ok" in summary, f"the same program: status {status}", text + summary)
    check(len(cache) == 1, "a pull request must not change the baselines")
    status, text, summary, service = job("pull_request", 1100)
    check(status == 1 and "regression" in summary and "::error" in text, f"a slower one: status {status}", text + summary)
    want = ["compare.html", "kreplay.xml", "new.jsonl", "report.html", "summary.md"]
    check(service.artifacts == {"kreplay": want}, f"artifacts are {service.artifacts}")


def test_gitlab(folder, packages):
    template = yaml.safe_load((REPOSITORY / "ci/gitlab/kreplay.yml").read_text(encoding="utf-8"))[".kreplay"]
    page = yaml.safe_load(re.search(r"## GitLab CI.*?```yaml\n(.*?)```", PAGE, re.DOTALL).group(1))
    gate = page["kernel-performance"]
    check(gate["extends"] == ".kreplay", "the job does not extend .kreplay")
    check(set(gate["variables"]) <= set(template["variables"]), "the page sets variables that the template does not know")
    variables = {**template["variables"], **gate["variables"], "CI": "true", "CI_DEFAULT_BRANCH": "main"}
    accepted = template["allow_failure"]["exit_codes"]
    cache = folder() / "cache"

    def job(branch, rounds):
        machine = Machine(folder(), packages)
        machine.checkout(rounds)
        shell = ["bash", "-c"]
        status, text = machine.run("set -eo pipefail\n" + "\n".join(page["bench"]["script"]), {}, shell)
        check(status == 0, "the benchmark is not built", text)
        kept = machine.work / template["cache"]["paths"][0]
        if cache.exists():
            shutil.copytree(cache, kept)
        lines = template["before_script"] + template["script"]
        status, text = machine.run("set -eo pipefail\n" + "\n".join(lines), {**variables, "CI_COMMIT_BRANCH": branch}, shell)
        if kept.exists():
            shutil.copytree(kept, cache, dirs_exist_ok=True)
        for path in [*template["artifacts"]["paths"]] + ([template["artifacts"]["reports"]["junit"]] if branch != "main" else []):
            check((machine.work / path).exists(), f"no artifact {path}", text)
        return status, text

    status, text = job("change", 1000)
    check(status == 5 and 5 in accepted, f"no baseline: status {status}", text)
    status, text = job("main", 1000)
    check(status == 0 and cache.exists(), f"the default branch keeps a baseline: status {status}", text)
    status, text = job("change", 1000)
    check(status == 0, f"the same program: status {status}", text)
    status, text = job("change", 1100)
    check(status == 1 and 1 not in accepted and "regression" in text, f"a slower one: status {status}", text)


def test_commands(folder, packages):
    """The lines of the page that are typed, and packages that are not what they should be."""
    machine = Machine(folder(), packages)
    machine.checkout(1000)
    block = re.search(r"## By hand.*?\n\n((?:    [^\n]*\n)+)", PAGE, re.DOTALL).group(1)
    build = re.search(r"HIP_PLATFORM=amd hipcc.*", PAGE).group(0)
    script = f"{REPOSITORY}/ci/install {packages}\n{build}\n{block}"
    status, text = machine.run(script, {}, GitHub.SHELL)
    check(status == 0, f"the commands of the page: status {status}", text)
    spoiled = folder() / "spoiled"
    shutil.copytree(packages, spoiled)
    first = next(spoiled.glob("kreplay_*.deb"))
    first.write_bytes(first.read_bytes() + b"x")
    status, text = machine.run(f"{REPOSITORY}/ci/install {spoiled}", {}, GitHub.SHELL)
    check(status == 1 and "not what SHA256SUMS says" in text and "unpacked" not in text, "a spoiled package", text)
    for script in ("kreplay-gate", "kreplay-gate --device", "kreplay-gate --fast -- true", "kreplay-gate --accept maybe -- true"):
        check(machine.run(script, {}, GitHub.SHELL)[0] == 2, f"{script}: should be wrong usage")


def main():
    with tempfile.TemporaryDirectory() as top:
        packages = pathlib.Path(top) / "packages"
        done = subprocess.run([REPOSITORY / "scripts/package", "--build", BUILD, packages], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        check(done.returncode == 0, "the packages cannot be made", done.stdout)
        os.chmod(top, 0o755)

        def folder():
            return pathlib.Path(tempfile.mkdtemp(dir=top))

        test_github(folder, packages)
        test_gitlab(folder, packages)
        test_commands(folder, packages)
    print("the action, the GitLab template and the commands of docs/ci.md work as shown")


main()
