"""The journal: what a run set out to do and what it did, a line of JSON each, on disk before anything goes on.

``start`` holds the plan and the options; ``before`` and ``after`` stand around each write; ``match`` says which real
pod is taken for a planned one; ``pod`` is what became of a pod; ``end`` is the summary. A run that was killed leaves a
``before`` without its ``after``: what happened then only the server knows, and ``--resume`` asks it.
"""

from __future__ import annotations

import fcntl
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from kplan.bind.run.record import VERSION, mend
from kplan.bind.wire.writes import Request
from kplan.errors import BindError, UsageError
from kplan.result.document_bind import BoundPod


class JournalError(BindError):
    """The journal takes no more: a run ends here, as nothing is written to the cluster without a record."""

    default_code = "journal"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Journal:
    """A journal that is being written.

    Args:
        path: the file; empty to keep none.
        resumed: whether it goes on where another run stopped.
    """

    def __init__(self, path: str, *, resumed: bool = False) -> None:
        self.path = path
        self._number = 0
        self._failed = False
        self._file: int | None = None
        if not path:
            return
        flags = os.O_WRONLY | os.O_APPEND | (0 if resumed else os.O_CREAT | os.O_EXCL)
        try:
            if resumed:
                self._number = mend(Path(path))
            self._file = os.open(path, flags, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until it is closed, or the process ends
            _sync_folder(Path(path))
        except FileExistsError:
            raise _is_there(path) from None
        except BlockingIOError:
            raise UsageError(
                f"{path}: another run is writing it", code="journal-in-use", hint="wait until it has ended"
            ) from None
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror}", code="unwritable") from error

    def start(self, plan: object, run: str, options: object) -> None:
        """Note what the run sets out to do; plan and options as structs, or plain."""
        self._line("start", version=VERSION, run=run, options=options, plan=plan)

    def before(self, write: Request) -> int:
        """Note a write that is about to be sent; returns its number."""
        self._number += 1
        self._line("before", n=self._number, write=write.kind, about=write.about, text=write.text)
        return self._number

    def after(self, number: int, result: str, status: int = 0, text: str = "") -> None:
        """Note what came of a write."""
        about: dict[str, Any] = {"status": status} if status else {}
        self._line("after", n=number, result=result, **about, **({"text": text} if text else {}))

    def match(self, planned: str, pod: str, uid: str) -> None:
        """Note which real pod is taken for one that was planned."""
        self._line("match", planned=planned, pod=pod, uid=uid)

    def pod(self, pod: BoundPod) -> None:
        """Note what became of a pod."""
        plain = {name: getattr(pod, name) for name in pod.__struct_fields__}
        self._line("pod", became={name: value for name, value in plain.items() if value not in ("", (), False)})

    def end(self, verdict: str) -> None:
        """Note that the run came to its end."""
        self._line("end", verdict=verdict)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _line(self, kind: str, **fields: Any) -> None:
        if self._file is not None:
            line = {"at": _now(), "kind": kind, **fields}
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=msgspec.to_builtins)
            self._append(text.encode(errors="surrogatepass") + b"\n")

    def _append(self, data: bytes) -> None:
        """Put a line on disk; after one that failed no other comes, so that only the last is ever cut off."""
        assert self._file is not None
        reason = "a line before was cut off" if self._failed else ""
        try:
            while data and not reason:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            reason = error.strerror or type(error).__name__
        if reason:
            self._failed = True
            raise JournalError(
                f"the journal {self.path} cannot be written: {reason}",
                hint="nothing is written to the cluster without a record",
            )


def not_there(path: str) -> None:
    """Make sure that there is no file of that name yet.

    Raises:
        UsageError: there is.
    """
    if Path(path).exists():
        raise _is_there(path)


def _is_there(path: str) -> UsageError:
    return UsageError(
        f"{path}: a journal of that name exists",
        code="journal-exists",
        hint=f"continue it: kplan bind --resume {path}; or name another: --journal FILE",
    )


def _sync_folder(path: Path) -> None:
    """Make the name of a new file last, too."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
