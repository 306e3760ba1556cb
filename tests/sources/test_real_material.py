"""Real dumps and manifests, where they are at hand: read, or refused in one line, and counted right."""

import json
import pathlib

import pytest

from kplan.errors import SourceError
from kplan.sources import load, load_objects

REAL = pathlib.Path(__file__).resolve().parents[3] / "shared" / "real"

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the real material is not part of the repository")

COUNTS = [
    ("kubectl-list-popeye", {"Node": 5, "Pod": 9, "PodDisruptionBudget": 5}),
    ("must-gather-metal", {"Node": 2, "Pod": 14, "CSINode": 6, "PodDisruptionBudget": 1, "ResourceQuota": 1}),
    ("must-gather-per-pod", {"Node": 2, "Pod": 2}),
    ("ndjson-pallograph", {"Pod": 16}),
    ("open-simulator-demo", {"StorageClass": 3}),
    ("sonobuoy-current/unpacked", {"Node": 3, "Pod": 20}),
    ("ts-bundle-kurl-2022/support-bundle", {"Node": 3, "PersistentVolume": 1, "StatefulSet": 0}),
    ("ts-loose-lists", {"Node": 7}),
]


@pytest.mark.parametrize(("folder", "counts"), COUNTS, ids=[folder for folder, _ in COUNTS])
def test_a_dump_is_counted_right(folder, counts):
    completeness = load(REAL / "dumps" / folder).completeness
    assert {kind: completeness.counts.get(kind) for kind in counts} == counts
    assert completeness.broken == ()


def test_a_pod_that_a_must_gather_holds_twice_counts_once():
    twice, elsewhere = load(REAL / "dumps" / "must-gather-metal").completeness.notes
    assert twice.startswith("14 duplicate Pod objects left out")
    assert elsewhere.startswith("9 pods run on nodes missing from the dump: master-0.")
    assert elsewhere.endswith(" and 1 more")


def test_nodes_of_longhorn_are_no_nodes():
    bundle = REAL / "dumps" / "ts-bundle-kurl-2022"
    assert len(load(bundle).nodes) == 3
    resources = load(bundle / "support-bundle" / "cluster-resources" / "custom-resources")
    assert resources.nodes == ()
    assert resources.completeness.unknown["longhorn.io/v1beta1/Node"] == 3


def test_every_manifest_is_read_with_every_object():
    """Counted by a reader of its own: the lines that begin an object in a YAML stream."""
    for name, wanted in {"online-boutique.yaml": 35, "longhorn.yaml": 51, "bookinfo.yaml": 14}.items():
        manifests = load_objects(REAL / "manifests" / name)
        text = (REAL / "manifests" / name).read_text()
        assert len(manifests.objects) == wanted == sum(line.startswith("kind: ") for line in text.splitlines())
        assert manifests.broken_objects == []


def test_a_template_is_refused_with_a_word_of_what_to_do():
    with pytest.raises(SourceError) as caught:
        load_objects(REAL / "manifests" / "templates-not-yaml")
    assert caught.value.line == 2
    assert "render it first" in caught.value.hint


@pytest.mark.parametrize("reader", [load, load_objects], ids=["load", "load_objects"])
def test_no_file_makes_more_of_an_error_than_one_line(reader):
    files = [path for path in REAL.rglob("*") if path.is_file()]
    assert len(files) > 400
    for path in files:
        error = refusal(reader, path)
        assert error is None or (error.file == str(path) and "\n" not in str(error) and len(str(error)) < 500)


def refusal(reader, path):
    try:
        reader(path)
    except SourceError as error:
        return error
    return None


def test_the_facts_beside_the_dumps_agree():
    facts = json.loads((REAL / "dumps" / "FACTS.json").read_text())
    for folder in ("must-gather-per-pod",):
        completeness = load(REAL / "dumps" / folder).completeness
        assert completeness.counts["Node"] == facts[folder]["nodes"]
        assert completeness.counts["Pod"] == facts[folder]["pods"]
