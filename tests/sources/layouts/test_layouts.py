"""One small cluster, written by every tool: the same objects and the same verdict, from folders, archives and streams.

Node-a has 4 CPUs, of which a running pod holds 1 (an older copy in the must-gather says 3) and an ended one 2 that do
not count; node-b has 2. A pod that asks for 3 waits: it fits node-a alone.
"""

import io

import pytest

import kplan
from kplan.errors import SourceError, UsageError
from kplan.sources import load_objects
from tests.sources.layouts.packing import FIXTURES, members, tar, zipped, zstd

# folder of the fixture, name of the layout
LAYOUTS = [
    ("kubectl-list", None),
    ("kubectl-raw", None),
    ("ndjson", None),
    ("bare-arrays", None),
    ("kwok-snapshot", None),
    ("kwok-record", "kwok record"),
    ("cluster-info-dump", "kubectl cluster-info dump"),
    ("cluster-info-stream/dump.txt", "kubectl cluster-info dump"),
    ("must-gather", "OpenShift must-gather"),
    ("insights", "OpenShift Insights archive"),
    ("support-bundle", "troubleshoot support bundle"),
    ("support-bundle-kit", "support-bundle-kit bundle"),
    ("support-bundle-kit-old", "support-bundle-kit bundle"),
    ("velero", "velero backup"),
    ("scheduler-simulator", "kube-scheduler-simulator export"),
    ("scheduler-simulator-record", "kube-scheduler-simulator record"),
    ("cluster-autoscaler", "cluster-autoscaler snapshot"),
    ("kai", "KAI-Scheduler snapshot"),
    ("sonobuoy-2", "sonobuoy results"),
    ("sonobuoy-3", "sonobuoy results"),
    ("cilium", "cilium sysdump"),
]
IDS = [row[0] for row in LAYOUTS]
TREES = [row for row in LAYOUTS if (FIXTURES / row[0]).is_dir()]
TREE_IDS = [row[0] for row in TREES]


def assert_is_the_cluster(state, layout):
    assert [node.name for node in state.nodes] == ["node-a", "node-b"]
    assert [pod.key for pod in state.pods] == [
        "default/backup-1",
        "default/wait-1",
        "default/web-1",
        "kube-system/dns-1",
    ]
    assert state.completeness.broken == ()
    assert state.completeness.layouts == ((layout,) if layout else ())
    (outcome,) = kplan.simulate(state).outcomes
    assert (outcome.pod, outcome.placement.node, outcome.feasible.tolist()) == ("default/wait-1", 0, [0])


@pytest.mark.parametrize(("folder", "layout"), LAYOUTS, ids=IDS)
def test_every_layout_gives_the_same_verdict(folder, layout):
    assert_is_the_cluster(kplan.load(FIXTURES / folder), layout)


@pytest.mark.parametrize(("folder", "layout"), TREES, ids=TREE_IDS)
@pytest.mark.parametrize("packing", ["tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst", "zip"])
def test_every_layout_is_read_from_an_archive_that_is_not_named_so(folder, layout, packing, tmp_path):
    path = tmp_path / "dump"
    path.write_bytes(packed(members(FIXTURES / folder), packing))
    assert_is_the_cluster(kplan.load(path), layout)


@pytest.mark.parametrize(("folder", "layout"), LAYOUTS, ids=IDS)
def test_every_layout_is_read_from_standard_input(folder, layout):
    path = FIXTURES / folder
    data = tar(members(path), mode="w:gz") if path.is_dir() else path.read_bytes()
    assert_is_the_cluster(kplan.load("-", stdin=io.BytesIO(data)), layout)


def packed(files, packing):
    match packing:
        case "zip":
            return zipped(files)
        case "tar.zst":
            return zstd(tar(files))
        case _:
            kind = packing.removeprefix("tar").removeprefix(".")
            return tar(files, mode=f"w:{kind}" if kind else "w", prefix="./")


def test_a_dump_is_found_however_deep_it_lies_and_files_beside_it_are_read_too(tmp_path):
    files = {f"case-4711/from them/{name}": data for name, data in members(FIXTURES / "support-bundle").items()}
    extra = b"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: mine, namespace: default}\n"
    path = tmp_path / "all.tgz"
    path.write_bytes(tar({**files, "case-4711/budget.yaml": extra}, mode="w:gz"))
    state = kplan.load(path)
    assert [budget.key for budget in state.pod_disruption_budgets] == ["default/mine"]
    assert_is_the_cluster(state, "troubleshoot support bundle")


def test_a_folder_with_nothing_but_an_archive_is_that_archive(tmp_path):
    (tmp_path / "README.md").write_text("a bundle")
    (tmp_path / "bundle.tar.gz").write_bytes(tar(members(FIXTURES / "support-bundle"), mode="w:gz"))
    assert_is_the_cluster(kplan.load(tmp_path), "troubleshoot support bundle")


def test_a_folder_of_several_archives_is_refused_with_their_names(tmp_path):
    for name in ("one.tgz", "two.zip"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(SourceError, match=r"a folder with 2 archives: one\.tgz, two\.zip") as caught:
        kplan.load(tmp_path)
    assert caught.value.code == "several-archives"


def test_of_an_object_in_several_files_the_newest_is_kept_and_said():
    state = kplan.load(FIXTURES / "must-gather")
    (web,) = [pod for pod in state.pods if pod.name == "web-1"]
    assert web.metadata.resource_version == "201"
    assert web.spec.containers[0].resources.requests["cpu"] == "1"
    assert state.completeness.notes == (
        "2 duplicate Pod objects left out, the newest of each kept: default/web-1, kube-system/dns-1",
    )


def test_what_sonobuoy_left_out_is_not_taken_for_an_empty_cluster():
    completeness = kplan.load(FIXTURES / "sonobuoy-1").completeness
    assert completeness.counts == {"Node": 2}
    assert "Pod" in completeness.absent
    assert completeness.notes == ()


def test_what_sonobuoy_ran_is_told_where_there_are_pods():
    completeness = kplan.load(FIXTURES / "sonobuoy-2").completeness
    assert completeness.counts["Pod"]
    assert "what sonobuoy's own tests ran is among the pods" in completeness.notes


VERSIONS = [
    ("support-bundle", "v1.36.3+k3s1", ""),
    ("sonobuoy-1", "v1.8.4", ""),
    ("sonobuoy-2", "v1.9.1", ""),
    ("must-gather", "", "2026-01-02T03:04:05+01:00"),
    ("cluster-autoscaler", "", "2026-01-02T03:04:06Z"),
    ("scheduler-simulator-record", "", "2026-01-02T03:04:05Z"),
]


@pytest.mark.parametrize(("folder", "version", "taken"), VERSIONS, ids=[row[0] for row in VERSIONS])
def test_version_and_time_are_taken_from_where_a_layout_has_them(folder, version, taken):
    state = kplan.load(FIXTURES / folder)
    assert (state.server_version, state.taken) == (version, taken)


def test_templates_of_node_groups_are_kept_beside_the_nodes():
    templates = kplan.load(FIXTURES / "cluster-autoscaler").node_templates
    assert list(templates) == ["pool-1"]
    node, pods = templates["pool-1"]
    assert (node.name, node.status.allocatable["cpu"]) == ("template-node-for-pool-1", "8")
    assert [pod.key for pod in pods] == ["kube-system/agent-0"]


def test_the_configuration_that_the_simulator_exports_is_kept():
    state = kplan.load(FIXTURES / "scheduler-simulator")
    assert state.scheduler.configuration == {"parallelism": 16, "profiles": [{"schedulerName": "default-scheduler"}]}
    assert {one.name: one.value for one in state.priority_classes} == {
        "high": 1000,
        "system-cluster-critical": 2_000_000_000,
        "system-node-critical": 2_000_001_000,
    }


def test_kinds_without_a_model_are_counted_not_refused():
    state = kplan.load(FIXTURES / "kai")
    assert state.completeness.unknown == {"scheduling.run.ai/v2/Queue": 1}
    assert len(state.resource_slices) == 1


def test_a_bundle_says_what_its_collector_could_not_read():
    (note,) = kplan.load(FIXTURES / "support-bundle").completeness.notes
    assert note == "the bundle's collector reports errors for deployments: some may be missing"


def test_changes_of_a_kwok_record_are_carried_out_in_order():
    state = kplan.load(FIXTURES / "kwok-record")
    assert state.completeness.notes == (
        "6 recorded changes were carried out, 1 more are of objects that are not there",
    )
    assert state.nodes[0].status.allocatable["cpu"] == "4"


def test_a_log_that_is_cut_off_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "dump.txt"
    path.write_bytes((FIXTURES / "cluster-info-stream" / "dump.txt").read_bytes().rpartition(b"==== END")[0])
    with pytest.raises(SourceError, match="the logs of a container end in the middle") as caught:
        kplan.load(path)
    assert caught.value.line > 1


def test_field_names_of_go_are_refused():
    with pytest.raises(SourceError, match="field names of Go") as caught:
        kplan.load(FIXTURES / "refused" / "internal-names.json")
    assert caught.value.code == "internal-names"


BINARY = [
    ("member.db", b"\0" * 16 + b"\xed\xda\x0c\xed" + b"\0" * 5000, "etcd", "auger extract"),
    ("cut-off.sktrace", b"\x85\xa7version\x02\xa6config\x80", "broken-trace", "cut off: get it again"),
    ("old.sktrace", b"\x82\xa7version\x01\xa6events\x90", "simkube-version", "SimKube 2 or later"),
]


@pytest.mark.parametrize(("name", "data", "code", "hint"), BINARY, ids=[row[2] for row in BINARY])
def test_binary_forms_are_refused_with_the_way_to_convert_them(name, data, code, hint, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        kplan.load(path)
    assert caught.value.code == code
    assert hint in caught.value.hint


def test_a_trace_of_simkube_is_what_was_there_at_its_end():
    state = kplan.load(FIXTURES / "simkube")
    assert [pod.key for pod in state.pods] == ["default/wait-1"]
    assert [(one.key, one.spec.replicas) for one in state.deployments] == [("default/web", 3)]
    assert (state.taken, state.completeness.layouts) == ("2026-01-02T03:04:10Z", ("SimKube trace",))
    assert state.completeness.partial["Pod"].endswith("free space of the nodes is overstated")
    (outcome,) = kplan.simulate(state).outcomes
    assert (outcome.pod, outcome.placement.node, outcome.feasible.tolist()) == ("default/wait-1", 0, [0])


def test_a_trace_of_simkube_alone_has_no_nodes():
    completeness = kplan.load(FIXTURES / "simkube" / "trace.sktrace").completeness
    assert "Node" in completeness.absent
    assert completeness.absences["Node"].startswith("a SimKube trace holds no nodes: name a file with the nodes")


def test_a_trace_of_simkube_lands_as_a_manifest():
    landed = load_objects(FIXTURES / "simkube" / "trace.sktrace")
    assert [(one.kind, one.item.key) for one in landed.objects] == [
        ("Deployment", "default/web"), ("Pod", "default/wait-1"),
    ]  # fmt: skip


MOMENTS = [
    ("a trace before its first object", "simkube", "2026-01-02T03:04:00Z", []),
    ("a trace before a pod is deleted", "simkube", "2026-01-02T03:04:05Z", ["default/gone-1", "default/wait-1"]),
    ("a trace in another zone of time", "simkube", "2026-01-02T04:04:05+01:00", ["default/gone-1", "default/wait-1"]),
    ("a record before its first pod", "scheduler-simulator-record", "2026-01-02T03:04:01Z", []),
]


@pytest.mark.parametrize(("folder", "at", "pods"), [row[1:] for row in MOMENTS], ids=[row[0] for row in MOMENTS])
def test_a_record_is_carried_out_up_to_a_moment(folder, at, pods):
    assert [pod.key for pod in kplan.load(FIXTURES / folder, at=at).pods] == pods


def test_a_moment_is_a_time_and_of_a_record():
    with pytest.raises(UsageError, match="yesterday is not a time"):
        kplan.load(FIXTURES / "simkube", at="yesterday")
    with pytest.raises(UsageError, match="is of one moment, not a record over time"):
        kplan.load(FIXTURES / "kubectl-list", at="2026-01-02T03:04:05Z")
