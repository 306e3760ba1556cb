"""What a command still does after Ctrl-C: seconds of CPU, and by the clock, from SIGINT until the process has ended.

    python -m tests.bench.interrupts SNAPSHOT [--at SECONDS]... [COMMAND...]

Each command is run in a terminal of its own, and interrupted once it has used so many seconds of CPU: while it reads,
while it plans. The clock counts what other processes take of the cores; on quiet ones both are the same.
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.bench.parts import WEB

ASKED: Mapping[str, Sequence[str]] = {
    "nodes": ("nodes",),
    "explain": ("explain", "-A"),
    "simulate": ("simulate", "-f", "WEB"),
    "capacity": ("capacity", "-f", "WEB"),
    "check": ("check", "-f", "WEB", "--survive", "zone"),
    "drain": ("drain", "-l", "pool=pool-3"),
    "find": ("drain", "--find"),
    "each-node": ("fail", "--each", "node"),
    "sweep": ("sweep", "--jobs", "1"),
}
"""Commands by name; WEB is a manifest of 10,000 replicas."""
AT = (0.5, 1.0, 2.0, 3.0)


def words_of(name: str, web: Path) -> list[str]:
    """The words of a command."""
    return [str(web) if word == "WEB" else word for word in ASKED[name]]


def interrupted(words: Sequence[str], at: float) -> tuple[float, float] | None:
    """Seconds of CPU and by the clock from the interrupt to the end; None if it ended before."""
    pid, terminal = pty.fork()
    if not pid:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell that started this behind it may have it ignored
        os.execv(sys.executable, [sys.executable, "-m", "kplan", *words])
    before, sent = 0.0, 0.0
    while True:
        if select.select([terminal], [], [], 0.005)[0]:
            with suppress(OSError):  # the other side is closed
                os.read(terminal, 1 << 16)
        ended, _, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            os.close(terminal)
            return (usage.ru_utime + usage.ru_stime - before, time.monotonic() - sent) if sent else None
        if not sent and (before := _cpu(pid)) >= at:
            sent = time.monotonic()
            os.kill(pid, signal.SIGINT)


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process has used, to a hundredth."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(argv: Sequence[str]) -> None:
    """Print a line for each command and moment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshot")
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"of {', '.join(ASKED)}; all if none is named")
    parser.add_argument("--at", type=float, action="append", help="seconds of CPU before the interrupt")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        web = Path(folder) / "web.yaml"
        web.write_text(WEB % 10_000)
        for name in args.commands or ASKED:
            words = words_of(name, web)
            for at in args.at or AT:
                took = interrupted([*words, "--snapshot", args.snapshot, "--no-cache"], at)
                told = "ended before" if took is None else f"{took[0]:.2f} s of CPU, {took[1]:.2f} s by the clock"
                sys.stdout.write(f"{name} at {at:.1f} s: {told}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
