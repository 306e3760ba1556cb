"""Take from an environment what kplan never imports: most of an image is the packages that it stands on.

    python -m release.slim /kplan     # or: python release/slim.py /kplan

The packages are whole for ``pip install``; this is for images, where nothing else is run than kplan.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = (
    # the client's second form, for asyncio, and a class for every kind of the API: kplan reads JSON by its own models
    "kubernetes/aio",
    "kubernetes/client/api/[!_]*",
    "kubernetes/client/models/[!_]*",
    # what that second form is asked through
    "aiohttp",
    "aiohappyeyeballs",
    "aiosignal",
    "aiohttp_retry",
    "frozenlist",
    "multidict",
    "propcache",
    "yarl",
    # extensions of CEL that selectors of devices do not have
    "cel_expr_python/ext",
    "bazel-project",
    # the same compression once more, for interpreters other than CPython
    "zstandard/_cffi*",
    "zstandard/backend_cffi.py",
    # what others build with
    "numpy/_core/include",
    "numpy/_core/lib",
    "numpy/f2py",
    "numpy/random/lib",
    "numpy/testing",
    "setuptools",
    "setuptools-*",
    "pkg_resources",
    "_distutils_hack",
    "distutils-precedence.pth",
    "pip",
    "pip-*",
    # colours of program code
    "pygments/lexers/[!_]*",
    # tests, and types for those who check theirs
    "**/tests",
    "**/*.pyi",
    "**/__pycache__",
)
"""What is taken, as patterns below site-packages."""


def left_out(site: Path) -> Iterator[Path]:
    """Find files and folders of site-packages that kplan runs without."""
    for pattern in LEFT_OUT:
        yield from site.glob(pattern)


def slim(environment: Path) -> int:
    """Take them away.

    Args:
        environment: a virtual environment.

    Returns:
        how much that was [bytes].

    Raises:
        FileNotFoundError: it is none.
    """
    sites = sorted(environment.glob("lib*/python3*/site-packages"))
    if not sites:
        raise FileNotFoundError(f"{environment} has no site-packages")
    taken = 0
    for site in sites:
        for path in list(left_out(site)):
            if path.is_dir() and not path.is_symlink():
                taken += sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
                shutil.rmtree(path)
            elif path.exists():
                taken += path.lstat().st_size
                path.unlink()
    return taken


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {slim(Path(name)) / 2**20:.0f} MiB taken")
