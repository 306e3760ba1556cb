"""``kplan explain pod`` from the command line to its exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    return write(
        tmp_path,
        node("n-1"),
        node("n-2"),
        pod("load-1", cpu="3", on="n-1"),
        pod("load-2", cpu="3", on="n-2"),
        pod("web-1", cpu="1"),
        pod("big-1", cpu="2"),
        pod("other-1", namespace="shop", cpu="9"),
        owned(pod("api-1", namespace="shop", cpu="9"), "StatefulSet", "api"),
    )


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_pod_by_name(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    code, out, err = run(capsys, "explain", "pod", "big-1", "--snapshot", snapshot)
    assert (code, err) == (0, "")
    assert out.startswith("PENDING  default/big-1 fits 0 of 2 nodes\n")
    assert out.endswith("From     made-up.json, 2 nodes, 6 pods; rules of 1.37 (no version recorded)\n")


@pytest.mark.parametrize(
    "name", ["big-1", "big", "pod/big-1", "default/big-1", "pod/default/big-1"], ids=lambda name: f"{name} means big-1"
)
def test_ways_to_name_a_pod(capsys: pytest.CaptureFixture[str], snapshot: str, name: str) -> None:
    code, out, _ = run(capsys, "explain", "pod", name, "-q", "--snapshot", snapshot)
    assert code == 0
    assert out.startswith("PENDING  default/big-1 ")


def test_a_pod_of_another_namespace_is_found_if_it_is_the_only_one(
    capsys: pytest.CaptureFixture[str], snapshot: str
) -> None:
    assert run(capsys, "explain", "pod", "other-1", "-q", "--snapshot", snapshot)[1].startswith("PENDING  shop/other-1")
    assert run(capsys, "explain", "pod", "sts/api", "-q", "--snapshot", snapshot)[1].startswith("PENDING  shop/api-1")


def test_no_name_means_all_that_wait_in_scope(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    _, default, _ = run(capsys, "explain", "pod", "--snapshot", snapshot)
    _, every, _ = run(capsys, "explain", "pod", "-A", "--snapshot", snapshot)
    assert default.startswith("PENDING  1 of 2 waiting pods fits no node, for 1 cause; 1 FITS\n")
    assert every.startswith("PENDING  3 of 4 waiting pods fit no node, for 2 causes; 1 FITS\n")
    assert "      2  cpu: it wants 9, the largest node has 4 in all\n" in every
    assert "pod/shop/other-1, sts/shop/api 1: " in every


def test_exit_codes_are_asked_for(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    def code(*words: str) -> int:
        return run(capsys, "explain", "pod", *words, "--snapshot", snapshot)[0]

    assert code("big-1") == 0
    assert code("big-1", "--exit-code") == 1
    assert code("web-1", "--exit-code") == 0
    assert code("web-1", "--strict") == 0
    assert code("web-1", "--k8s-version", "1.20", "--strict") == 4


def test_a_fit_by_preemption_is_3_if_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("n"), pod("low", cpu="3", on="n"), pod("high", cpu="3", priority=10))
    assert run(capsys, "explain", "pod", "high", "--exit-code", "--snapshot", snapshot)[0] == 3


def test_json_holds_to_its_schema(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    for words, kind in ((["big-1"], "PodExplanation"), (["-A"], "PodExplanations"), (["web-1"], "PodExplanation")):
        _, out, _ = run(capsys, "explain", "pod", *words, "-o", "json", "--timings", "--snapshot", snapshot)
        answer = json.loads(out)
        assert (answer["apiVersion"], answer["kind"]) == ("kplan.dev/v1", kind)
        assert set(answer["timings"]) == {"loadSeconds", "planSeconds", "renderSeconds"}
        jsonschema.validate(answer, json.loads(json_schema(kind)))


def test_several_outputs_at_once(capsys: pytest.CaptureFixture[str], snapshot: str, tmp_path: Path) -> None:
    file = tmp_path / "answer.yaml"
    _, out, _ = run(capsys, "explain", "pod", "big-1", "-o", "text", "-o", f"yaml={file}", "--snapshot", snapshot)
    assert out.startswith("PENDING  ")
    assert file.read_text().startswith("apiVersion: kplan.dev/v1\nkind: PodExplanation\n")


def test_wide_names_plugins_and_the_event(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    _, out, _ = run(capsys, "explain", "pod", "big-1", "-o", "wide", "--snapshot", snapshot)
    assert "             NodeResourcesFit: Insufficient cpu\n" in out
    assert "Event    0/2 nodes are available: 2 Insufficient cpu." in out


def test_one_node(capsys: pytest.CaptureFixture[str], snapshot: str) -> None:
    _, out, _ = run(capsys, "explain", "pod", "big-1", "--node", "n-2", "--snapshot", snapshot)
    assert "Why      1 of 2 nodes, as asked\n      1  cpu: needs 2, free 1, lacks 1\n           n-2\n" in out


@pytest.fixture
def three(tmp_path: Path) -> str:
    """Nodes of 4, 2, 2 and 4 cpu; the third is full, the last half."""
    return write(
        tmp_path,
        *(node(name, cpu=cpu) for name, cpu in (("n-1", "4"), ("n-2", "2"), ("n-3", "2"), ("n-4", "4"))),
        pod("x", on="n-3", cpu="1580m"),
        pod("y", on="n-4", cpu="2"),
        pod("p", cpu="500m"),
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("n-1", {"text": "n-1 fits, and wins by 9 over n-2", "place": 1, "total": 463, "best": 463}),
        (
            "n-2",
            {
                "text": "n-2 fits, 2 of 3 by score: 454, 9 behind n-1",
                "why": "n-1 has more room: NodeResourcesFit 92, n-2 86",
                "place": 2,
                "total": 454,
                "best": 463,
            },
        ),
        ("n-3", None),
    ],
)
def test_one_node_that_fits_is_told_of_beside_the_winner(
    capsys: pytest.CaptureFixture[str], three: str, name: str, told: dict[str, object] | None
) -> None:
    code, out, _ = run(capsys, "explain", "pod", "p", "--node", name, "--snapshot", three, "-o", "json")
    assert code == 0
    assert json.loads(out).get("askedNode") == (told and {"node": name, **told})


def test_scores_of_one_node_stand_beside_those_of_the_winner(capsys: pytest.CaptureFixture[str], three: str) -> None:
    _, out, _ = run(capsys, "explain", "pod", "p", "--node", "n-2", "--snapshot", three)
    lines = out.splitlines()
    at = lines.index("Node     n-2 fits, 2 of 3 by score: 454, 9 behind n-1")
    assert [line.split()[:2] for line in lines[at + 1 : at + 6]] == [
        ["n-1", "has"],
        ["Scores", "node"],
        [">", "n-1"],
        ["n-2", "454"],
        ["+1", "(--scores"],
    ]


def test_one_node_that_ties_and_one_that_is_the_only_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    two = write(tmp_path, node("a"), node("b"), pod("p"))
    _, out, _ = run(capsys, "explain", "pod", "p", "--node", "b", "--snapshot", two)
    assert "Node     b fits, and ties with a at " in out
    one = write(tmp_path, node("a"), pod("p"), pod("g", schedulingGates=[{"name": "wait"}]))
    _, out, _ = run(capsys, "explain", "pod", "p", "--node", "a", "--snapshot", one)
    assert "Node     a fits, and is the only one: nothing is scored\n" in out
    _, out, _ = run(capsys, "explain", "pod", "g", "--node", "a", "--snapshot", one)
    assert "Node     a fits once the gates are gone\n" in out


def test_many_pods_are_folded_only_where_they_want_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wants = ({"cpu": "5", "memory": "1Gi"}, {"cpu": "5", "memory": "20Gi"}, {"cpu": "6", "memory": "20Gi"})
    pods = [pod(f"p-{number}") for number in range(3)]
    for one, requests in zip(pods, wants, strict=True):
        one["spec"]["containers"][0]["resources"]["requests"] = requests
    _, out, _ = run(capsys, "explain", "-A", "--snapshot", write(tmp_path, node("n"), *pods), "-o", "json")
    assert [fold["count"] for fold in json.loads(out)["folds"]] == [1, 1, 1]


def test_the_environment_names_the_snapshot_and_is_said(
    capsys: pytest.CaptureFixture[str], snapshot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KPLAN_SNAPSHOT", snapshot)
    _, out, _ = run(capsys, "explain", "pod", "big-1")
    assert "From     made-up.json (KPLAN_SNAPSHOT), 2 nodes, 6 pods" in out


def test_the_version_and_how_it_is_known(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old, new = node("old"), node("new")
    old["status"]["nodeInfo"], new["status"]["nodeInfo"] = {"kubeletVersion": "v1.35.1"}, {"kubeletVersion": "v1.36.2"}
    snapshot = write(tmp_path, old, new, pod("p"))
    _, kubelet, _ = run(capsys, "explain", "pod", "p", "--snapshot", snapshot)
    _, asked, _ = run(capsys, "explain", "pod", "p", "--k8s-version", "1.34", "--snapshot", snapshot)
    assert "rules of 1.36.2 (newest kubelet)" in kubelet
    assert "rules of 1.34 (as asked)" in asked


def test_a_broken_object_is_a_note_and_a_doubt(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = pod("broken", on="n")
    broken["spec"]["containers"] = "none"
    snapshot = write(tmp_path, node("n"), broken, pod("p"))
    code, out, err = run(capsys, "explain", "pod", "p", "--strict", "--snapshot", snapshot)
    assert code == 4
    assert out.startswith("FITS?    default/p goes to n")
    assert "Doubt    1 Pod could not be read and is left out (default/broken): its room" in out
    assert err.startswith("kplan: note: ")
    assert "Pod default/broken is left out" in " ".join(err.split())


def test_output_that_nobody_reads_to_its_end_is_no_error(snapshot: str) -> None:
    command = f"{sys.executable} -m kplan explain pod -A --snapshot {snapshot} -o json | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "{", "")


def test_the_program_itself(snapshot: str) -> None:
    command = [sys.executable, "-m", "kplan", "explain", "pod", "big-1", "--exit-code", "-q"]
    environment = {**os.environ, "KPLAN_SNAPSHOT": snapshot}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fix", "1", "--event"], "--event and --fix: each shows nothing else"),
        (["-A", "--node", "n-1"], "--node: not of "),
        (["-A", "--scores", "all"], "--scores: not of "),
        (["-A", "--all-fixes"], "--all-fixes: not of "),
    ],
)
def test_flags_that_would_do_nothing_are_refused(
    capsys: pytest.CaptureFixture[str], snapshot: str, words: list[str], message: str
) -> None:
    code, out, err = run(capsys, "explain", "pod", *words, "--snapshot", snapshot)
    assert (code, out) == (2, "")
    assert err.startswith(f"kplan: error: {message}")


def test_a_kind_of_document_is_found_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "schema", "podexplanation")
    assert out == json_schema("PodExplanation")
    code, _, err = run(capsys, "schema", "PodExplantion")
    assert (code, err) == (2, "kplan: error: no document PodExplantion\nhint: did you mean PodExplanation?\n")


def test_what_the_scheduler_recorded_of_a_pod_that_fits_now_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    waits, too_large = pod("waits-1", cpu="1"), pod("large-1", cpu="9")
    for one in (waits, too_large):
        failed = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": "0/1 nodes are available: 1 Insufficient memory.",
            "lastTransitionTime": "2026-03-01T02:41:00Z",
        }
        one["status"] = {"phase": "Pending", "conditions": [failed]}
    snapshot = write(tmp_path, node("n-1"), waits, too_large)
    _, out, _ = run(capsys, "explain", "pod", "waits-1", "--snapshot", snapshot)
    assert out.startswith("FITS     default/waits-1 goes to n-1")
    assert "\nRecorded 2026-03-01T02:41:00Z: 0/1 nodes are available: 1 Insufficient memory.\n" in out
    _, out, _ = run(capsys, "explain", "pod", "large-1", "--snapshot", snapshot)
    assert "Recorded" not in out  # From says that it differs
    assert "the scheduler's message of 2026-03-01 02:41 UTC differs (--event)" in " ".join(out.split())
