"""``--k8s-version A,B``: the answer under A, what differs under B, and the commands that take one version alone.

From 1.36 on a pod of the host's network with user namespaces needs a node that declares that feature; 1.35 did not ask.
"""

import io
import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest
import yaml

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write

BOTH = ["--k8s-version", "1.35,1.37"]
HOST: dict[str, Any] = {"hostNetwork": True, "hostUsers": False}
WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {**HOST, "containers": [{"name": "main", "image": "x"}]},
        },
    },
}


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    return write(tmp_path, node("n-1"), owned(pod("p", cpu="2", **HOST), "ReplicaSet", "p"), pod("q"))


@pytest.fixture
def web(tmp_path: Path) -> str:
    file = tmp_path / "web.yaml"
    file.write_text(yaml.safe_dump(WEB))
    return str(file)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_pod_under_two_versions(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    code, out, _ = run(capsys, "explain", "p", *BOTH, "--snapshot", snapshot)
    assert code == 0
    assert out == dedent(
        """\
        FITS     default/p goes to n-1 (1 of 1 nodes fits)
        Because  n-1 is the only node
        Under    1.37: PENDING default/p fits 0 of 1 nodes
                 1 feature not declared: UserNamespacesHostNetworkSupport, on every node
                                                   1.35  1.37
                 goes to                           n-1   - (PENDING)
                 refused: 1 feature not declared:  -     1
                 UserNamespacesHostNetworkSupport

        From     made-up.json, 1 node, 2 pods; rules of 1.35 (as asked)
        """
    )


@pytest.mark.parametrize(
    ("words", "first", "second", "differences", "code"),
    [
        (["explain", "p"], "FITS", "PENDING", {"goes to": ("n-1", "- (PENDING)")}, 0),
        (["explain", "p", "--exit-code"], "FITS", "PENDING", {}, 1),
        (["explain", "-A"], "FITS", "PENDING", {"default/p": ("n-1", "- (PENDING)")}, 0),
        (["simulate"], "FITS", "PARTLY", {"rs/default/p #1": ("n-1", "node-features")}, 1),
        (["check", "WEB"], "PASSES", "FAILS", {"deploy/default/web": ("placed: n-1", "none of 2 pods fits")}, 1),
        (["capacity", "WEB", "--replicas", "2"], "FITS", "BLOCKED", {"n-1": ("2 more", "-")}, 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_differs_is_told_one_by_one_and_the_worse_exit_code_counts(
    capsys: pytest.CaptureFixture[str],
    snapshot: str,
    web: str,
    words: list[str],
    first: str,
    second: str,
    differences: dict[str, tuple[str, str]],
    code: int,
) -> None:
    words = [web if word == "WEB" else word for word in words]
    done, out, _ = run(capsys, *words, *BOTH, "--snapshot", snapshot, "-o", "json")
    document = json.loads(out)
    other = document["otherVersion"]
    told = {one["what"]: (one["first"], one["second"]) for one in other["differences"]}
    assert (document["verdict"], other["verdict"], other["rules"], other["same"]) == (first, second, "1.37", False)
    assert differences.items() <= told.items()
    assert done == code
    jsonschema.validate(document, json.loads(json_schema(document["kind"])))


@pytest.mark.parametrize(
    "words", [["drain", "n-1"], ["drain", "--find"], ["fail", "n-1"], ["fail", "--each", "node"], ["explain", "q"]]
)
def test_what_is_the_same_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]) -> None:
    file = write(tmp_path, node("n-1"), node("n-2"), owned(pod("w", on="n-1"), "ReplicaSet", "w"), pod("q", cpu="4"))
    _, out, _ = run(capsys, *words, "--k8s-version", "1.36,1.37", "--snapshot", file, "-q")
    assert "Under    1.37: the same\n" in out


def test_a_drain_tells_which_pod_lands_elsewhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = write(
        tmp_path, node("n-1"), node("n-2"), owned(pod("w", on="n-1", **HOST), "ReplicaSet", "w"), name="drain.json"
    )
    code, out, _ = run(capsys, "drain", "n-1", *BOTH, "--snapshot", file, "-o", "json")
    other = json.loads(out)["otherVersion"]
    assert (code, other["verdict"]) == (1, "BLOCKED")
    assert [one["first"] for one in other["differences"] if one["what"] == "default/w"] == ["-> n-2"]


def test_a_check_tells_both_in_every_report(
    capsys: pytest.CaptureFixture[str], snapshot: str, web: str, tmp_path: Path
) -> None:
    outputs = [f"{name}={tmp_path / name}" for name in ("markdown", "junit", "github")]
    words = [word for one in outputs for word in ("-o", one)]
    assert run(capsys, "check", web, *BOTH, "--snapshot", snapshot, *words)[0] == 1
    markdown, junit, github = ((tmp_path / name).read_text() for name in ("markdown", "junit", "github"))
    assert "**Under 1.37** FAILS, deploy/default/web fails\n" in markdown
    assert '<testcase name="rules of 1.37" classname="versions">\n      <failure type="other-version"' in junit
    assert "::error title=kplan under 1.37%3A FAILS::deploy/default/web fails: deploy/default/web: " in github


@pytest.mark.parametrize("words", [["nodes"], ["explain", "node", "n-1"]], ids=" ".join)
def test_what_is_about_one_version_names_the_command_that_compares(
    capsys: pytest.CaptureFixture[str], snapshot: str, words: list[str]
) -> None:
    code, _, told = run(capsys, *words, *BOTH, "--snapshot", snapshot)
    assert code == 2
    assert "--k8s-version 1.35,1.37: this command takes one version" in told
    assert f"hint: kplan diff --k8s-version 1.35,1.37 --snapshot {snapshot} compares" in " ".join(told.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["simulate", "--k8s-version", "1.35,1.36,1.37"], "two versions, as 1.35,1.37"),
        (["simulate", "--k8s-version", "1.35,"], "two versions, as 1.35,1.37"),
        (["simulate", "-", *BOTH], "standard input is read once"),
        (["explain", "-w", *BOTH], "this command takes one version"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    capsys: pytest.CaptureFixture[str],
    snapshot: str,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    told: str,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    code, _, error = run(capsys, *words, "--snapshot", snapshot)
    assert code == 2
    assert told in error


def test_what_ifs_are_taken_under_each(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    _, out, _ = run(capsys, "explain", "p", "--cordon", "n-1", *BOTH, "--snapshot", snapshot, "-o", "json")
    document = json.loads(out)
    assert (document["verdict"], document["otherVersion"]["verdict"]) == ("PENDING", "PENDING")
    assert len(document["whatIf"]) == 1


def test_the_page_has_it_under_the_verdict(capsys: pytest.CaptureFixture[str], snapshot: str, tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    run(capsys, "explain", "p", "--node", "n-1", *BOTH, "--snapshot", snapshot, "-o", f"html={page}")
    html = page.read_text()
    assert "<dt>Under</dt><dd>1.37: PENDING default/p fits 0 of 1 nodes</dd>" in html
    assert "<dt>Node</dt><dd>n-1 fits, and is the only one: nothing is scored</dd>" in html
