"""Try, for manifests: the change is planned from the start, told of the whole, with the line of the field it is in."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.check import CheckAsked, answer
from kplan.cli.options import Rules, Source
from kplan.cli.session import open_session
from kplan.cli.simulate import plan
from kplan.remedies import many
from kplan.result.document_check import CheckResult, Finding
from kplan.result.document_how_to import FieldChange
from kplan.studies import as_a_whole
from kplan.studies.check.policy import CheckPolicy
from tests.studies.checking import NOW, check, deployment, item, node, only, pod, template, write

CONTAINER = """\
containers:
  - name: main
    image: example.invalid/x:1
    resources:
      requests:
        cpu: "{cpu}"
"""


def spec(cpu: str, indent: int) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in CONTAINER.format(cpu=cpu).splitlines())


def checked(
    folder: Path, cluster: list[dict[str, Any]], text: str, templates: dict[str, str] | None = None
) -> CheckResult:
    """Check a manifest that is written as a text."""
    snapshot = write(folder / "cluster.json", item("Namespace", "shop"), *cluster)
    file = folder / ("web.json" if text.startswith("{") else "web.yaml")
    file.write_text(text)
    asked = CheckAsked([str(file)], "", True, CheckPolicy(), templates=templates)
    return answer(open_session(Source(snapshot), Rules()), asked, NOW)


def told(finding: Finding) -> list[str]:
    """What is tried, and each field with its line."""
    return [finding.attempt, *(f"{edit.line} {edit.path}: {edit.old} -> {edit.new}" for edit in finding.edits)]


def nodes(count: int, cpu: str = "4", **fields: Any) -> list[dict[str, Any]]:
    return [node(f"n-{number}", cpu=cpu, **fields) for number in range(count)]


DEPLOYMENT = f"""\
apiVersion: v1
kind: Service
metadata: {{name: web, namespace: shop}}
---
# the one that matters
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 3
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
{spec("6", 6)}"""

CRON_JOB = f"""\
apiVersion: batch/v1
kind: CronJob
metadata: {{name: web, namespace: shop}}
spec:
  schedule: "@daily"
  jobTemplate:
    spec:
      parallelism: 2
      completions: 2
      template:
        spec:
          restartPolicy: Never
{spec("6", 10)}"""

GADGET = f"""\
apiVersion: example.com/v1
kind: Gadget
metadata: {{name: web, namespace: shop}}
spec:
  replicas: 2
  podTemplate:
    spec:
{spec("6", 6)}"""

LIST = f"""\
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {{name: x, namespace: shop}}
  - apiVersion: v1
    kind: Pod
    metadata: {{name: web, namespace: shop}}
    spec:
{spec("6", 6)}"""

JSON = json.dumps({"apiVersion": "v1", "kind": "List", "items": [deployment("web", "6", 3)]}, indent=1)


@pytest.mark.parametrize(
    ("text", "templates", "expected"),
    [
        pytest.param(
            DEPLOYMENT,
            None,
            ["cpu request 4 (now 6) -> all 3 replicas land", '22 spec.template.spec.{}: "6" -> "4"'],
            id="a document among several",
        ),
        pytest.param(
            CRON_JOB,
            None,
            [
                "cpu request 4 (now 6) -> both pods land",
                '18 spec.jobTemplate.spec.template.spec.{}: "6" -> "4"',
            ],
            id="a CronJob, whose template is deeper",
        ),
        pytest.param(
            GADGET,
            {"Gadget": "spec.podTemplate"},
            ["cpu request 4 (now 6) -> both pods land", '13 spec.podTemplate.spec.{}: "6" -> "4"'],
            id="a kind whose template a flag names",
        ),
        pytest.param(
            LIST,
            None,
            ["cpu request 4 (now 6) -> its pod lands", '16 spec.{}: "6" -> "4"'],
            id="an item of a List",
        ),
        pytest.param(
            JSON,
            None,
            ["cpu request 4 (now 6) -> all 3 replicas land", '32 spec.template.spec.{}: "6" -> "4"'],
            id="JSON",
        ),
    ],
)
def test_the_line_is_that_of_the_field(
    tmp_path: Path, text: str, templates: dict[str, str] | None, expected: list[str]
) -> None:
    found = checked(tmp_path, nodes(3), text, templates)
    field = "containers[0].resources.requests.cpu"
    assert told(only(found, "does-not-fit")) == [line.format(field) for line in expected]
    line = only(found, "does-not-fit").edits[0].line
    assert '"6"' in text.splitlines()[line - 1]


def deploy(cpu: str, replicas: int, **fields: Any) -> dict[str, Any]:
    return deployment("web", cpu, replicas, **fields)


def tried(folder: Path, cluster: list[dict[str, Any]], *manifests: dict[str, Any]) -> list[str]:
    finding = only(check(folder, cluster, *manifests), "does-not-fit")
    return [finding.attempt, *(f"{edit.path}: {edit.old} -> {edit.new}" for edit in finding.edits)]


def taken(count: int, cpu: str) -> list[dict[str, Any]]:
    return [pod(f"app-{number}", f"n-{number}", cpu) for number in range(count)]


def test_a_request_is_lowered_further_until_all_fit(tmp_path: Path) -> None:
    """Free are 5, 4 and 3: the first pod that waits would fit with 5, the second with 4, the third with 3."""
    cluster = [*nodes(3, cpu="10"), pod("a", "n-0", "5"), pod("b", "n-1", "6"), pod("c", "n-2", "7")]
    assert tried(tmp_path, cluster, deploy("6", 3)) == [
        "cpu request 3 (now 6) -> all 3 replicas land",
        'spec.template.spec.containers[0].resources.requests.cpu: "6" -> "3"',
    ]


def test_a_request_is_not_lowered_below_its_half_but_nodes_are_added(tmp_path: Path) -> None:
    assert tried(tmp_path, nodes(2), deploy("3", 4)) == ["2 more nodes like n-0 (4 cpu) -> all 4 replicas land"]


def test_the_queue_of_the_cluster_takes_the_first_of_the_nodes_that_are_added(tmp_path: Path) -> None:
    waits = [pod(f"old-{number}", "", "3", "ReplicaSet/old") for number in range(2)]
    assert tried(tmp_path, [*nodes(1), *waits], deploy("4", 1)) == [
        "2 more nodes like n-0 (4 cpu) -> its replica lands"
    ]


def test_where_not_all_can_land_it_says_how_many(tmp_path: Path) -> None:
    """Free are 5, 4 and 1, and each pod is for its own node: nobody asks for as little as 1 instead of 6."""
    cluster = [*nodes(3, cpu="10"), pod("a", "n-0", "5"), pod("b", "n-1", "6"), pod("c", "n-2", "9")]
    agent = item(
        "DaemonSet", "agent", "shop", spec={"selector": {"matchLabels": {"app": "x"}}, "template": template("6", "x")}
    )
    assert tried(tmp_path, cluster, agent)[0] == "cpu request 4 (now 6) -> 2 of 3 pods land"


def test_what_was_not_written_is_written_and_what_admission_added_stays_out(tmp_path: Path) -> None:
    """The request comes from the limit; the tolerations of every pod are not of the manifest."""
    container = {"name": "main", "image": "x:1", "resources": {"limits": {"cpu": "6"}}}
    assert tried(tmp_path, nodes(1), deploy("1", 1, containers=[container])) == [
        "cpu request 4 (now 6) -> its replica lands",
        'spec.template.spec.containers[0].resources.requests.cpu:  -> "4"',
    ]
    taint = {"taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]}
    assert tried(tmp_path, nodes(2, **taint), deploy("1", 2)) == [
        "tolerate a=b -> both replicas land",
        "spec.template.spec.tolerations[0]:  -> "
        '{"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"}',
    ]
    known = [{"key": "x", "operator": "Exists"}]
    assert tried(tmp_path, nodes(2, **taint), deploy("1", 2, tolerations=known))[1].startswith(
        "spec.template.spec.tolerations[1]: "
    )


@pytest.mark.parametrize(
    ("fields", "attempt", "edits"),
    [
        pytest.param(
            {"nodeSelector": {"disk.example.com/type": "ssd", "pool": "a"}},
            "drop nodeSelector disk.example.com/type -> both replicas land",
            ['spec.template.spec.nodeSelector[disk.example.com/type]: "ssd" -> '],
            id="one of several labels",
        ),
        pytest.param(
            {"nodeSelector": {"disk": "ssd"}},
            "drop nodeSelector disk=ssd -> both replicas land",
            ['spec.template.spec.nodeSelector: {"disk": "ssd"} -> '],
            id="the only label",
        ),
        pytest.param(
            {
                "topologySpreadConstraints": [
                    {
                        "maxSkew": 1,
                        "topologyKey": "pool",
                        "whenUnsatisfiable": "DoNotSchedule",
                        "minDomains": 2,
                        "labelSelector": {"matchLabels": {"app": "web"}},
                    }
                ]
            },
            "minDomains: 1 (now 2) -> both replicas land",
            ["spec.template.spec.topologySpreadConstraints[0].minDomains: 2 -> 1"],
            id="a number of a constraint",
        ),
    ],
)
def test_each_rule_is_changed_where_it_stands(
    tmp_path: Path, fields: dict[str, Any], attempt: str, edits: list[str]
) -> None:
    assert tried(tmp_path, nodes(2, pool="a"), deploy("1", 2, **fields)) == [attempt, *edits]


def test_a_term_is_moved_with_a_line_for_each_side(tmp_path: Path) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "topology.kubernetes.io/zone"}
    away = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    found = tried(tmp_path, [node("a", "z"), node("b", "z")], deploy("1", 2, affinity=away))
    assert found == [
        "pod anti-affinity app=web by hostname (now zone) -> both replicas land",
        "spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
        '"topology.kubernetes.io/zone" -> "kubernetes.io/hostname"',
    ]


def test_a_change_of_the_cluster_has_no_line(tmp_path: Path) -> None:
    found = check(tmp_path, nodes(1, unschedulable=True), deploy("1", 2))
    finding = only(found, "does-not-fit")
    assert finding.attempt == "uncordon n-0 -> both replicas land"
    assert finding.edits == ()
    assert finding.place == (finding.file, finding.line, finding.column)


def test_a_change_that_takes_the_room_of_another_object_gives_way_to_one_that_does_not(tmp_path: Path) -> None:
    """With 4 instead of 5 the first would fill the node, on which the second is without it."""
    found = check(tmp_path, nodes(1), deployment("api", "5", 1), deployment("web", "3", 1))
    assert only(found, "does-not-fit").attempt == "one more node like n-0, with 5 cpu -> its replica lands"


def test_what_gets_worse_by_it_is_said_where_nothing_else_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tolerating the taint, the first goes to n-0, the only node that the second may use."""
    taint = {"taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]}
    web = deploy(
        "3", 1, nodeSelector={"kubernetes.io/hostname": "n-0"}, tolerations=[{"key": "a", "operator": "Exists"}]
    )
    manifests = [deployment("api", "3", 1), web]
    assert tried(tmp_path, nodes(2, **taint), *manifests)[0].startswith("tolerate") is False
    monkeypatch.setattr(as_a_whole, "options", lambda found, pod: many.options(found, pod)[:1])
    assert tried(tmp_path, nodes(2, **taint), *manifests)[0] == (
        "tolerate a=b -> its replica lands; shop/web: 0 of 1, not 1"
    )


def test_simulate_says_the_same_of_its_causes(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "cluster.json", item("Namespace", "shop"), *nodes(3), pod("own", "", "9"))
    file = tmp_path / "web.yaml"
    file.write_text(DEPLOYMENT)
    causes = plan(open_session(Source(snapshot), Rules()), [str(file)], "").causes
    assert [(cause.owners, cause.attempt) for cause in causes] == [
        ({"deploy/shop/web": 3}, "cpu request 4 (now 6) -> all 3 replicas land"),
        ({"pod/shop/own": 1}, "one more node like n-0, with 9 cpu -> 1 of 1 fits"),
    ]
    assert causes[0].edits == (
        FieldChange(
            path="spec.template.spec.containers[0].resources.requests.cpu",
            old='"6"',
            new='"4"',
            file=str(file),
            line=22,
            column=causes[0].edits[0].column,
        ),
    )


def put(value: Any, path: str, new: str) -> None:
    """Carry an edit out by hand: on what a YAML parser makes of the file."""
    steps: list[str | int] = []
    for part in path.split("."):
        name, *rest = part.replace("]", "").split("[")
        steps += [name, *(int(number) for number in rest)]
    for step in steps[:-1]:
        value = value[step]
    value[steps[-1]] = json.loads(new)


@pytest.mark.parametrize("text", [DEPLOYMENT, CRON_JOB], ids=["Deployment", "CronJob"])
def test_the_file_with_the_edit_passes(tmp_path: Path, text: str) -> None:
    found = checked(tmp_path, nodes(3), text)
    documents = list(yaml.safe_load_all(text))
    for edit in only(found, "does-not-fit").edits:
        put(documents[-1], edit.path, edit.new)
    assert checked(tmp_path, nodes(3), yaml.safe_dump_all(documents)).verdict == "PASSES"


@pytest.mark.parametrize("whole", [True, False])
def test_a_plan_says_that_claims_of_devices_are_not_tried_where_no_devices_were_read(
    tmp_path: Path, whole: bool
) -> None:
    claims = [{"name": "gpu", "resourceClaimName": "gpu-0"}]
    found = check(tmp_path, nodes(1), deploy("6", 2, resourceClaims=claims), whole=whole)
    told = "2 pods without a node have claims of devices, which are not tried" in found.notes
    assert told is not whole


def test_a_node_in_each_zone_is_tried_where_nodes_in_one_help_few(tmp_path: Path) -> None:
    # a node holds one replica, three zones have one each: of 6 more spread evenly every zone takes 2
    selector = {"matchLabels": {"app": "web"}}
    key = "topology.kubernetes.io/zone"
    rule = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    cluster = [node(name, zone, cpu="1") for name, zone in (("a", "z1"), ("b", "z2"), ("c", "z3"))]
    found = only(check(tmp_path, cluster, deployment("web", "1", 9, topologySpreadConstraints=[rule])), "does-not-fit")
    assert found.attempt == "2 more nodes like a (1 cpu) in each of 3 zones -> all 9 replicas land"
