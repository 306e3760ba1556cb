"""--call-extenders: what an extender refused is a reason like any other; without the flag it is a doubt."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from tests.cli.snapshots import node, owned, pod, write
from tests.extenders.server import Extender, extender

HEADER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@pytest.fixture
def server() -> Iterator[Extender]:
    with extender() as found:
        yield found


def config(folder: Path, server: Extender, mode: str, **fields: Any) -> str:
    made = {"urlPrefix": f"http://127.0.0.1:{server.port}/{mode}-7", "filterVerb": "filter", **fields}
    path = folder / "sched.yaml"
    path.write_text(yaml.safe_dump({**HEADER, "extenders": [made]}))
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "-o", "json"]) in (0, 1, 3)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_without_the_flag_nothing_is_sent_and_it_is_a_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    path = write(tmp_path, node("n-1"), pod("p"))
    found = run(capsys, "explain", "pod", "p", "--snapshot", path, "--config", config(tmp_path, server, "none"))
    assert (found["verdict"], server.asked) == ("FITS", [])
    assert [doubt["code"] for doubt in found["doubts"] if "extender" in doubt["code"]] == ["extender-not-asked"]


def test_what_it_refuses_is_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender) -> None:
    path = write(tmp_path, node("n-1"), node("n-2"), pod("p"))
    words = (
        "explain",
        "pod",
        "p",
        "--snapshot",
        path,
        "--config",
        config(tmp_path, server, "none"),
        "--call-extenders",
    )
    found = run(capsys, *words)
    assert found["verdict"] == "PENDING"
    assert not [doubt for doubt in found.get("doubts", ()) if "extender" in doubt["code"]]
    reasons = [reason["message"] for group in found["groups"] for reason in group["reasons"]]
    assert reasons == ["node(s) had no room by extender 7"]
    assert found["groups"][0]["count"] == 2
    main([*words[:6], *words[6:], "--event"])
    assert capsys.readouterr().out.startswith(
        "0/2 nodes are available: 2 node(s) had no room by extender 7. preemption: 0/2 nodes are available: "
        "2 No preemption victims found for incoming pod."
    )


def test_its_scores_count(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender) -> None:
    path = write(tmp_path, node("n-1"), node("n-2"), pod("p"))
    given = config(tmp_path, server, "all", prioritizeVerb="prioritize", weight=3, nodeCacheCapable=True)
    words = ("explain", "pod", "p", "--snapshot", path, "--config", given, "--call-extenders", "--scores", "all")
    main(list(words))
    assert "extender http://127.0.0.1" in " ".join(capsys.readouterr().out.split())


def test_what_is_sent_is_the_object_of_the_dump(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    new = pod("p")
    new["spec"]["containers"][0]["env"] = [{"name": "TOKEN_FILE", "value": "/t"}]
    path = write(tmp_path, node("n-1"), new)
    run(
        capsys,
        "explain",
        "pod",
        "p",
        "--snapshot",
        path,
        "--config",
        config(tmp_path, server, "all"),
        "--call-extenders",
    )
    assert server.bodies[0]["Pod"]["spec"]["containers"][0]["env"] == [{"name": "TOKEN_FILE", "value": "/t"}]


def test_the_budget_bounds_what_is_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender) -> None:
    path = write(tmp_path, node("n-1"), *(pod(f"p{i}", cpu="100m") for i in range(6)))
    given = config(tmp_path, server, "all", nodeCacheCapable=True)
    words = ("simulate", "--snapshot", path, "--config", given, "--call-extenders", "--extender-calls", "4")
    main(list(words))
    out = " ".join(capsys.readouterr().out.split())
    assert len(server.asked) == 4
    assert "4 requests to extenders are spent" in out


def test_a_sweep_asks_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender) -> None:
    path = write(tmp_path, node("n-1"), node("n-2"), owned(pod("p", on="n-1"), "ReplicaSet", "p"))
    words = (
        "sweep",
        "--drain-each",
        "n-1",
        "--snapshot",
        path,
        "-j",
        "1",
        "--config",
        config(tmp_path, server, "none"),
    )
    found = run(capsys, *words)
    assert (found["verdict"], server.asked) == ("FITS", [])
    found = run(capsys, *words, "--call-extenders")
    assert found["verdict"] != "FITS"
    assert server.asked


def test_extenders_do_not_know_the_pods_of_a_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    rules = ("--config", config(tmp_path, server, "all"), "--call-extenders")
    two = write(tmp_path, node("n-1"), pod("p"), pod("q"))
    found = run(capsys, "simulate", "--snapshot", two, *rules)
    assert "extenders-do-not-know-the-plan" in [doubt["code"] for doubt in found["doubts"]]
    one = write(tmp_path, node("n-1"), pod("p"), name="one.json")
    found = run(capsys, "simulate", "--snapshot", one, *rules)
    assert "extenders-do-not-know-the-plan" not in [doubt["code"] for doubt in found.get("doubts", ())]


def test_where_the_scheduler_asks_about_some_nodes_that_is_a_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    """Of 120 nodes it looks at 100 and asks about these; of 99 it looks at all, so that the tie is told."""
    code = "extenders-asked-about-all-nodes"
    rules = ("--config", config(tmp_path, server, "all"), "--call-extenders")
    many = write(tmp_path, *(node(f"n-{i:03d}") for i in range(120)), pod("p"))
    found = run(capsys, "explain", "pod", "p", "--snapshot", many, *rules)
    assert ([doubt["code"] for doubt in found["doubts"]].count(code), "landing" in found) == (1, False)
    few = write(tmp_path, *(node(f"n-{i:03d}") for i in range(99)), pod("p"), name="few.json")
    found = run(capsys, "explain", "pod", "p", "--snapshot", few, *rules)
    assert code not in [doubt["code"] for doubt in found.get("doubts", ())]
    assert (found["landing"]["examined"], found["landing"]["of"]) == (99, 99)


def test_an_extender_that_is_not_asked_about_the_pod_changes_no_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    managed = [{"name": "x.y/z", "ignoredByScheduler": False}]
    rules = ("--config", config(tmp_path, server, "all", managedResources=managed), "--call-extenders")
    many = write(tmp_path, *(node(f"n-{i:03d}") for i in range(120)), pod("p"))
    found = run(capsys, "explain", "pod", "p", "--snapshot", many, *rules)
    assert (found["landing"]["examined"], found["landing"]["of"], server.asked) == (100, 120, [])
