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


def test_a_plan_has_that_doubt_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender) -> None:
    code = "extenders-asked-about-all-nodes"
    nodes = [node(f"n-{i:03d}") for i in range(120)]
    runs = owned(pod("q", on="n-000"), "ReplicaSet", "q")
    managed = [{"name": "x.y/z", "ignoredByScheduler": False}]
    for count, fields, times in ((120, {}, 1), (99, {}, 0), (120, {"managedResources": managed}, 0)):
        rules = ("--config", config(tmp_path, server, "all", **fields), "--call-extenders")
        path = write(tmp_path, *nodes[:count], pod("p"), runs)
        for command in (("simulate",), ("drain", "n-000")):
            found = run(capsys, *command, "--snapshot", path, *rules)
            assert [doubt["code"] for doubt in found.get("doubts", ())].count(code) == times


def test_an_extender_that_is_not_asked_about_the_pod_changes_no_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    managed = [{"name": "x.y/z", "ignoredByScheduler": False}]
    rules = ("--config", config(tmp_path, server, "all", managedResources=managed), "--call-extenders")
    many = write(tmp_path, *(node(f"n-{i:03d}") for i in range(120)), pod("p"))
    found = run(capsys, "explain", "pod", "p", "--snapshot", many, *rules)
    assert (found["landing"]["examined"], found["landing"]["of"], server.asked) == (100, 120, [])


EVICTING = "extenders-asked-about-all-nodes"


def full(count: int) -> Iterator[dict[str, Any]]:
    """Nodes that one pod fills, which a pod of 3 cpu and any priority would have to evict."""
    for i in range(count):
        yield node(f"full-{i:03d}")
        yield owned(pod(f"low-{i:03d}", cpu="3", on=f"full-{i:03d}", priority=0), "ReplicaSet", "low")


def evicting(capsys: pytest.CaptureFixture[str], path: str, given: str) -> tuple[int, dict[str, Any] | None]:
    """How often the doubt is told, and the shares under ``preempt``."""
    found = run(capsys, "explain", "pod", "p", "--snapshot", path, "--config", given, "--call-extenders")
    assert found["verdict"] == "PREEMPTS"
    codes = [doubt["code"] for doubt in found.get("doubts", ())]
    return codes.count(EVICTING), found["preempt"].get("landing")


def test_where_it_asks_about_some_candidates_that_is_a_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    """Of 120 candidates the scheduler finds 100 and asks about these; of 90 it asks about all."""
    given = config(tmp_path, server, "all", filterVerb="", preemptVerb="preempt")
    asking = pod("p", cpu="3", priority=100)
    assert evicting(capsys, write(tmp_path, *full(120), asking), given) == (1, None)
    doubts, landing = evicting(capsys, write(tmp_path, *full(90), asking), given)
    assert (doubts, landing is not None and (landing["examined"], landing["of"])) == (0, (90, 90))


def test_what_it_takes_away_gets_no_share(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender) -> None:
    given = config(tmp_path, server, "half", filterVerb="", preemptVerb="preempt")
    path = write(tmp_path, *full(6), pod("p", cpu="3", priority=100))
    doubts, landing = evicting(capsys, path, given)
    assert doubts == 0
    assert landing is not None
    # the numbers of the first four are odd
    assert [(one["node"], one["share"]) for one in landing["nodes"]] == [("full-004", 0.5), ("full-005", 0.5)]


def test_one_that_has_no_say_in_evictions_changes_no_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    given = config(tmp_path, server, "all")
    doubts, landing = evicting(capsys, write(tmp_path, *full(120), pod("p", cpu="3", priority=100)), given)
    assert (doubts, landing is not None and (landing["examined"], landing["of"])) == (0, (100, 120))


def test_where_it_refuses_more_nodes_than_the_scheduler_finds_that_is_a_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server: Extender
) -> None:
    """110 nodes fit, and the scheduler stops at 100 of them; a node that it has not met is no candidate."""
    given = config(tmp_path, server, "none")
    empty = (node(f"empty-{i:03d}") for i in range(110))
    path = write(tmp_path, *empty, *full(5), pod("p", cpu="3", priority=100))
    assert evicting(capsys, path, given) == (1, None)
