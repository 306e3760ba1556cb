"""``python -m release.pins``: the versions of the lock, without hashes, as constraints for pip.

``--name`` prints what the single file is called: it runs with the Python minor and on the platform it was made with.
"""

import re
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(r"[A-Za-z0-9_.-]+==[^\\]+")


def pins(lock: str) -> list[str]:
    """Each ``name==version`` of a lock, with its marker."""
    return [match[0].strip() for line in lock.splitlines() if (match := _PIN.match(line))]


def name() -> str:
    """``kplan-0.1.0-cp311-linux_x86_64.pyz``."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    return f"kplan-{version}-cp{sys.version_info[0]}{sys.version_info[1]}-{platform}.pyz"


if __name__ == "__main__":
    print(name() if "--name" in sys.argv[1:] else "\n".join(pins((ROOT / "requirements-dev.lock").read_text("utf-8"))))
