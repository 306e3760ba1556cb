"""``-o csv``, ``jsonpath=`` and ``custom-columns=``: the main list of a document, as tables and scripts take it."""

import csv
import io

import pytest

from kplan.cli.main import main

DEMO = ["--snapshot", "kplan/data/demo.yaml"]


def test_csv_has_a_heading_and_a_line_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", *DEMO, "-o", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["node"], row["pods"], row["resources.cpu.free"]) for row in rows][:2] == [
        ("infra-1", "1", "3820"),
        ("node-a", "3", "420"),
    ]
    assert rows[0]["taints"] == "dedicated=infra:NoSchedule"


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["simulate"], "pod,result,node,"),
        (["explain", "pod", "-A"], "pod,verdict,sentence,"),
        (["drain", "node-b"], "pod,"),
        (["fail", "--each", "node"], "name,nodes,"),
        (["capacity", "deploy/shop/web"], "workload,"),
        (["check", "fixtures/examples/checkout.yaml"], "object,status,"),
    ],
)
def test_every_command_has_its_rows(capsys: pytest.CaptureFixture[str], words: list[str], first: str) -> None:
    main([*words, *DEMO, "-o", "csv"])
    assert capsys.readouterr().out.startswith(first)


def test_a_cell_is_no_formula(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
        "spec: {taints: [{key: a, value: b, effect: NoSchedule}]}\n"
        "status: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}, conditions: [{type: Ready, status: 'False'}]}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: '=1+1', namespace: '@x'}\nspec: {containers: [{name: c}]}\n"
    )
    main(["simulate", "--snapshot", str(path), "-o", "csv"])
    assert capsys.readouterr().out.splitlines()[1].startswith("'@x/=1+1,")


def test_jsonpath_and_custom_columns(capsys: pytest.CaptureFixture[str]) -> None:
    pending = '{range .steps[?(@.result=="pending")]}{.pod}{"\\n"}{end}'
    assert main(["simulate", *DEMO, "-o", f"jsonpath={pending}"]) == 1
    assert capsys.readouterr().out == "shop/db-2\nshop/search-0\nshop/db-0\n"
    assert main(["nodes", *DEMO, "-o", "custom-columns=NODE:.node,TAINTS:.taints[*]"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "NODE      TAINTS",
        "infra-1   dedicated=infra:NoSchedule",
    ]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("jsonpath", "-o jsonpath: no template\nhint: as -o jsonpath='{.verdict}'"),
        ("custom-columns=", "-o custom-columns: no template\nhint: as -o custom-columns=POD:.pod,NODE:.node"),
        ("custom-columns=POD", "custom-columns: 'POD': no column"),
        ("jsonpath={.a", "a brace is not closed"),
    ],
)
def test_a_template_that_cannot_be_read_is_an_error(capsys: pytest.CaptureFixture[str], form: str, said: str) -> None:
    assert main(["nodes", *DEMO, "-o", form]) == 2
    assert said in capsys.readouterr().err


def test_prometheus_reads_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", *DEMO, "-o", "prometheus"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "# HELP kplan_node_requested What the scheduler counts as requested on a node.",
        "# TYPE kplan_node_requested gauge",
        'kplan_node_requested{node="infra-1",resource="cpu"} 0.1',
        'kplan_node_requested{node="infra-1",resource="memory"} 134217728',
    ]
    assert 'kplan_node_free{node="node-a",resource="cpu"} 0.42' in lines
    assert 'kplan_largest_free{resource="cpu"} 3.82' in lines


def test_prometheus_reads_capacity_and_losses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "deploy/shop/web", *DEMO, "-o", "prometheus"]) == 0
    assert 'kplan_capacity_more{workload="deploy/shop/web"} 2\n' in capsys.readouterr().out
    assert main(["fail", "--each", "zone", *DEMO, "-o", "prometheus"]) == 1
    out = capsys.readouterr().out
    assert 'kplan_loss_survived{zone="zone-1"} 0\n' in out
    assert 'kplan_loss_pending_pods{zone="zone-1"} 3\n' in out


def test_prometheus_is_not_for_what_has_no_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drain", "node-b", *DEMO, "-o", "prometheus"]) == 2
    assert "-o prometheus: not for a DrainPlan" in capsys.readouterr().err
