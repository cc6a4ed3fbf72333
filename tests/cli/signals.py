#!/usr/bin/env python3
"""Signals to `kreplay run` and `kreplay ab` are the program's: each arrives once, only the program decides, its
status is the command's, and nothing stays behind.

    signals.py KREPLAY STAND_IN        (the library that takes the place of libkreplay.so)
"""
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KREPLAY, STAND_IN = sys.argv[1:3]
ENVIRONMENT = dict(os.environ, STAND_IN_NOTES="loaded;runtime=/lib;ended=3 2")
WAIT = 30  # seconds, before a test gives up

# Notes what reaches it, and ends with 40 once nothing has for a while; "own" puts it into a group of its own.
PROGRAM = r"""
import os, signal, sys, time
if "own" in sys.argv: os.setpgid(0, 0)
got = []
for s in set(signal.Signals) | {signal.SIGRTMIN + 3}:
    if s not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT, signal.SIGTSTP):
        signal.signal(s, lambda number, frame: got.append(number))
print("up", os.getpid(), flush=True)
end = time.monotonic() + 30
while not got and time.monotonic() < end: time.sleep(0.02)
quiet = 0
while quiet < 15:
    before = len(got); time.sleep(0.02); quiet = quiet + 1 if len(got) == before else 0
print("got", *got, flush=True)
os._exit(40)
"""
failures = []


def check(name, value, wanted):
    good = value == wanted
    print(f"{'ok  ' if good else 'BAD '} {name}: {value}" + ("" if good else f", wanted {wanted}"))
    if not good:
        failures.append(name)


def alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid):
    """Whether the process ends by itself within the time of a test."""
    end = time.monotonic() + WAIT
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def children(pid):
    return [int(one) for one in open(f"/proc/{pid}/task/{pid}/children").read().split()]


class Run:
    """A program under kreplay run, in a group of its own as a shell starts it."""

    def __init__(self, source, *words, before=lambda: None, command=()):
        def begin():
            os.setpgid(0, 0)
            before()
        self.process = subprocess.Popen(
            [*command, KREPLAY, "run", "--library", STAND_IN, "--", sys.executable, "-c", source, *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT, preexec_fn=begin, text=True)
        self.pid = self.process.pid
        self.program = int(self.process.stdout.readline().split()[1])
        self.all = children(self.pid) if not command else [self.program]

    def end(self):
        """(what the program said, status as subprocess gives it, processes left)"""
        said = self.process.stdout.read().split()
        status = self.process.wait(WAIT)
        return said, status, [pid for pid in self.all if not gone(pid)]


NAMES = ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM", "WINCH", "ABRT", "PIPE", "RTMIN+3"]


def number(name):
    return signal.SIGRTMIN + 3 if name == "RTMIN+3" else getattr(signal, "SIG" + name)


for name in NAMES:
    run = Run(PROGRAM)
    os.kill(run.pid, number(name))
    check(f"{name} to kreplay alone", run.end(), (["got", str(int(number(name)))], 40, []))
for name in ["TERM", "INT", "HUP", "QUIT", "USR1"]:
    run = Run(PROGRAM)
    os.killpg(run.pid, number(name))
    check(f"{name} to the group", run.end(), (["got", str(int(number(name)))], 40, []))
run = Run(PROGRAM, "own")
os.killpg(run.pid, signal.SIGTERM)
check("TERM to the group, program in another", run.end(), (["got", "15"], 40, []))
run = Run(PROGRAM, command=["timeout", "--preserve-status", "-s", "USR2", "2"])
check("timeout(1)", run.end()[1:], (40, []))

IDLE = "import time; print('up', __import__('os').getpid(), flush=True); time.sleep(60)"
for name in ["TERM", "INT", "HUP", "QUIT", "USR1"]:
    run = Run("import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n" + IDLE)
    os.kill(run.pid, number(name))
    check(f"{name} ends a program without a handler, and kreplay alike", run.end(), ([], -number(name), []))
run = Run(IDLE)
os.kill(run.pid, signal.SIGKILL)
check("KILL leaves no orphan", run.end(), ([], -9, []))


# What the program begins with is what kreplay was begun with.
SHOWS = """
import os, signal
print('up', os.getpid())
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(status['SigBlk'].strip(), signal.getsignal(signal.SIGHUP).name, int(status['SigIgn'], 16) >> 16 & 1, flush=True)
os._exit(41)
"""


def as_launchers_do():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # some daemons
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])


run = Run(SHOWS, before=as_launchers_do)
check("mask and actions are handed on, the status is not lost",
      run.end(), (["0000000000000200", "SIG_IGN", "1"], 41, []))

# Stop and continue.
run = Run("import time; print('up', __import__('os').getpid(), flush=True); time.sleep(1); print('on'); raise SystemExit(42)")
os.kill(run.pid, signal.SIGTSTP)
_, status = os.waitpid(run.pid, os.WUNTRACED)
check("TSTP to kreplay stops it with the program", (os.WIFSTOPPED(status), open(f"/proc/{run.program}/stat").read()
      .rsplit(")", 1)[1].split()[0]), (True, "T"))
os.kill(run.pid, signal.SIGCONT)
check("CONT to kreplay continues both", run.end(), (["on"], 42, []))
run = Run("import time; print('up', __import__('os').getpid(), flush=True); time.sleep(0.3); raise SystemExit(43)")
os.kill(run.pid, signal.SIGSTOP)
check("a program goes on while kreplay alone is stopped", gone(run.program), True)
os.kill(run.pid, signal.SIGCONT)
check("its status waits", run.end(), ([], 43, []))


def in_terminal(key):
    """What a program says when a key is pressed in its terminal, and its status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(KREPLAY, [KREPLAY, "run", "--no-progress", "--library", STAND_IN, "--", sys.executable, "-c", PROGRAM],
                  ENVIRONMENT)
    text = b""
    while b"up" not in text:
        text += os.read(terminal, 1000)
    os.write(terminal, key)
    try:
        while part := os.read(terminal, 1000):
            text += part
    except OSError:  # the terminal's other side is closed
        pass
    return text.decode().split("got")[1].split(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


check("Ctrl-C in a terminal", in_terminal(b"\x03"), (["2"], 40))
check("Ctrl-\\ in a terminal", in_terminal(b"\x1c"), (["3"], 40))

# ab: its runs end with it, its temporary folder goes, and it ends as they did.
folder = tempfile.mkdtemp()
ab = subprocess.Popen([KREPLAY, "ab", "--library", STAND_IN, "echo up >&2; exec sleep 60", "--", "true"],
                      stderr=subprocess.PIPE, env=dict(ENVIRONMENT, TMPDIR=folder), text=True)
while "up\n" != ab.stderr.readline():
    pass
runs = [pid for pid in children(ab.pid) if children(pid)]
below = [pid for run in runs for pid in [run, *children(run)]]
ab.send_signal(signal.SIGTERM)
check("TERM to ab", (ab.wait(WAIT), len(runs), [pid for pid in below if not gone(pid)], os.listdir(folder)), (-15, 1, [], []))
shutil.rmtree(folder)

sys.exit(1 if failures else 0)
