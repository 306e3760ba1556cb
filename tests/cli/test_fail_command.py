"""``kplan fail``."""

import json
from pathlib import Path

import jsonschema
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write

ZONE = "topology.kubernetes.io/zone"


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    nodes = [node(f"n-{n}") for n in (1, 2, 3)]
    for item, zone in zip(nodes, "aab", strict=True):
        item["metadata"]["labels"][ZONE] = zone
    web = [owned(pod(f"web-{n}", cpu="2500m", on=f"n-{n}"), "ReplicaSet", "web") for n in (1, 2)]
    return write(tmp_path, *nodes, *web, pod("bare", on="n-2", cpu="1"))


def test_one_node_as_text(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["fail", "n-2", "--snapshot", cluster]) == 1
    assert capsys.readouterr().out == (
        "PARTLY   n-2 is lost: its pod is placed again, default/bare GONE\n"
        "Because  nothing owns default/bare: no controller recreates it\n"
        "\n"
        "Pods     pod            lands on  when\n"
        "         default/bare   GONE      after 350 s\n"
        "         default/web-2  n-3       after 350 s\n"
        "Lost     GONE: default/bare\n"
        "Time     seconds after the loss, with the defaults of the controllers\n"
        "      0  n-2 falls silent\n"
        "     50  n-2 is tainted node.kubernetes.io/unreachable:NoExecute\n"
        "    350  default/web-2 deleted, recreated at once; default/bare GONE\n"
        "           (tolerationSeconds 300)\n"
        "Note     2 pods without a toleration of unreachable:NoExecute: the default, 300\n"
        "         s, is assumed\n"
        "From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (no version recorded)\n"
    )


def test_what_is_borne_exits_with_0_and_q_gives_one_line(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["fail", "n-1", "-q", "--snapshot", cluster]) == 0
    assert capsys.readouterr().out == "FITS     n-1 is lost: its pod is placed again\n"


def test_a_zone_and_more_nodes_by_what_ifs(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["fail", "--zone", "a", "-q", "--snapshot", cluster]) == 1
    assert capsys.readouterr().out == (
        "PARTLY   zone a (n-1, n-2) is lost: 1 of 2 pods placed again, default/web-2\n"
        "         Pending, default/bare GONE\n"
        "Because  cpu: it wants 2500m, n-3 has 1500m free\n"
        "Try      one more node like n-3 -> all placed, what is GONE stays GONE\n"
    )
    argv = ["fail", "--zone", "a", "-q", "--snapshot", cluster, "--add-node", "like=n-3", "--delete", "bare"]
    assert main(argv) == 0
    assert "both pods are placed again" in capsys.readouterr().out


def test_every_node_as_a_table(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["fail", "--each", "node", "--snapshot", cluster]) == 1
    assert capsys.readouterr().out == (
        "PARTLY   survives 2 of 3 single node failures\n"
        "Because  n-2: nothing owns default/bare: no controller recreates it\n"
        "\n"
        "Each     node  pods  replaced  Pending  GONE  evicts  verdict\n"
        "         n-2      2         1        -     1       -  PARTLY\n"
        "         n-1      1         1        -     -       -  FITS\n"
        "         n-3      -         -        -     -       -  FITS\n"
        "         in detail: kplan fail n-2\n"
        "From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (no version recorded)\n"
    )
    assert main(["fail", "--each", "node", "-l", f"{ZONE}=b", "-q", "--snapshot", cluster]) == 0
    assert capsys.readouterr().out == "FITS     survives 1 of 1 single node failure\n"


def test_json_keeps_to_its_schema(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    schema = json.loads(json_schema("FailReport"))
    for words in (["n-2"], ["--zone", "a"], ["--each", "zone"]):
        assert main(["fail", *words, "--snapshot", cluster, "-o", "json"]) == 1
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema)
        assert document["kind"] == "FailReport"
    assert [case["name"] for case in document["cases"]] == ["a", "b"]


def test_a_page_shows_the_nodes_that_are_left(tmp_path: Path, cluster: str) -> None:
    page = tmp_path / "page.html"
    assert main(["fail", "n-2", "--snapshot", cluster, "-o", f"html={page}"]) == 1
    assert "default/web-2-r1" in page.read_text()


def test_many_pods_are_folded_by_owner(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    nodes = [node(f"n-{n}", cpu="16") for n in (1, 2, 3)]
    web = [owned(pod(f"web-{n:02}", on="n-1"), "ReplicaSet", "web") for n in range(10)]
    api = [
        owned(pod(f"api-{n}", on="n-1", nodeSelector={"kubernetes.io/hostname": "n-1"}), "ReplicaSet", "api")
        for n in (1, 2, 3)
    ]
    file = write(tmp_path, *nodes, *web, *api)
    assert main(["fail", "n-1", "--snapshot", file]) == 1
    text = capsys.readouterr().out
    assert (
        "Pods     13 of 2 owners, by owner (-o wide: each)\n"
        "      3  rs/default/api -> Pending x3\n"
        "     10  rs/default/web -> n-2 x5, n-3 x5\n"
    ) in text
    assert main(["fail", "n-1", "--snapshot", file, "-o", "wide"]) == 1
    assert "default/web-09" in capsys.readouterr().out


def test_a_cluster_without_zones_has_no_zone_to_lose(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["fail", "--each", "zone", "--snapshot", write(tmp_path, node("a"))]) == 2
    assert "--each zone: no node has a zone label" in capsys.readouterr().err


WRONG = [
    ("no node", [], "no node is named"),
    ("a node that is not there", ["n-9"], "no node n-9"),
    ("a zone that is not there", ["--zone", "z"], "no node is in zone z"),
    ("each of something else", ["--each", "rack"], "--each rack: no such choice"),
    ("each zone with a node", ["n-1", "--each", "zone"], "--each zone loses zones"),
]


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_refused(capsys: pytest.CaptureFixture[str], cluster: str, words: list[str], told: str) -> None:
    assert main(["fail", *words, "--snapshot", cluster]) == 2
    assert told in capsys.readouterr().err
