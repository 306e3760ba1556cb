"""From the command line: audits of recorded texts, single runs of a live scheduler, and many."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write

SAID = (
    "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
    "scheduling."
)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def refused(name: str, message: str) -> dict[str, Any]:
    one = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {**pod(name, cpu="9"), "status": {"conditions": [{**one, "lastTransitionTime": "2026-11-01T10:00:00Z"}]}}


def test_an_audit_of_all_that_wait(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), refused("same", SAID), refused("other", SAID.replace("1 Insuff", "2 Insuff")))
    code, out, _ = run(capsys, "explain", "-A", "--audit", "--snapshot", snapshot)
    assert code == 0
    assert out.startswith("DIFFERS  1 of 2 recorded messages is equal, word for word\n")
    assert "Insufficient cpu: 2 recorded, 1 now" in out
    assert run(capsys, "explain", "-A", "--audit", "--exit-code", "--snapshot", snapshot)[0] == 1
    assert run(capsys, "explain", "same", "--audit", "--exit-code", "--snapshot", snapshot)[0] == 0
    _, text, _ = run(capsys, "explain", "-A", "--audit", "-o", "json", "--snapshot", snapshot)
    document = json.loads(text)
    jsonschema.validate(document, json.loads(json_schema("AuditReport")))
    assert (document["kind"], document["audited"], document["equal"]) == ("AuditReport", 2, 1)
    assert document["reasons"] == {"state-changed": 1}


def test_an_audit_is_of_the_state_as_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), refused("same", SAID))
    code, _, err = run(capsys, "explain", "-A", "--audit", "--cordon", "a", "--snapshot", snapshot)
    assert code == 2
    assert "--audit: not of a what-if" in err


def crowd(tmp_path: Path) -> str:
    """300 nodes alike, of which the last by name is large, and a pod for it."""
    nodes = [node(f"n-{i:03d}") for i in range(299)]
    return write(tmp_path, *nodes, node("zzz-big", cpu="64"), pod("web"))


def test_where_a_pod_lands_is_told_as_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "explain", "web", "--snapshot", crowd(tmp_path))
    assert code == 0
    assert out.startswith("FITS     default/web goes to zzz-big in 48 % of cases, else to one of 299 nodes\n")
    assert "Lands    zzz-big 48 %, else one of 299 others: 144 of 300 nodes that fit are" in out
    _, text, _ = run(capsys, "explain", "web", "-o", "json", "--snapshot", crowd(tmp_path))
    document = json.loads(text)
    jsonschema.validate(document, json.loads(json_schema("PodExplanation")))
    landing = document["landing"]
    assert (landing["examined"], landing["of"]) == (144, 300)
    assert landing["nodes"][0] == {"node": "zzz-big", "share": 0.48}
    assert landing["others"]["count"] == 290


def test_one_run_and_many(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = crowd(tmp_path)

    def place(*words: str) -> str:
        _, text, _ = run(capsys, "simulate", "--snapshot", snapshot, "-o", "json", *words)
        document = json.loads(text)
        jsonschema.validate(document, json.loads(json_schema("SimulationPlan")))
        return str(document["steps"][0]["node"])

    assert place() == "zzz-big"
    assert place("--sample", "--seed", "4") == place("--sample", "--seed", "4")
    assert len({place("--sample", "--seed", str(seed)) for seed in range(5)}) > 1
    _, out, _ = run(capsys, "simulate", "--snapshot", snapshot, "--runs", "5")
    assert "Runs     5 runs: 1 of 1 pod placed; no pod is at risk\n" in out


OUT_OF_REACH = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "kube-scheduler-a", "namespace": "kube-system", "labels": {"component": "kube-scheduler"}},
    "spec": {
        "nodeName": "a",
        "containers": [{"name": "kube-scheduler", "command": ["kube-scheduler", "--config=/etc/sched.yaml"]}],
    },
    "status": {"phase": "Running"},
}


def test_a_configuration_out_of_reach_is_a_doubt_that_says_how_to_lift_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    snapshot = write(tmp_path, node("a"), node("b"), OUT_OF_REACH, pod("web"))
    _, text, _ = run(capsys, "explain", "web", "--snapshot", snapshot, "-o", "json")
    [doubt] = [one for one in json.loads(text)["doubts"] if one["code"] == "scheduler-config-assumed"]
    assert doubt["text"].endswith("out of reach: the defaults are assumed (--config FILE names it)")


def test_it_is_no_doubt_about_a_drain_that_evicts_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), node("b"), OUT_OF_REACH, owned(pod("web", on="a"), "ReplicaSet", "web"))

    def codes(name: str) -> list[str]:
        _, text, _ = run(capsys, "drain", name, "--snapshot", snapshot, "-o", "json")
        return [one["code"] for one in json.loads(text).get("doubts", ())]

    assert "scheduler-config-assumed" in codes("a")
    assert "scheduler-config-assumed" not in codes("b")


PACKS = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packs
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
"""


def test_a_pod_is_taken_for_one_of_another_scheduler(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), node("b"), pod("old", on="b"), pod("web", schedulerName="nobody"))
    (tmp_path / "packs.yaml").write_text(PACKS)
    rules = ["--snapshot", snapshot, "--config", str(tmp_path / "packs.yaml")]
    code, _, err = run(capsys, "explain", "web", *rules)
    assert (code, "--as-scheduler takes one" in err) == (2, True)
    assert "goes to a " in run(capsys, "explain", "web", "--as-scheduler", "default-scheduler", *rules)[1]
    assert "goes to b " in run(capsys, "explain", "web", "--as-scheduler", "packs", *rules)[1]
    code, _, err = run(capsys, "explain", "web", "--as-scheduler", "mine", *rules)
    assert (code, "no profile is called mine" in err) == (2, True)
    assert "profiles: default-scheduler, packs" in err
    assert "1 placed + 0 not placed" in run(capsys, "simulate", "--as-scheduler", "packs", *rules)[1]


def test_plugins_of_a_policy_are_listed_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "plugins")
    assert "ServiceAffinity" in out
    _, out, _ = run(capsys, "plugins", "nodelabel")
    assert out.startswith("NodeLabel: nodes must have some labels")
    assert "    filter, score. Of a Policy, up to 1.22.\n" in out


def test_a_sweep_goes_by_a_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), node("b"), owned(pod("web", on="a"), "ReplicaSet", "web"))
    policy = tmp_path / "policy.json"
    present = {"labelsPresence": {"labels": ["disk"], "presence": True}}
    policy.write_text(json.dumps({"kind": "Policy", "predicates": [{"name": "NeedsDisk", "argument": present}]}))
    words = ["sweep", "--drain-each", "a", "-j", "1", "--snapshot", snapshot, "-o", "json"]
    assert json.loads(run(capsys, *words)[1])["verdict"] == "FITS"
    assert json.loads(run(capsys, *words, "--policy", str(policy))[1])["verdict"] != "FITS"


def test_nothing_is_bound_as_another_scheduler(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    snapshot = write(tmp_path, node("a"), pod("web", schedulerName="nobody"))
    code, _, err = run(capsys, "bind", "-A", "--as-scheduler", "default-scheduler", "--snapshot", snapshot)
    assert (code, "--as-scheduler: not where pods are bound" in err) == (2, True)
