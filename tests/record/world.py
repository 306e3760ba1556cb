"""The world that every call sees: one clock that stands still, no settings of the caller's, one seed of hashes."""

import datetime
import importlib
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Any

NOW = datetime.datetime(2026, 12, 1, 12, 0, 0, tzinfo=datetime.UTC)
"""After everything that the snapshots tell, so that ages are none below zero."""

_real_datetime = datetime.datetime
monotonic = time.monotonic
"""The clock as it is, for the recorder itself."""


class _IsOne(type):
    """Takes any moment for one of ours, as ``isinstance`` has to."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real_datetime)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _real_datetime)


class _Still(_real_datetime, metaclass=_IsOne):
    """``datetime`` whose present does not move."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return NOW.astimezone(tz) if tz is not None else NOW.replace(tzinfo=None)

    @classmethod
    def utcnow(cls) -> Any:
        return NOW.replace(tzinfo=None)

    @classmethod
    def today(cls) -> Any:
        return NOW.replace(tzinfo=None)


def hold_clock() -> None:
    """Stop every clock that kplan reads; before kplan is imported, as it takes the functions by name."""
    assert not any(name.partition(".")[0] == "kplan" for name in sys.modules), "kplan has the real clock already"
    for name in ("threading", "concurrent.futures.process"):  # these keep the real clock
        importlib.import_module(name)
    seconds = NOW.timestamp()
    time.time = lambda: seconds
    time.time_ns = lambda: int(seconds * 10**9)
    time.monotonic = lambda: 1000.0
    time.perf_counter = lambda: 1000.0
    datetime.datetime = _Still  # type: ignore[misc]
    secrets.token_hex = lambda nbytes=None: "0" * 2 * (nbytes or 16)


def clean_environment() -> None:
    """Leave nothing of the caller's that changes what is printed."""
    for name in list(os.environ):
        if name.startswith(("KPLAN_", "GITHUB_", "KUBE")) or name in ("COLUMNS", "LINES", "CI", "FORCE_COLOR", "TERM"):
            del os.environ[name]
    os.environ.update(NO_COLOR="1", TZ="UTC", LC_ALL="C.UTF-8", HOME="/nonexistent", KUBECONFIG="/nonexistent/config")
    time.tzset()


def fix_hash_seed(seed: str = "0") -> None:
    """Begin again with a fixed seed of hashes, unless it is; the order of a set must not look like a difference."""
    if os.environ.get("PYTHONHASHSEED") != seed:
        os.environ["PYTHONHASHSEED"] = seed
        os.execv(sys.executable, [sys.executable, "-m", "tests.record", *sys.argv[1:]])


def use(root: Path) -> None:
    """Import kplan from a checkout.

    Raises:
        SystemExit: there is none.
    """
    if not (root / "kplan" / "__init__.py").exists():
        raise SystemExit(f"{root}: no checkout of kplan")
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True  # another checkout is only read
    import kplan

    assert kplan.__file__ is not None
    assert Path(kplan.__file__).is_relative_to(root), f"kplan is from {kplan.__file__}"
