"""``kplan capacity``: what is asked of it that it cannot answer."""

from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write

WRONG = [
    ("a workload twice", ["rs/web", "rs/default/web"], "rs/default/web is named twice"),
    ("a number of new nodes", ["rs/web", "--node", "like=a,count=3"], "how many is what is looked for"),
    ("a name without its kind", ["web"], "hint: of what runs here: deploy/web, sts/web"),
    ("nothing", [], "name a workload, a manifest or --shapes"),
]


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], told: str) -> None:
    cluster = write(tmp_path, node("a"), owned(pod("web-1", on="a"), "ReplicaSet", "web"))
    assert main(["capacity", *words, "--snapshot", cluster]) == 2
    assert told in capsys.readouterr().err
