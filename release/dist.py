"""``python -m release.dist``: everything a release consists of, the same bytes however often it is made.

The wheel and the sdist are made of what git tracks, with the time of the last commit on every file; the files for
Homebrew and krew name them by version and SHA-256. ``--twice`` makes all of it again elsewhere and compares.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = "https://github.com/OWNER/kplan"
"""Where releases are; whoever publishes says where: ``--home``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the files; 1 if those made a second time differ."""
    parser = argparse.ArgumentParser(prog="python -m release.dist", description=__doc__)
    parser.add_argument("out", type=Path, nargs="?", default=ROOT / "dist", help="folder; dist if it is not given")
    parser.add_argument("--twice", action="store_true", help="make everything again from a copy, and compare")
    parser.add_argument("--home", default=HOME, metavar="URL", help="where releases are")
    given = parser.parse_args(arguments)
    made = make(ROOT, given.out, given.home)
    for name, digest in made.items():
        print(f"{digest}  {name}")
    if not given.twice:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "elsewhere" / "kplan"
        for name in tracked(ROOT):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        again = make(copy, Path(folder) / "dist", given.home, epoch(ROOT))
    differ = sorted(name for name in made.keys() | again.keys() if made.get(name) != again.get(name))
    print(f"made twice: {', '.join(differ)} differ" if differ else f"made twice: {len(made)} files, the same bytes")
    return 1 if differ else 0


def make(root: Path, out: Path, home: str, seconds: int | None = None) -> dict[str, str]:
    """Make everything, and give the SHA-256 of each file by its name.

    Args:
        root: the checkout.
        out: folder for it.
        home: where releases are.
        seconds: time on every file [seconds since 1970]; of the last commit if None.
    """
    seconds = epoch(root) if seconds is None else seconds
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kplan"
        for name in tracked(root):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, source / name)
            os.utime(source / name, (seconds, seconds))
            (source / name).chmod(0o755 if os.access(root / name, os.X_OK) else 0o644)
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(seconds)}
        for hook in ("build_wheel", "build_sdist"):
            call = f"from setuptools import build_meta; build_meta.{hook}({str(Path(folder) / 'made')!r})"
            done = subprocess.run(
                [sys.executable, "-c", call], cwd=source, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                sys.exit(f"{hook} failed:\n{done.stderr}")
        made = sorted((Path(folder) / "made").iterdir())
        for path in made:
            data = path.read_bytes() if path.suffix == ".whl" else settled(path, seconds)
            (out / path.name).write_bytes(data)
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    digests = {path.name: hashlib.sha256((out / path.name).read_bytes()).hexdigest() for path in made}
    sdist = next(name for name in digests if name.endswith(".tar.gz"))
    for name, text in (
        ("kplan.rb", formula(version, home, sdist, digests[sdist])),
        ("plan.yaml", krew(version, home, sdist, digests[sdist])),
    ):
        (out / name).write_text(text, encoding="utf-8")
        digests[name] = hashlib.sha256(text.encode()).hexdigest()
    return digests


def tracked(root: Path) -> list[str]:
    """Files of a checkout, as git lists them; where it cannot, all but what tools leave behind."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    done = subprocess.run(command, capture_output=True, text=True, check=False) if (root / ".git").exists() else None
    if done is not None and not done.returncode:
        return [name for name in done.stdout.split("\0") if name and (root / name).is_file()]
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if not _LEFT_BEHIND.intersection(path.parts))


_LEFT_BEHIND = frozenset(
    {".git", ".venv", "build", "dist", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"}
)


def epoch(root: Path) -> int:
    """Time of the last commit [seconds since 1970], without git the first of 1980; ``SOURCE_DATE_EPOCH`` wins."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if told:
        return int(told)
    command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(done.stdout) if not done.returncode else 315532800


def settled(path: Path, seconds: int) -> bytes:
    """A tar archive again, with nothing in it that depends on when and by whom it was made."""
    packed = io.BytesIO()
    with (
        tarfile.open(path) as source,
        gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=seconds) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in sorted(source.getmembers(), key=lambda entry: entry.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = seconds, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            target.addfile(member, source.extractfile(member) if member.isfile() else None)
    return packed.getvalue()


def formula(version: str, home: str, sdist: str, digest: str) -> str:
    """A Homebrew formula that installs the sdist into an environment of its own."""
    return f"""\
class Kplan < Formula
  include Language::Python::Virtualenv

  desc "What the Kubernetes scheduler will do, before it does it"
  homepage "{home}"
  url "{home}/releases/download/v{version}/{sdist}"
  sha256 "{digest}"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    venv = virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "pip", "install", buildpath
    bin.install_symlink libexec/"bin/kplan", libexec/"bin/kubectl-plan"
    generate_completions_from_executable(bin/"kplan", "completion")
  end

  test do
    assert_match "{version}", shell_output("#{{bin}}/kplan --version")
    assert_match "BLOCKED", shell_output("#{{bin}}/kplan demo")
  end
end
"""


def krew(version: str, home: str, sdist: str, digest: str) -> str:
    """A krew manifest: ``kubectl plan``, from the sdist, with the Python that is there."""
    return f"""\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: plan
spec:
  version: v{version}
  homepage: {home}
  shortDescription: What the scheduler will do, before it does it
  description: |
    Runs kube-scheduler's whole pipeline offline: why a pod is Pending, what would help, what a manifest, a drain or a
    lost zone comes to. It reads, and writes nothing unless told so (kubectl plan bind --apply).
  caveats: |
    Needs Python 3.11 or newer; the first run installs what it needs into ~/.cache/kplan-plugin.
  platforms:
    - selector:
        matchExpressions:
          - {{key: os, operator: In, values: [linux, darwin]}}
      uri: {home}/releases/download/v{version}/{sdist}
      sha256: {digest}
      files:
        - {{from: "kplan-*/*", to: "."}}
      bin: release/kubectl-plan
"""


if __name__ == "__main__":
    sys.exit(main())
