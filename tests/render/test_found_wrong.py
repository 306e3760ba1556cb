"""What answers were found to say wrongly, each held here or in the test that is named beside it.

The farthest nodes stood first under Nearest: ``tests/reasons/test_groups.py``, nodes with too little free come before
more nodes that are too small, and of as many reasons the node that lacks the smallest share is nearest. A Try of many
pods named one of their numbers: ``tests/remedies/test_many.py``. Alerts, annotations, cases and comments of CI:
``test_sarif.py``, ``test_github.py``, ``test_junit.py``, ``test_markdown.py``; ``test_readers.py`` reads them as
others do.
"""

import json
import re
from pathlib import Path

import pytest

from kplan.cli.main import main
from kplan.render import markdown
from kplan.render.rows import plain
from kplan.render.text import Style
from kplan.render.text.nodes import node_list
from tests.builders import node
from tests.cli import snapshots
from tests.render.checks import checked, document, doubt
from tests.render.everything import answer
from tests.studies.test_nodes import listed


def test_a_sweep_tells_of_each_drain_a_pod_that_runs_on_its_node() -> None:
    """One pod's reason was credited to drains whose rows name others."""
    told = answer("short", "sweep")
    there = {"a": ("web", "db-0"), "b": ("web", "cart"), "c": ("web", "db-1"), "d": ("cart",), "e": ("web", "db-2")}
    because = {
        outcome["name"].removeprefix("drain "): outcome["because"]["text"]
        for outcome in plain(told.document)["outcomes"]
        if "because" in outcome
    }
    lines = [line.strip() for line in told.text(200).splitlines()]
    shown = [found for line in lines if (found := re.search(r"drain (node-\w): (\S+?)/(\S+?):", line))]
    assert len(shown) >= 2
    for found in shown:
        name, _, pod = found.groups()
        assert because[name].startswith(f"{found[2]}/{pod}:"), found[0]
        assert any(pod.startswith(part) for part in there[name[-1]]), found[0]
    assert len({found[3] for found in shown}) > 1


def test_a_node_without_pods_loses_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """``fail --each`` said that some pods do not come back, of a node that has none."""
    bare = snapshots.pod("bare", on="busy")
    snapshot = snapshots.write(tmp_path, snapshots.node("busy"), snapshots.node("idle"), bare)
    assert main(["fail", "--each", "node", "--snapshot", snapshot, "-o", "text", "-o", f"json={tmp_path / 'a'}"]) == 1
    cases = {case["name"]: case for case in json.loads((tmp_path / "a").read_text())["cases"]}
    assert (cases["idle"]["verdict"], cases["idle"].get("because")) == ("FITS", None)
    assert cases["busy"]["verdict"] == "BLOCKED"
    assert re.search(r"^ +idle +- +- +- +- +- +FITS$", capsys.readouterr().out, re.MULTILINE)


def test_doubts_of_nodes_stand_under_the_verdict_with_their_label() -> None:
    """They stood last, without one."""
    first, second, *rest = node_list(listed(node("a")), Style()).splitlines()
    assert (first[:6], second[:9]) == ("NODES?", "Doubt    ")
    assert not any("holds no pods" in line for line in rest[2:])


def test_the_title_of_an_answer_in_doubt_says_what_it_would_be() -> None:
    """It read ``PASSES?``."""
    title = markdown.comment(document(checked(), doubts=(doubt(),))).splitlines()[1]
    assert title == "### kplan: IN DOUBT, else PASSES: so it is"
