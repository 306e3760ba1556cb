"""The ledger: every request that kplan made of any server in the whole run, and by which command it was made.

A proxy tells it of each request with the connection that it came by. The command behind a connection is found when its
first request comes, as its process may be killed before the next: over the port to the process that holds it, and from
there to its words; for the process of the tests itself, it is the command that runs in it at that time.
"""

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

READS = ("GET", "HEAD")
REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_LOOKS = 5
"""The table of connections may miss one that is there while others come and go."""


@dataclass
class Request:
    """One request as a proxy saw it.

    Attributes:
        method: HTTP method.
        path: without the query.
        query: its parameters, the first value of each.
        body: decoded JSON, or None.
        status: what the server answered; 0 where it was not asked or its answer was not handed on.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any = None
    status: int = 0

    @property
    def dry(self) -> bool:
        return self.query.get("dryRun") == "All"

    @property
    def writes(self) -> bool:
        """Whether it would change something."""
        return self.method not in READS and not self.dry and self.path != REVIEW


Words = tuple[str, ...]


def may_send(command: Words, request: Request) -> bool:
    """Whether a command may send a request.

    Args:
        command: its words, as ``bind``, ``-A``, ``--apply``; empty for code that runs outside any command.
        request: the request.
    """
    if request.method in READS:
        return True
    if command[:1] != ("bind",):
        return False
    if request.path == REVIEW or "--apply" in command or "--resume" in command:
        return True
    return request.dry and "--server-dry-run" in command


@dataclass
class Ledger:
    """What was asked of servers.

    Attributes:
        requests: all requests, in order.
        others: those that are no reads, with the command behind each.
        offences: those that no command may send, in words.
        running: words of the commands that run in this process, the innermost last.
    """

    requests: list[Request] = field(default_factory=list)
    others: list[tuple[Words, Request]] = field(default_factory=list)
    offences: list[str] = field(default_factory=list)
    running: list[Words] = field(default_factory=list)
    _behind: WeakKeyDictionary[BaseHTTPRequestHandler, Words | None] = field(default_factory=WeakKeyDictionary)
    _lock: Lock = field(default_factory=Lock)

    def note(self, request: Request, connection: BaseHTTPRequestHandler) -> None:
        """Take note of a request of a client on this machine, before it is handed on."""
        command = self._command(connection)
        with self._lock:
            self.requests.append(request)
            if request.method not in READS:
                self.others.append((command, request))
            if not may_send(command, request):
                who = f"kplan {' '.join(command)}" if command else "no command"
                self.offences.append(f"{request.method} {request.path} {request.query} by {who}")

    @contextlib.contextmanager
    def command(self, words: Sequence[str]) -> Iterator[None]:
        """Let a command run in this process."""
        self.running.append(tuple(words))
        try:
            yield
        finally:
            self.running.pop()

    def watched(self, main: Callable[[list[str] | None], int]) -> Callable[[list[str] | None], int]:
        """Wrap the entry of commands, so that each that runs in this process is known."""

        @functools.wraps(main)
        def watched(argv: list[str] | None = None) -> int:
            with self.command(argv or ()):
                return main(argv)

        return watched

    def _command(self, connection: BaseHTTPRequestHandler) -> Words:
        if connection not in self._behind:
            ends = connection.client_address[1], connection.connection.getsockname()[1]
            self._behind[connection] = _words(next((found for _ in range(_LOOKS) if (found := _holder(*ends))), 0))
        words = self._behind[connection]
        if words is None:
            return self.running[-1] if self.running else ()
        return words


LEDGER = Ledger()
"""That of the whole run."""


def _words(process: int) -> Words | None:
    """The command that a process was started as; None for that of the tests, which runs one after another."""
    if process == os.getpid():
        return None
    words = Path(f"/proc/{process}/cmdline").read_text().split("\0")[:-1] if process else []
    return tuple(words[words.index("kplan") + 1 :]) if "kplan" in words else ()


def _holder(port: int, to: int) -> int:
    """Find the process that holds a TCP port of 127.0.0.1 as its own end of a connection; 0 if none does.

    Args:
        port: its own end; another process may have that of another connection.
        to: the other end.
    """
    ends = [f"0100007F:{port:04X}", f"0100007F:{to:04X}"]
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    inodes = [line.split()[9] for line in lines if line.split()[1:3] == ends]
    held = {f"socket:[{inode}]" for inode in inodes}
    me = os.getpid()
    others = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    processes = (me, *(number for number in others if number != me))
    return next((process for process in processes if not held.isdisjoint(_handles(process))), 0)


def _handles(process: int) -> Iterator[str]:
    """Yield what the handles of a process stand for; none of one that ended, or is another user's."""
    with contextlib.suppress(OSError):
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):  # it was closed meanwhile
                yield str(handle.readlink())
