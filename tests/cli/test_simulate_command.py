"""``kplan simulate``, ``plugins``, ``schema``, ``demo`` and help."""

import json
from pathlib import Path
from textwrap import dedent

import jsonschema
import pytest

from kplan.cli.app import GROUPS
from kplan.cli.exit_codes import ExitCode, worst
from kplan.cli.main import main
from kplan.cli.simulate import manifest_files
from kplan.plugins.registry import OLD, REGISTRY
from kplan.render.data import json_schema
from kplan.result.documents import DOCUMENTS
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def queue(tmp_path: Path) -> str:
    """Room for two of three; one gated."""
    return write(
        tmp_path,
        node("n-1"),
        node("n-2"),
        owned(pod("a-0", cpu="3"), "StatefulSet", "a"),
        owned(pod("a-1", cpu="3"), "StatefulSet", "a"),
        owned(pod("a-2", cpu="3"), "StatefulSet", "a"),
        pod("held", schedulingGates=[{"name": "wait"}]),
    )


WANTS = "cpu: they want 900m to 1300m, the emptiest node has 420m free"


@pytest.mark.parametrize(
    ("one", "two", "told"),
    [
        pytest.param({"cpu": "900m"}, {"cpu": "1300m"}, [(2, WANTS)], id="a range where what is free is one amount"),
        pytest.param(
            {"cpu": "900m"},
            {"cpu": "1300m", "memory": "32Gi"},
            [
                (1, "cpu: it wants 900m, the emptiest node has 420m free"),
                (1, "cpu and memory: it wants 1300m cpu and 32Gi memory, a has 420m cpu and 16Gi memory free"),
            ],
            id="another resource besides",
        ),
        pytest.param(
            {"cpu": "900m"},
            {"cpu": "8"},
            [
                (1, "cpu: it wants 900m, the emptiest node has 420m free"),
                (1, "cpu: it wants 8, the largest node has 2 in all"),
            ],
            id="more than any node is",
        ),
        pytest.param(
            {"cpu": "900m", "memory": "17179000Ki"},
            {"cpu": "1300m", "memory": "17179001Ki"},
            [(1, "900m"), (1, "1300m")],
            id="two resources at once",
        ),
    ],
)
def test_pods_that_want_other_amounts_are_told_of_in_words_that_are_true_of_each(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    one: dict[str, str],
    two: dict[str, str],
    told: list[tuple[int, str]],
) -> None:
    api, search = pod("api"), pod("search")
    for item, requests in ((api, one), (search, two)):
        item["spec"]["containers"][0]["resources"]["requests"] = requests
    full = [pod(f"full-{name}", on=name, cpu="1580m") for name in ("a", "b")]
    file = write(tmp_path, node("a", cpu="2"), node("b", cpu="2"), *full, api, search)
    assert main(["simulate", "--snapshot", file, "-o", "json"]) == 1
    causes = json.loads(capsys.readouterr().out)["causes"]
    assert [cause["count"] for cause in causes] == [number for number, _ in told]
    assert all(text in cause["because"]["text"] for cause, (_, text) in zip(causes, told, strict=True))


def test_what_is_free_is_a_range_where_pods_placed_between_took_of_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    queue = [pod("a-first", cpu="3500m"), pod("b-fits", cpu="2"), pod("c-last", cpu="2500m")]
    assert main(["simulate", "--snapshot", write(tmp_path, node("n", cpu="4"), pod("x", on="n"), *queue), "-q"]) == 1
    because = capsys.readouterr().out.splitlines()[1]
    assert because == "Because  cpu: they want 2500m to 3500m, n has 1000m to 3000m free"


def test_a_queue_that_fits_in_part(capsys: pytest.CaptureFixture[str], queue: str) -> None:
    assert main(["simulate", "--snapshot", queue]) == 1
    assert capsys.readouterr().out == dedent(
        """\
        PARTLY   2 of 4 pods are placed, 1 not, for 1 cause, 1 gated
        Because  cpu: it wants 3, the emptiest node has 1 free
        Try      one more node like n-1 (4 cpu) -> 1 of 1 fits

        Pods     2 placed + 1 not placed + 1 gated = 4
        Steps    #  pod           node
                 3  default/a-2   Pending  insufficient-cpu
                 4  default/held  Gated    scheduling-gates
                 1  default/a-0   n-1      one of 2 that tie
                 2  default/a-1   n-2
        Why      1 not placed, 1 gated, most first, as each was tried
              1  cpu: it wants 3, the emptiest node has 1 free
                   sts/default/a 1
              1  GATED gate wait must be removed first
                   pod/default/held
        Nearest  for default/a-2
              2  cpu: needs 3, free 1, lacks 2
                   n-1, n-2   all alike, 3 of 4 used
        Preempt  no: no pod of lower priority (this one 0, the others 0)
        From     made-up.json, 2 nodes, 4 pods; rules of 1.37 (no version recorded)
        """
    )


def test_victims_come_back_unless_they_are_gone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(
        tmp_path,
        node("n-1"),
        node("n-2", cpu="2"),
        owned(pod("low-0", cpu="2", on="n-1"), "StatefulSet", "low"),
        pod("high", cpu="4", priority=10),
    )
    assert main(["simulate", "-o", "json", "--snapshot", snapshot]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert [(step["pod"], step["node"]) for step in plan["steps"]] == [
        ("default/high", "n-1"),
        ("default/low-0", "n-2"),
    ]
    assert plan["totals"] == {
        "pods": 2,
        "placed": 2,
        "notPlaced": 0,
        "gated": 0,
        "afterEviction": 1,
        "evicted": 1,
        "returned": 1,
    }
    jsonschema.validate(plan, json.loads(json_schema("SimulationPlan")))
    assert main(["simulate", "--victims", "gone", "--exit-code", "--snapshot", snapshot]) == 3
    assert capsys.readouterr().out.startswith("FITS?    the pod is placed (after evicting default/low")
    assert main(["simulate", "--no-preempt", "--snapshot", snapshot]) == 1
    assert capsys.readouterr().out.startswith("BLOCKED  the pod is not placed\n")


def test_an_endless_cascade_is_cut_and_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    high = owned(pod("high-0", cpu="4", priority=10), "StatefulSet", "high")
    low = owned(pod("low-0", cpu="4", priority=5, on="n-1"), "StatefulSet", "low")
    snapshot = write(tmp_path, node("n-1"), low, high)
    assert main(["simulate", "-o", "json", "--snapshot", snapshot]) == 1
    plan = json.loads(capsys.readouterr().out)
    totals = plan["totals"]
    assert totals["placed"] + totals["notPlaced"] + totals["gated"] == totals["pods"] == len(plan["steps"])


def test_manifest_may_be_said() -> None:
    assert manifest_files(["manifest", "a.yaml"]) == ["a.yaml"]
    assert manifest_files(["a.yaml", "b.yaml"]) == ["a.yaml", "b.yaml"]
    assert manifest_files(["manifest"]) == ["manifest"]


def test_queue_manifests_needs_one(capsys: pytest.CaptureFixture[str], queue: str) -> None:
    assert main(["simulate", "--queue", "manifests", "--snapshot", queue]) == 2
    assert capsys.readouterr().err.startswith("kplan: error: --queue manifests without a manifest\n")


def test_plugins_are_listed_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins"]) == 0
    told = capsys.readouterr().out
    assert [line.split()[0] for line in told.splitlines() if not line.startswith(" ")] == [*REGISTRY, *OLD]
    assert "..." not in told
    assert main(["plugins", "nodename"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("NodeName: ")
    assert "Rejects with:\n" in out
    assert main(["plugins", "Node"]) == 2
    assert "did you mean " in capsys.readouterr().err


def test_the_schema_of_every_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert len(schema["anyOf"]) == len(DOCUMENTS)


def test_the_demo_shows_each_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    firsts = [line.split()[0] for line in out.splitlines() if line.split()[:1] and line.split()[0].isupper()]
    assert {"FITS", "PENDING", "PREEMPTS", "GATED", "PARTLY"} <= set(firsts)
    assert out.isascii()
    assert max(len(line) for line in out.splitlines() if not line.startswith("$")) <= 80


@pytest.mark.parametrize(
    "words", [["-h"], ["explain", "-h"], *([name, "-h"] for names in GROUPS.values() for name in names)]
)
def test_help_of_every_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("Usage: kplan")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("kplan ")


def test_of_several_exit_codes_the_worst_stands() -> None:
    assert worst([]) is ExitCode.OK
    assert worst([ExitCode.PREEMPTS, ExitCode.NO_FIT]) is ExitCode.NO_FIT
    assert worst([ExitCode.NO_FIT, ExitCode.DOUBT]) is ExitCode.DOUBT
    assert worst([ExitCode.DOUBT, ExitCode.USAGE, ExitCode.BUG]) is ExitCode.BUG
    assert [code.value for code in ExitCode] == [70, 5, 2, 4, 1, 3, 0, 130]


@pytest.mark.parametrize(("columns", "longest"), [("60", 60), ("40", 60), ("300", 80), ("", 80)])
def test_paragraphs_are_as_wide_as_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, queue: str, columns: str, longest: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    main(["simulate", "--snapshot", queue])
    lengths = [len(line) for line in capsys.readouterr().out.splitlines()]
    assert max(lengths) <= longest
    assert longest == 60 or max(lengths) > 60


def test_a_set_of_pods_is_named_by_labels_as_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pods = [pod(f"w-{n}", cpu="3") for n in range(3)]
    for one in pods:
        one["metadata"]["labels"] = {"job": "x"}
    path = write(tmp_path, node("n-1"), node("n-2"), *pods)
    answers = []
    for words in (["-l", "job=x"], ["job=x"]):
        code = main(["simulate", "--all-or-nothing", *words, "--snapshot", path])
        answers.append((code, capsys.readouterr().out))
    assert answers[0] == answers[1]
    told = " ".join(answers[0][1].split())
    assert "job=x: none is placed: 3 needed at one time, 2 of 3 fit at once" in told
    assert "Try one more node like n-1 (4 cpu) -> 3 of 3 fit Group" in told  # with the verdict, not only below
    assert main(["simulate", "--all-or-nothing", "-l", "--snapshot", path]) == ExitCode.USAGE
    assert "as in --all-or-nothing -l app=web" in capsys.readouterr().err
