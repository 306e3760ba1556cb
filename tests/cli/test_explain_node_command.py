"""``kplan explain node``."""

import json
from pathlib import Path
from textwrap import dedent

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    taint = {"key": "dedicated", "value": "infra", "effect": "NoSchedule"}
    return write(
        tmp_path,
        node("node-a", taints=[taint]),
        node("node-b"),
        pod("db", on="node-a", cpu="3"),
        owned(pod("web-0", cpu="1"), "StatefulSet", "web"),
        owned(pod("web-1", cpu="1"), "StatefulSet", "web"),
        pod("tools", cpu="2", tolerations=[{"key": "dedicated", "operator": "Exists"}]),
        pod("agent", cpu="500m", tolerations=[{"key": "dedicated", "operator": "Exists"}]),
    )


def test_the_whole_story(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["explain", "node", "node-a", "--snapshot", cluster]) == 0
    assert capsys.readouterr().out == dedent(
        """\
        LOSES    node-a: of 4 waiting pods, each tried alone, 1 fits but goes elsewhere,
                 3 do not fit
        Because  taint dedicated=infra:NoSchedule, not tolerated: in the way of 2 of 3

        Node     taint dedicated=infra:NoSchedule
        Use              0     100%       requested
                 cpu     ########..  75%  3 of 4     free 1
                 memory  ..........   0%  0 of 16Gi  free 16Gi
                 pods    #.........   0%  1 of 110   free 109
        Refuses  3 pods, by cause
              2  taint dedicated=infra:NoSchedule, not tolerated
                   sts/default/web 2; all fit elsewhere
              1  cpu: needs 2, free 1, lacks 1
                   pod/default/tools; it fits elsewhere
        Loses    1 pod that fits, while another node wins
              1  node-b wins by 37, 463 to 426: NodeResourcesFit 92 there, 54 here
                   (NodeResourcesBalancedAllocation +1); this is place 2 of 2
                   pod/default/agent
        Runs     pod         cpu  memory  priority
                 default/db    3       -         0
        From     made-up.json, 2 nodes, 5 pods; rules of 1.37 (no version recorded)
        """
    )


def test_all_namespaces_are_asked_about_unless_one_is_named(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    words = ["explain", "node", "node-a", "--snapshot", cluster, "-q"]
    told = []
    for more in ([], ["-A"], ["-n", "other", "-A"], ["-n", "other"]):
        main([*words, *more])
        told.append(capsys.readouterr().out.partition("\n")[0])
    assert told[:3] == ["LOSES    node-a: of 4 waiting pods, each tried alone, 1 fits but goes elsewhere,"] * 3
    assert told[3] != told[0]


def test_json_is_what_the_schema_says(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["explain", "node", "node/node-a", "--snapshot", cluster, "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(json_schema("NodeExplanation")))
    assert [item["codes"] for item in document["refused"]] == [["taint-not-tolerated"], ["insufficient-cpu"]]
    assert document["refused"][0]["messages"] == ["node(s) had untolerated taint(s)"]


def test_pods_may_be_narrowed_down(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["explain", "node", "node-b", "-n", "other", "--snapshot", cluster]) == 0
    text = capsys.readouterr().out
    assert text.startswith("IDLE     node-b: no waiting pod to ask about")
    assert "Note     4 more waiting pods not asked about" in text


def test_the_beginning_of_a_name_will_do_if_it_is_the_only_one(
    capsys: pytest.CaptureFixture[str], cluster: str
) -> None:
    assert main(["explain", "node", "node-", "--snapshot", cluster]) == 2
    assert "node- means 2 nodes" in capsys.readouterr().err
    assert main(["explain", "node", "nodeb", "--snapshot", cluster]) == 2
    assert "did you mean node-b" in capsys.readouterr().err
