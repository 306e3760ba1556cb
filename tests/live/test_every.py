"""Snapshots at intervals of a real API server."""

import re
import subprocess
import sys
from pathlib import Path

from kplan.sources import load
from tests.live.controlplane import ControlPlane


def test_the_last_snapshots_are_kept_and_others_left_alone(server: ControlPlane, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "cluster-20200101T000000Z.json.gz").write_bytes(b"old")
    (folder / "notes.txt").write_text("mine")
    words = ["snapshot", str(folder), "--every", "1s", "--keep", "2", "--for", "3.5", "--kubeconfig", server.kubeconfig]
    done = subprocess.run(
        [sys.executable, "-m", "kplan", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 3
    assert names[-1] == "notes.txt"
    assert all(re.fullmatch(r"cluster-20\d{6}T\d{6}Z\.json\.gz", name) for name in names[:2])
    assert "cluster-20200101T000000Z.json.gz" not in names
    assert [node.name for node in load(folder / names[1]).nodes] == [f"node-{number}" for number in range(6)]
    assert {path.stat().st_mode & 0o077 for path in folder.glob("*.gz")} == {0}
    assert done.stderr.count("wrote ") == 4
