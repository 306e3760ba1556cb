"""Whatever a file holds: an answer, or one clear line and exit 2; never an internal error, never a false answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kplan.cli.app import COMMANDS
from kplan.cli.main import main
from tests.hostile.samples import INPUTS, node, of, pod

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")
ANSWERS = (0, 1, 2, 3, 4)
LONGEST = 2_000
"""Of a line of standard error [characters]."""


def commands(file: str, out: Path, land: list[str]) -> list[list[str]]:
    """Every command that reads anything, with a file wherever one may stand."""
    read = ["--snapshot", file]
    return [
        ["explain", "pod", *read],
        ["explain", "pod", "run", "-n", "d", "-o", "wide", *read],
        ["explain", "node", "n0", *read],
        ["nodes", *read],
        ["nodes", "--scale", "deploy/w=0", *read],
        ["simulate", *read],
        ["moves", "-f", str(out.with_name("good.json")), *read],
        ["pack", *read],
        ["pack", "--prices", file, *land],
        ["simulate", file, *read],
        ["drain", "n0", *read],
        ["fail", "n0", *read],
        ["sweep", "--fail-each", "node", "-j", "1", *read],
        ["capacity", str(out.with_name("good.json")), *read],
        ["check", str(out.with_name("good.json")), *read],
        ["diff", file, *land[1:]],
        ["snapshot", str(out), "--redact", *read],
        ["bind", "-A", *read],
        ["config", *read],
        ["simulate", file, *land],
        ["check", file, *land, "-o", "sarif"],
        ["capacity", file, *land],
        ["moves", "-f", file, *land],
        ["bind", "-f", file, *land, "-o", "json"],
        ["nodes", "--add-manifest", file, *land],
        ["nodes", "--scenario", file, *land],
        ["simulate", "--config", file, *land],
        ["nodes", "--policy", file, *land],
        ["check", str(out.with_name("good.json")), "--policy", file, *land],
        ["check", str(out.with_name("good.json")), "--baseline", file, *land],
        ["capacity", "--shapes", file, *land],
        ["capacity", "--cheapest", file, *land],
        ["sweep", file, "-j", "1", *land],
        ["bind", "--plan", file, *land],
        ["bind", "--resume", file, "--kubeconfig", str(out.with_name("none"))],
        ["nodes", "--kubeconfig", file],
        ["unredact", file, str(out.with_name("good.json"))],
        ["config", "migrate", file],
    ]


NOTHING_TO_READ = {"demo", "plugins", "schema", "completion"}


def test_every_command_that_reads_is_among_them(tmp_path: Path) -> None:
    asked = {words[0] for words in commands("in", tmp_path / "out", ["--snapshot", "land"])}
    assert asked == set(COMMANDS) - NOTHING_TO_READ


@pytest.mark.parametrize("case", INPUTS)
def test_no_file_breaks_any_command(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer, or a line and a hint: of a file alone nothing more is told than what it holds; of no server, that."""
    file, land = tmp_path / "in", tmp_path / "land.json"
    file.write_bytes(INPUTS[case])
    land.write_bytes(of(pod("p")))
    (tmp_path / "good.json").write_text(json.dumps(pod("good")))
    for words in commands(str(file), tmp_path / "out.json", ["--snapshot", str(land)]):
        code = main(words)
        _, err = capsys.readouterr()
        live = (5,) if "--kubeconfig" in words else ()
        assert code in (*ANSWERS, *live), f"{words}: {err}"
        errors = [line for line in err.splitlines() if line.startswith("kplan: error: ")]
        assert len(errors) == (code in (2, 5)), f"{words}: {err}"
        assert all(line.startswith(("kplan: ", "hint: ")) for line in err.splitlines()), f"{words}: {err}"
        assert max(map(len, err.splitlines()), default=0) < LONGEST, f"{words}: {err}"


def test_a_comment_right_behind_a_separator_separates_in_files_of_any_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {unschedulable: true}\n---# node 2: big é\n"
    two = "apiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"
    for padding in ("", f"---\n# {'x' * (1 << 18)}\n"):
        file = tmp_path / "nodes.yaml"
        file.write_text(one + two + padding)
        assert main(["nodes", "-q", "--snapshot", str(file)]) == 0
        assert capsys.readouterr().out.startswith("NODES?   2 nodes, 0 take pods (1 cordoned, 2 at the pod limit)")


def test_a_file_cut_in_the_middle_of_a_kind_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cut.yaml"
    file.write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: apps/v1\nkind: Deploy")
    main(["nodes", "--snapshot", str(file)])
    told = f"{file}:6:1: kind: it ends in the middle of its kind, Deployment perhaps: was the file cut off?"
    assert told in capsys.readouterr().err


READY = "metadata: {name: n1}\nstatus:\n  allocatable: {cpu: 4}\n"
CUTS = {
    "a value": ("metadata: {name: n1}\nspec:\n  unschedulable: tr", True),
    "a name": ("metadata:\n  name: n", True),
    "whole, without a last line break": ("metadata: {name: n1}", False),
    "whole": ("metadata:\n  name: n1\n", False),
    "a comment": ("metadata: {name: n1}\n# the end", False),
    "a value that cannot go on": ("metadata: {name: n1}\nspec:\n  unschedulable: true", False),
    "in an amount": ("metadata: {name: n1}\nstatus:\n  addresses: []\n  allocatable:\n    cpu: 1", True),
    "in what is not read": (f"{READY}  addresses:\n  - address: 10.0.0.1", False),
    "in what is not read, deeper": (
        f"{READY}  daemonEndpoints:\n    kubeletEndpoint:\n      Port: 102",
        False,
    ),
    "in what is read, behind what is not": (f"{READY}  addresses:\n  - address: 10.0.0.1\n  phase: Runn", True),
    "behind the name of the status": ("metadata: {name: n1}\nstatus:\n ", False),
    "in what a status does not hold": (f"{READY}  addresses: []\nspec:\n  podCIDR: 10", True),
}


@pytest.mark.parametrize("case", CUTS)
def test_a_file_cut_in_the_middle_of_a_value_is_told(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, told = CUTS[case]
    file = tmp_path / "cut.yaml"
    file.write_text(f"apiVersion: v1\nkind: Node\n{text}")
    main(["nodes", "--snapshot", str(file)])
    note = f"{file}: its last line has no line break and ends in a plain value: was the file cut off?"
    assert (note in capsys.readouterr().err) == told


@pytest.mark.parametrize("fits", [True, False], ids=["beside a pod", "alone"])
def test_what_the_api_server_refuses_is_certain_whatever_the_scheduler(
    fits: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meta = {"name": "kube-scheduler-n0", "namespace": "kube-system", "labels": {"component": "kube-scheduler"}}
    started = {"name": "kube-scheduler", "command": ["kube-scheduler", "--config=/etc/x.yaml"]}
    scheduler = pod("s", "n0", containers=[started])
    state, cut = tmp_path / "s.json", tmp_path / "cut.yaml"
    state.write_bytes(of({**scheduler, "metadata": meta}))
    more = f"{json.dumps(pod('fits'))}\n---\n" if fits else ""
    cut.write_text(f"{more}apiVersion: v1\nkind: Po\n")
    assert main(["check", str(cut), "--snapshot", str(state), "-o", "json"]) == 1
    doubts = [doubt["code"] for doubt in json.loads(capsys.readouterr().out).get("doubts", [])]
    assert "scheduler-config-assumed" not in doubts


def test_a_kind_of_another_group_is_not_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "whole.yaml"
    file.write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: example.com/v1\nkind: Po\n")
    main(["nodes", "--snapshot", str(file)])
    assert "cut off" not in capsys.readouterr().err


UNREADABLE = {
    "a name of 300 characters": "n" * 300,
    "a path of 6,000 characters": "d/" * 3000,
    "a NUL in a name": "a\0b",
}


@pytest.mark.parametrize("flag", ["--snapshot", "--add-manifest", "--scenario", "--config", "--policy", "--kubeconfig"])
@pytest.mark.parametrize("case", UNREADABLE)
def test_a_name_that_no_file_can_have(case: str, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    beside = [] if flag in ("--snapshot", "--kubeconfig") else ["--snapshot", DEMO]
    assert main(["nodes", flag, UNREADABLE[case], *beside]) == 2
    assert capsys.readouterr().err.startswith("kplan: error: ")


@pytest.mark.parametrize(
    "words",
    [
        ["--scale", "deploy/shop/web=2147483648"],
        ["--scale", "deploy/shop/web=" + "9" * 5000],
        ["--scale", "deploy/shop/web=٣"],
        ["--rows", "9" * 5000],
        ["--priority", "web=" + "9" * 5000],
        ["--set-pdb", "shop/web:minAvailable=" + "9" * 5000],
        ["--add-node", "cpu=4,memory=1Gi,count=" + "9" * 5000],
    ],
    ids=lambda words: words[0],
)
def test_numbers_in_flags_have_bounds(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", *words, "--snapshot", DEMO]) == 2
    assert capsys.readouterr().err.startswith("kplan: error: ")


DEEP = "a: " + "[" * 3000 + "]" * 3000


@pytest.mark.parametrize("text", [DEEP, "a: " + "9" * 5000, "a: 2001-99-99", "a: \udce9", "[" * 100_000])
@pytest.mark.parametrize(
    "words",
    [
        ["capacity", "--snapshot", DEMO, "--shapes"],
        ["nodes", "--snapshot", DEMO, "--config"],
        ["nodes", "--snapshot", DEMO, "--policy"],
        ["nodes", "--snapshot", DEMO, "--scenario"],
        ["nodes", "--kubeconfig"],
        ["check", "deploy/web", "--snapshot", DEMO, "--policy"],
        ["check", "deploy/web", "--snapshot", DEMO, "--baseline"],
        ["bind", "--snapshot", DEMO, "--plan"],
        ["bind", "--resume"],
        ["unredact"],
        ["config", "migrate"],
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_files_of_the_user_are_read_or_refused(
    words: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_bytes(text.encode(errors="surrogateescape"))
    assert main([*words, str(file)]) == (5 if "--kubeconfig" in words else 2), capsys.readouterr().err
    assert capsys.readouterr().err.startswith("kplan: error: ")


def test_half_a_surrogate_pair_in_a_policy_of_old_is_no_character(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.json"
    extender = {"urlPrefix": "http://x", "filterVerb": "f\ud800"}
    file.write_text(json.dumps({"kind": "Policy", "apiVersion": "v1", "extenders": [extender]}))
    assert main(["config", "migrate", str(file)]) == 0
    assert r"f\uFFFD" in capsys.readouterr().out


def kplan(*words: str, redirect: str = "", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    line = " ".join(f"'{word}'" for word in (sys.executable, "-m", "kplan", *words))
    return subprocess.run(["sh", "-c", f"exec {line} {redirect}"], capture_output=True, env=env, check=False)


STREAMS = {
    "standard output is closed": (["nodes", "--snapshot", DEMO], ">&-", 2),
    "standard output is closed for JSON": (["nodes", "--snapshot", DEMO, "-o", "json"], ">&-", 2),
    "standard output is closed for help": (["-h"], ">&-", 2),
    "standard output is full": (["nodes", "--snapshot", DEMO], ">/dev/full", 2),
    "standard input is closed": (["nodes", "--snapshot", "-"], "<&-", 2),
    "standard error is full": (["nodes", "--snapshot", "{broken}"], "2>/dev/full", 0),
    "standard error is closed": (["nodes", "--snapshot", "{broken}"], "2>&-", 0),
    "standard error is full and there is an error": (["nodes", "--snapshot", "/nope"], "2>/dev/full", 2),
    "standard error is closed and there is an error": (["nodes", "--snapshot", "/nope"], "2>&-", 2),
}


@pytest.mark.parametrize("case", STREAMS)
def test_streams_that_are_closed_or_full(case: str, tmp_path: Path) -> None:
    words, redirect, code = STREAMS[case]
    file = tmp_path / "broken.json"
    file.write_bytes(of(pod(7)))  # type: ignore[arg-type]  # the name is what is broken
    done = kplan(*(word.format(broken=file) for word in words), redirect=redirect)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("format", ["text", "json", "yaml", "html", "junit", "sarif", "github", "markdown"])
def test_the_bytes_of_a_file_name_are_shown_as_text(format: str, tmp_path: Path) -> None:
    file = os.fsencode(tmp_path) + b"/m\xe9.json"
    Path(os.fsdecode(file)).write_bytes(of(pod("p")))
    done = kplan("check", os.fsdecode(file), "--snapshot", DEMO, "-o", format)
    assert done.returncode in ANSWERS, done.stderr
    done.stdout.decode()  # raises where it is not UTF-8


def test_a_device_without_an_end_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "--snapshot", "/dev/zero"]) == 2
    assert capsys.readouterr().err == "kplan: error: /dev/zero: not text: nothing but NULs\n"


def test_a_bug_tells_nothing_of_what_was_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "Bearer SEC" + "RET\x1b[31m"

    def broken(*_: object, **__: object) -> None:
        try:
            raise ValueError(secret)
        except ValueError as error:
            raise ValueError(f"Invalid header value {secret}") from error

    monkeypatch.setattr("kplan.cli.nodes.open_session", broken)
    file = tmp_path / "in.json"
    file.write_bytes(of(node("n2")))
    for more in ([], ["--debug"]):
        assert main(["nodes", *more, "--snapshot", str(file)]) == 70
        err = capsys.readouterr().err
        assert "SECRET" not in err
        assert "\x1b" not in err
        assert "internal error in test_inputs.py:" in err


def endless(*_: object, **__: object) -> int:
    return endless() + 1


def too_much(*_: object, **__: object) -> None:
    raise MemoryError


@pytest.mark.parametrize(("broken", "told"), [(endless, "RecursionError"), (too_much, "MemoryError")])
def test_a_recursion_without_an_end_is_told_as_a_bug_and_never_by_a_traceback(
    broken: Callable[[], object], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kplan.cli.nodes.open_session", broken)
    assert main(["nodes", "--snapshot", DEMO]) == 70
    error, hint = capsys.readouterr().err.splitlines()
    assert error.startswith("kplan: error: internal error in test_inputs.py:")
    assert error.endswith(told)
    assert hint.startswith("hint: this is a bug: please report this line")


@pytest.mark.parametrize("value", ["[" * 100_000, '{"a":' * 5_000, "9" * 5_000], ids=["a list", "a map", "a number"])
def test_a_template_is_read_or_refused(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "--snapshot", DEMO, "-o", f"jsonpath={{.nodes[?(@.a=={value})].node}}"]) == 2
    assert capsys.readouterr().err.startswith("kplan: error: -o jsonpath")
