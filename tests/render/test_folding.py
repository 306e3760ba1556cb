"""What many pods wait for alike is told once: of 300 pods with five causes every format for people has five entries."""

import json
import re

import pytest

from kplan.cli.main import main
from tests.render import folding
from tests.render.folding import CAUSES, EACH


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Texts of both commands, by command and format."""
    folder = tmp_path_factory.mktemp("folding")
    full, empty, landing = folding.write(folder)
    asked = {
        "explain": (["explain", "pod", "-A", "--snapshot", full], ("text", "markdown", "html")),
        "check": (["check", landing, "--snapshot", empty], ("text", "markdown", "html", "github")),
    }
    told = {}
    for name, (words, kinds) in asked.items():
        assert main([*words, *(part for kind in kinds for part in ("-o", f"{kind}={folder / kind}"))]) in (0, 1, 4)
        told |= {f"{name} {kind}": (folder / kind).read_text() for kind in kinds}
    return told


def test_explain_of_all_pods_has_an_entry_for_each_cause(formats: dict[str, str]) -> None:
    for kind in ("text", "markdown"):
        lines = formats[f"explain {kind}"].splitlines()
        assert len([line for line in lines if line.startswith(f"{EACH:>7}  ")]) == len(CAUSES), kind
        for name in CAUSES:
            assert sum(f"{name}-00" in line for line in lines) == {"text": 1, "markdown": 2}[kind], name
            assert not any(f"{name}-05" in line for line in lines), name
    rows = [line.split("|")[1].strip() for line in formats["explain markdown"].splitlines() if line.startswith("| ml/")]
    assert rows == [f"ml/{name}-00, ml/{name}-01, +58" for name in ("claim", "cpu", "disk", "taint", "gated")]
    assert "240 of 300 waiting pods fit no node, for 4 causes; 60 GATED" in " ".join(formats["explain text"].split())


def test_the_page_of_all_pods_has_an_entry_for_each_cause(formats: dict[str, str]) -> None:
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', formats["explain html"], re.DOTALL)
    assert data is not None
    folds = json.loads(data[1])["document"]["folds"]
    assert [fold["count"] for fold in folds] == [EACH] * len(CAUSES)


def test_check_folds_objects_and_findings_by_their_cause(formats: dict[str, str]) -> None:
    lines = formats["check text"].splitlines()
    rows = [line for line in lines if re.match(r"^ {9}(FAIL|ok  )  ", line)]
    assert [row.split()[:2] for row in rows] == [
        ["FAIL", "pod/ml/cpu-00,"],
        ["FAIL", "pod/ml/disk-00,"],
        ["FAIL", "pod/ml/claim-00,"],
        ["FAIL", "pod/ml/taint-00,"],
        ["ok", "pod/ml/gated-00,"],
    ]
    assert sum("does-not-fit: " in line for line in lines) == 3  # besides Because
    assert sum("likewise" in line for line in lines) == 4
    assert "each: -o wide" in formats["check text"]


def test_the_comment_folds_them_likewise(formats: dict[str, str]) -> None:
    head = formats["check markdown"].partition("<details>")[0]
    rows = [line.split("|")[1:3] for line in head.splitlines() if line.startswith("| ")][2:]
    assert [(status.strip(), name.strip()) for status, name in rows] == [
        *(("FAIL", f"`pod/ml/{name}-00, pod/ml/{name}-01, +58`") for name in ("cpu", "disk", "claim", "taint")),
        ("ok", "`pod/ml/gated-00, pod/ml/gated-01, +58`"),
    ]
    assert len(re.findall(r"^\*\*(Because|And)\*\* ", head, re.MULTILINE)) == 4
    assert len(re.findall("^likewise .*, \\+53", head, re.MULTILINE)) == 4


def test_annotations_are_one_for_each_cause(formats: dict[str, str]) -> None:
    errors = [line for line in formats["check github"].splitlines() if line.startswith("::error file=")]
    assert len(errors) == 4
