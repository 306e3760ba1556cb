"""kplan config, config migrate, and rules that come from wherever they are."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write

GROUP = "kubescheduler.config.k8s.io"
HEADER = {"apiVersion": f"{GROUP}/v1", "kind": "KubeSchedulerConfiguration"}
MOST = {
    **HEADER,
    "profiles": [
        {
            "plugins": {
                "score": {"enabled": [{"name": "NodeAffinity", "weight": 7}], "disabled": [{"name": "ImageLocality"}]}
            },
            "pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}}],
        }
    ],
}
OLD = {"apiVersion": f"{GROUP}/v1beta2", "kind": "KubeSchedulerConfiguration"}
POLICY = {"apiVersion": "v1", "kind": "Policy", "predicates": [{"name": "HostName"}], "priorities": []}


def file(folder: Path, tree: Any, name: str = "sched.yaml") -> str:
    path = folder / name
    path.write_text(yaml.safe_dump(tree))
    return str(path)


def config_map(tree: Any, name: str = "second", namespace: str = "batch") -> dict[str, Any]:
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"config.yaml": yaml.safe_dump(tree)}}


def scheduler_pod(*args: str) -> dict[str, Any]:
    made = pod("kube-scheduler-cp", namespace="kube-system", on="n-1")
    made["metadata"]["labels"] = {"component": "kube-scheduler"}
    made["spec"]["containers"][0] |= {"image": "kube-scheduler", "command": ["kube-scheduler", *args]}
    return made


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out = capsys.readouterr()
    return code, out.out, out.err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, err = run(capsys, *words, "-o", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_file_needs_no_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "config", "--config", file(tmp_path, MOST), "--k8s-version", "1.36")
    assert code == 0
    assert out == (
        "CONFIG   1 profile, 3 differences from the defaults of 1.36\n"
        "Differs  ImageLocality does not run at score\n"
        "         NodeAffinity weighs 7, not 2\n"
        "         NodeResourcesFit.scoringStrategy is {type: MostAllocated, resources:\n"
        "         [{name: cpu, weight: 1}, {name: memory, weight: 1}]}, not {type:\n"
        "         LeastAllocated, resources: [{name: cpu, weight: 1}, {name: memory,\n"
        "         weight: 1}]}\n"
        "\n"
        "Profile  default-scheduler, scores an adaptive share of the nodes\n"
        "         preEnqueue      SchedulingGates, DynamicResources, DefaultPreemption\n"
        "         queueSort       PrioritySort\n"
        "         preFilter       NodeAffinity, NodePorts, NodeResourcesFit,\n"
        "                         VolumeRestrictions, NodeVolumeLimits, VolumeBinding,\n"
        "                         VolumeZone, PodTopologySpread, InterPodAffinity,\n"
        "                         DynamicResources, NodeDeclaredFeatures\n"
        "         filter          NodeUnschedulable, NodeName, TaintToleration,\n"
        "                         NodeAffinity, NodePorts, NodeResourcesFit,\n"
        "                         VolumeRestrictions, NodeVolumeLimits, VolumeBinding,\n"
        "                         VolumeZone, PodTopologySpread, InterPodAffinity,\n"
        "                         DynamicResources, NodeDeclaredFeatures\n"
        "         postFilter      DynamicResources, DefaultPreemption\n"
        "         preScore        TaintToleration, NodeAffinity, NodeResourcesFit,\n"
        "                         VolumeBinding, PodTopologySpread, InterPodAffinity,\n"
        "                         NodeResourcesBalancedAllocation\n"
        "         score           NodeAffinity 7 (set), TaintToleration 3,\n"
        "                         NodeResourcesFit 1, VolumeBinding 1, PodTopologySpread\n"
        "                         2, InterPodAffinity 2, DynamicResources 2,\n"
        "                         NodeResourcesBalancedAllocation 1\n"
        "         reserve         VolumeBinding, DynamicResources\n"
        "         preBind         VolumeBinding, DynamicResources\n"
        "         bind            DefaultBinder\n"
        "         placementScore  NodeResourcesFit\n"
        "         NodeResourcesFit.scoringStrategy: {type: MostAllocated, resources:\n"
        "           [{name: cpu, weight: 1}, {name: memory, weight: 1}]}\n"
        "           (profiles[0].pluginConfig[0].args)\n"
        "         +12 arguments as by default (-o wide)\n"
        "\n"
        "From     sched.yaml; rules of 1.36 (as asked)\n"
    )


def test_each_setting_says_where_it_is_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "config", "--config", file(tmp_path, MOST))
    assert (found["kind"], found["form"]) == ("ConfigReport", "v1")
    profile = found["profiles"][0]
    score = next(point["plugins"] for point in profile["points"] if point["point"] == "score")
    assert score[0] == {"name": "NodeAffinity", "origin": "profiles[0].plugins.score", "weight": 7}
    assert score[1] == {"name": "TaintToleration", "origin": "default", "weight": 3}
    assert [
        (one["plugin"], one["name"], one["origin"]) for one in profile["arguments"] if one["origin"] != "default"
    ] == [("NodeResourcesFit", "scoringStrategy", "profiles[0].pluginConfig[0].args")]
    assert [(one["code"], one["plugin"]) for one in profile["differences"]] == [
        ("removed", "ImageLocality"),
        ("weight", "NodeAffinity"),
        ("argument", "NodeResourcesFit"),
    ]
    assert found["from"]["configuration"] == "sched.yaml"


def test_of_several_profiles_one_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = file(tmp_path, {**HEADER, "profiles": [{"schedulerName": "one"}, {"schedulerName": "two"}]})
    assert [one["schedulerName"] for one in document(capsys, "config", "two", "--config", two)["profiles"]] == ["two"]
    code, _, err = run(capsys, "config", "three", "--config", two)
    assert (code, err) == (2, "kplan: error: no profile three\nhint: there are one, two\n")


def test_extenders_and_gates_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extender = {
        "urlPrefix": "http://x",
        "filterVerb": "f",
        "prioritizeVerb": "p",
        "weight": 4,
        "nodeCacheCapable": True,
    }
    found = file(tmp_path, {**HEADER, "extenders": [{**extender, "managedResources": [{"name": "example.com/gpu"}]}]})
    told = document(capsys, "config", "--config", found, "--feature-gates", "DRAConsumableCapacity=false")
    assert told["extenders"] == [
        {
            "url": "http://x",
            "verbs": ["filter", "prioritize"],
            "weight": 4,
            "managedResources": ["example.com/gpu"],
            "nodeCacheCapable": True,
            "timeout": "5s",
        }
    ]
    assert told["featureGates"] == {"DRAConsumableCapacity": False}
    _, out, _ = run(capsys, "config", "--config", found)
    assert (
        "Extender http://x: filter, prioritize; weight 4; only pods with example.com/gpu;\n"
        "         names of nodes only; timeout 5s\n"
    ) in out


# --- from wherever it is


def test_a_dump_says_by_what_its_scheduler_was_set_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1"), pod("p"), scheduler_pod("--feature-gates=DRAConsumableCapacity=false"))
    found = document(capsys, "config", "--snapshot", path)
    assert found["from"]["configuration"] == "arguments of pod kube-system/kube-scheduler-cp"
    assert found["featureGates"] == {"DRAConsumableCapacity": False}
    _, out, _ = run(capsys, "explain", "pod", "p", "--snapshot", path)
    assert "configuration: arguments of pod" in " ".join(out.split())


def test_a_file_out_of_reach_is_a_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1"), pod("p"), scheduler_pod("--config=/etc/sched.yaml"))
    found = document(capsys, "explain", "pod", "p", "--snapshot", path)
    assert [doubt["code"] for doubt in found["doubts"] if doubt["code"].startswith("scheduler")] == [
        "scheduler-config-assumed"
    ]


def test_gates_that_the_rules_do_not_know_are_a_doubt_and_nothing_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gates = "--feature-gates=DRAConsumableCapacity=false,LongGone=true"
    path = write(tmp_path, node("n-1"), pod("p"), scheduler_pod(gates))
    found = document(capsys, "config", "--snapshot", path)
    assert found["featureGates"] == {"DRAConsumableCapacity": False}
    assert [doubt["text"] for doubt in found["doubts"]] == [
        "arguments of pod kube-system/kube-scheduler-cp set feature gates that these rules do not know: LongGone"
    ]


def test_gates_of_another_version_keep_no_configuration_from_being_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """LongGone no longer exists, and NodeInclusionPolicyInPodTopologySpread is on for good."""
    gates = "NodeInclusionPolicyInPodTopologySpread=false,LongGone=true,DRAConsumableCapacity=false"
    path = write(tmp_path, node("n-1"), pod("p"), scheduler_pod(f"--feature-gates={gates}"))
    given = tmp_path / "sched.yaml"
    given.write_text(json.dumps({**HEADER, "percentageOfNodesToScore": 30}))
    text = (
        "arguments of pod kube-system/kube-scheduler-cp set feature gates that these rules do not know: LongGone; "
        "arguments of pod kube-system/kube-scheduler-cp set feature gates that these rules have locked to another "
        "value: NodeInclusionPolicyInPodTopologySpread"
    )
    for words in (["--config", str(given)], []):
        found = document(capsys, "config", "--snapshot", path, *words)
        assert found["featureGates"] == {"DRAConsumableCapacity": False}
        assert [doubt["text"] for doubt in found["doubts"]] == [text]
    code, _, err = run(capsys, "config", "--snapshot", path, "--feature-gates", "LongGone=true")
    assert (code, err.splitlines()[0]) == (2, "kplan: error: unrecognized feature gate: LongGone")


def test_gates_are_told_beside_a_file_that_is_out_of_reach(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1"), scheduler_pod("--config=/etc/sched.yaml", "--feature-gates=LongGone=true"))
    found = document(capsys, "config", "--snapshot", path)
    assert [doubt["text"] for doubt in found["doubts"]] == [
        "pod kube-system/kube-scheduler-cp reads its configuration from the file /etc/sched.yaml on its node, out of "
        "reach: the defaults are assumed (--config FILE names it); arguments of pod kube-system/kube-scheduler-cp set "
        "feature gates that these rules do not know: LongGone"
    ]


def test_a_recorded_configuration_without_a_version_is_of_the_first_one_that_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the scheduler simulator exports it; healthzBindAddress was a field of v1beta2, and there alone."""
    names = ("pods", "nodes", "pvs", "pvcs", "storageClasses", "priorityClasses")
    for fields, form, doubts in (
        ({}, "v1", []),
        ({"healthzBindAddress": "0.0.0.0:10251"}, "v1beta2", ["config-converted"]),
        ({"noSuchField": 1}, "v1", ["scheduler-config-assumed"]),
    ):
        export = {**{key: [] for key in names}, "schedulerConfig": {"percentageOfNodesToScore": 30, **fields}}
        path = tmp_path / "export.json"
        path.write_text(json.dumps(export))
        found = document(capsys, "config", "--snapshot", str(path))
        assert [doubt["code"] for doubt in found.get("doubts", ())] == doubts
        assert found.get("form") == form


def test_a_config_map_of_a_dump_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1"), pod("p"), config_map(MOST))
    found = document(capsys, "config", "--config", "configmap/batch/second", "--snapshot", path)
    assert found["from"]["configuration"] == "ConfigMap batch/second"
    assert [one["code"] for one in found["profiles"][0]["differences"]] == ["removed", "weight", "argument"]
    code, _, err = run(capsys, "config", "--config", "configmap/second", "--snapshot", path)
    assert code == 2
    assert err == (
        "kplan: error: ConfigMap kube-system/second with a scheduler's configuration: not found\n"
        "hint: there is one in batch/second\n"
    )


@pytest.mark.parametrize("name", ["configmap/", "configmap/a/b/c"])
def test_what_names_no_config_map_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = write(tmp_path, node("n-1"))
    code, _, err = run(capsys, "config", "--config", name, "--snapshot", path)
    assert (code, "names no ConfigMap" in err) == (2, True)


def test_a_policy_and_a_provider_are_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1"), pod("p", cpu="9"))
    policy = file(tmp_path, POLICY, "policy.cfg")
    for words, form, verdict in (
        (("--policy", policy), "policy.cfg (Policy)", "FITS"),
        (("--policy", "DefaultProvider"), "DefaultProvider", "PENDING"),
        (("--config", "ClusterAutoscalerProvider"), "ClusterAutoscalerProvider", "PENDING"),
    ):
        found = document(capsys, "explain", "pod", "p", "--snapshot", path, *words)
        assert (found["from"]["configuration"], found["verdict"]) == (form, verdict)
        assert "policy-removed" in [doubt["code"] for doubt in found["doubts"]]


def test_two_configurations_at_once_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "config", "--config", file(tmp_path, MOST), "--policy", "DefaultProvider")
    assert (code, "--config and --policy" in err) == (2, True)


def test_check_takes_a_policy_of_a_scheduler_as_its_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, node("n-1"))
    manifest = tmp_path / "p.yaml"
    manifest.write_text(yaml.safe_dump(pod("p", cpu="9")))
    words = ("check", str(manifest), "--snapshot", path, "--config", file(tmp_path, POLICY), "-o", "json")
    _, out, _ = run(capsys, *words)
    assert json.loads(out)["from"]["configuration"] == "sched.yaml (Policy)"


# --- migrate


def test_migrate_writes_v1_with_what_differs_as_comments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "config", "migrate", file(tmp_path, {**POLICY, "alwaysCheckAllPredicates": True}))
    assert code == 0
    assert out.startswith(
        "# From sched.yaml (Policy).\n"
        "# No equal in v1:\n"
        "#   alwaysCheckAllPredicates: alwaysCheckAllPredicates: a node's first refusal is its only one today\n"
        "# Not quite the same:\n"
        "#   preEnqueue: SchedulingGates: added: pods that wait for a gate are kept out of the queue\n"
        "apiVersion: kubescheduler.config.k8s.io/v1\n"
    )
    again = tmp_path / "new.yaml"
    again.write_text(out)
    assert document(capsys, "config", "--config", str(again))["form"] == "v1"


def test_migrate_as_json_and_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "config", "migrate", file(tmp_path, OLD))
    assert (found["kind"], found["form"], found["configuration"]["apiVersion"]) == (
        "ConfigMigration",
        "v1beta2",
        f"{GROUP}/v1",
    )
    odd = file(tmp_path, {**POLICY, "alwaysCheckAllPredicates": True})
    assert run(capsys, "config", "migrate", odd, "--strict")[0] == 4


def test_migrate_takes_what_a_dump_has_on_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, node("n-1"), config_map(OLD, "scheduler-config", "kube-system"))
    found = document(capsys, "config", "migrate", "--snapshot", path)
    assert (found["source"], found["form"]) == ("ConfigMap kube-system/scheduler-config (v1beta2)", "v1beta2")
    bare = write(tmp_path, node("n-1"), name="bare.json")
    code, _, err = run(capsys, "config", "migrate", "--snapshot", bare)
    assert (code, "no configuration" in err) == (2, True)
