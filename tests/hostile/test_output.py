"""Output is data: whatever a name, a label, an image or a message holds, it is shown, and does nothing."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import kplan
from kplan.cli.main import main
from kplan.cli.targets import FORMATS
from kplan.render.data import escaped_json, yaml_of
from kplan.render.markdown import _text
from kplan.visible import is_visible, visible, without_commands
from tests.hostile.samples import node, pod

EVIL = {
    "an escape": "a\x1b[2J\x1b[32mPASSES",
    "a title of the terminal": "a\x1b]0;pwned\x07",
    "C1": "a\x9b31mx",
    "a line break and a command": "a\n::error file=pay.go,line=1::fake\n::stop-commands::x",
    "a carriage return": "a\rFITS",
    "a command behind a space": "b ::stop-commands::pwned " + " " * 60 + "::add-mask::PASSES",
    "a command of another kind": "a##[add-mask]x ##vso[task.complete]",
    "a mark that turns text": "a\u202egnp.exe",
    "an isolate": "a\u2066b\u2069",
    "zero width": "a\u200bb\u200d\ufeff",
    "a filler": "a\u3164b",
    "tags": "a\U000e0041\U000e007f",
    "a line separator": "a\u2028::error::x\u2029b\x85::error::y",
    "rich markup": "[red]a[/red] [link=http://x]y[/link]",
    "HTML": "a<img src=x onerror=alert(1)></script><script>alert(1)</script>",
    "Markdown": "x http://a.io<img src=http://e.example/p.png><a href=http://e.example>Merge</a> | `x` @octocat #1",
    "a formula": "=cmd|' /C calc'!A0",
}


def cluster(evil: str) -> list[dict[str, Any]]:
    """A cluster with a text in every place that a report may show."""
    taint = {"key": evil, "value": evil, "effect": "NoSchedule"}
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20", f"x.io/{evil}": "3"}}
    told = {"type": "Ready", "status": "False", "reason": evil, "message": evil}
    ref = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": evil, "uid": "u", "controller": True}]
    requests = {"requests": {"cpu": "1", f"x.io/{evil}": "9"}}
    return [
        node(evil, spec={"taints": [taint]}, status={**status, "conditions": [told]}),
        node("n1", metadata={"name": "n1", "labels": {evil: evil, "topology.kubernetes.io/zone": evil}}, status=status),
        pod(f"run-{evil}", "n1", {"namespace": evil, "labels": {"app": evil}, "ownerReferences": ref}),
        pod(f"wait-{evil}", meta={"namespace": evil, "labels": {"app": evil}}, nodeSelector={evil: "no"}),
        pod(
            f"big-{evil}",
            meta={"namespace": "d"},
            containers=[{"name": evil, "image": evil, "resources": requests}],
            priorityClassName=evil,
            volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": evil}}],
        ),
        pod(7, meta={"namespace": evil}),  # type: ignore[arg-type]  # broken, so that a note names it
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": evil, "namespace": evil},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": evil}}},
        },
        {"apiVersion": f"{evil}/v1", "kind": evil, "metadata": {"name": evil}},
    ]


def commands(state: str, manifest: str) -> list[list[str]]:
    read = ["--snapshot", state]
    return [
        ["explain", "pod", *read],
        ["explain", "node", "n1", *read],
        ["nodes", *read],
        ["simulate", *read],
        ["simulate", manifest, *read],
        ["check", manifest, *read],
        ["capacity", manifest, *read],
        ["moves", "-f", manifest, *read],
        ["pack", *read],
        ["drain", "n1", *read],
        ["fail", "n1", *read],
        ["fail", "--each", "node", *read],
        ["explain", "pod", "--audit", *read],
        ["config", *read],
        ["sweep", "--fail-each", "node", *read],
        ["bind", "-A", *read],
        ["bind", "-f", manifest, *read],
        ["diff", state, str(DEMO)],
        ["simulate", manifest, "--cordon", "n1", *read],
    ]


DEMO = Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml"
GROUPS = 4
SAMPLE = re.compile(r'# (HELP|TYPE) kplan_.*|kplan_[a-z_]+(\{([a-z_]+="([^"\\]|\\[\\"n])*",?)*\})? -?[0-9.e+]+')
"""A line of Prometheus: of what a label holds, the format knows three escapes."""
METRICS = (["nodes"], ["capacity"], ["fail", "--each"])
"""Commands whose documents have numbers."""


def stands_for_itself(text: str, format: str) -> None:
    """Nothing is hidden, nothing acts on a terminal, nothing orders a CI about."""
    assert [line for line in text.split("\n") if not is_visible(line.replace("\u00a0", " "))] == []
    assert "##[" not in text
    own = re.compile(r"::(error|warning|notice) ") if format == "github" else re.compile("(?!)")
    begins = [line for line in text.split("\n") if line.strip().startswith("::") and not own.match(line)]
    assert [line for line in begins if format != "html" or not line.rstrip().endswith(("{", ","))] == []


def write(file: Path, items: list[dict[str, Any]]) -> str:
    file.write_text(json.dumps(items))
    return str(file)


def formats_of(words: list[str]) -> tuple[str, ...]:
    """Formats that the document of a command has."""
    return tuple(
        format
        for format in FORMATS
        if (words[0] == "check" or format not in ("junit", "sarif", "github", "codeclimate"))
        and not (format == "name" and (words[:2] == ["explain", "node"] or "--audit" in words))
        and not (format == "name" and words[0] in ("capacity", "diff", "bind", "moves", "pack"))
        and not (format == "prometheus" and words[:1] not in METRICS and words[:2] not in METRICS)
        and not (format == "prometheus" and words[0] == "check")
        and words[0] != "config"
    )


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_text_does_anything_in_any_command_and_format(
    group: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evils = list(EVIL.values())[group::GROUPS]
    state = write(tmp_path / "state.json", [item for evil in evils for item in cluster(evil)])
    landing = [pod(f"new-{evil}", meta={"namespace": evil}, nodeSelector={evil: evil}) for evil in evils]
    manifest = write(tmp_path / "m.json", [*landing, *(item for evil in evils for item in cluster(evil)[3:6])])
    for words in commands(state, manifest):
        made = {format: tmp_path / f"out.{format}" for format in formats_of(words)}
        code = main([*words, "-o", "text", *(one for name, file in made.items() for one in ("-o", f"{name}={file}"))])
        out, err = capsys.readouterr()
        assert code != 70, (words, err)
        stands_for_itself(out, "text")
        stands_for_itself(err, "notes")
        if code == 2:  # what the API server would refuse cannot be bound, or counted
            assert words[0] in ("bind", "capacity", "moves"), err
            continue
        if not made:  # kplan config has text, and YAML that it writes itself
            continue
        for format, file in made.items():
            stands_for_itself(file.read_text(), format)
        for format, file in made.items():
            READERS.get(format, str)(file.read_text())


def is_page(text: str) -> None:
    """No tag and no script of a name, in pictures either; nothing is loaded or run that kplan did not write."""
    assert "<img" not in text
    assert "alert(1)</script>" not in text
    assert text.count('<meta http-equiv="Content-Security-Policy" content="default-src \'none\';') == 1


def is_table(text: str) -> None:
    """No cell is a formula, by whatever sign one may begin."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert [cell for cell in cells if cell.lstrip()[:1] in ("=", "+", "@")] == []
    assert [cell for cell in cells if cell.startswith("-") and not NUMBER.fullmatch(cell)] == []


def is_metrics(text: str) -> None:
    assert [line for line in text.splitlines() if not SAMPLE.fullmatch(line)] == []


NUMBER = re.compile(r"-?[0-9.]*")
READERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "sarif": json.loads,
    "codeclimate": json.loads,
    "junit": ElementTree.fromstring,
    "html": is_page,
    "csv": is_table,
    "prometheus": is_metrics,
}
"""What a format is read by; what breaks out of its place breaks that."""


TEMPLATES = ("jsonpath={..pod} {..node} {.sentence} {..text}", "custom-columns=A:.pod,B:.node,C:.text")


@pytest.mark.parametrize("template", TEMPLATES)
def test_nor_in_a_template(template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = write(tmp_path / "state.json", [item for evil in EVIL.values() for item in cluster(evil)])
    shown = []
    for words in (["nodes"], ["explain", "pod", "-A"], ["simulate"], ["drain", "n1"], ["fail", "n1"]):
        assert main([*words, "--snapshot", state, "-o", template]) in (0, 1), words
        out, err = capsys.readouterr()
        stands_for_itself(out, "text")
        stands_for_itself(err, "notes")
        shown.append("a\\x1b[2J" in out)
    assert sum(shown) > 2


def test_nor_in_python(tmp_path: Path) -> None:
    state = kplan.State(write(tmp_path / "state.json", [item for evil in EVIL.values() for item in cluster(evil)]))
    for answer in (state.nodes(), state.simulate(), state.explain(), state.explain_node("n1"), state.drain("n1")):
        for text in (repr(answer), *answer.notes):
            stands_for_itself(text, "text")
        page = answer._repr_html_()
        stands_for_itself(page, "html")
        assert page.count("<") == 2  # the frame and its end: all else is its attribute


def test_nor_in_what_a_user_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Settings, and the folder of --every, are named in messages; both may come with a repository."""
    for number, evil in enumerate(EVIL.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / ".kplan.yaml").write_text(json.dumps({evil: evil}))
        with contextlib.chdir(folder):
            assert main(["nodes"]) == 2
        assert main(["snapshot", "--every", "1h", f"/dev/null/{evil}", "--snapshot", str(DEMO)]) == 2
        out, err = capsys.readouterr()
        stands_for_itself(out + err, "notes")
        assert err.count("kplan: error: ") == 2


def test_what_is_escaped_in_json_is_what_was_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "state.json"
    for evil in EVIL.values():
        file.write_text(json.dumps([node(evil)]))
        assert main(["nodes", "-o", "json", "--snapshot", str(file)]) == 0
        assert json.loads(capsys.readouterr().out)["nodes"][0]["node"] == evil
        assert main(["nodes", "-o", "yaml", "--snapshot", str(file)]) == 0
        assert yaml.safe_load(capsys.readouterr().out)["nodes"][0]["node"] == evil


def test_errors_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    for evil in EVIL.values():
        assert main(["nodes", "--snapshot", f"/nope/{evil}"]) == 2
        err = capsys.readouterr().err
        stands_for_itself(err, "notes")
        assert err.count("\n") == 1


SEEN = {
    "a": "a",
    "ä 漢 ✓": "ä 漢 ✓",
    "a\tb\nc": r"a\tb\nc",
    "\x1b[31m": r"\x1b[31m",
    "\x9b": r"\x9b",
    "\u202e": r"\u202e",
    "\U000e0041": r"\U000e0041",
    "\ud800": r"\ud800",
    "\u3164": r"\u3164",
}


def test_what_is_not_seen_is_written_out() -> None:
    assert {text: visible(text) for text in SEEN} == SEEN
    assert visible("a\x1b\nb", lines=True) == "a\\x1b\nb"


ORDERS = {
    "::error::x": r"\x3a:error::x",
    "a\n  ::add-mask::x": "a\n  \\x3a:add-mask::x",
    "a ::b": "a ::b",
    "##[group]": r"\x23#[group]",
    "x ##vso[a]": r"x \x23#vso[a]",
    "## a": "## a",
}


def test_orders_to_a_ci_are_taken_apart() -> None:
    assert {text: without_commands(text) for text in ORDERS} == ORDERS


@given(st.text())
def test_any_text_is_visible_once_it_is_shown(text: str) -> None:
    assert is_visible(visible(text))


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"]))
    )
)
def test_escapes_of_json_and_yaml_change_no_value(value: dict[str, str]) -> None:
    assert json.loads(escaped_json(json.dumps(value, ensure_ascii=False, indent=2))) == value
    assert yaml.safe_load(yaml_of(value)) == value


def test_markdown_has_no_tag_and_no_link_of_a_name() -> None:
    told = _text(EVIL["Markdown"])
    assert told == (
        r"x http&#58;//a.io&lt;img src=http&#58;//e.example/p.png>&lt;a href=http&#58;//e.example>Merge&lt;/a> "
        r"\| \`x\` @&#8203;octocat #&#8203;1"
    )
