"""``kplan snapshot`` and ``kplan unredact``, from a file."""

import json
from pathlib import Path

import pytest

from kplan.cli.main import main
from kplan.sources import load
from tests.cli.snapshots import node, pod, write

LAYOUTS = Path(__file__).parents[2] / "fixtures" / "layouts"


def test_a_snapshot_of_a_file_is_redacted_and_an_answer_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path, node("acme-b"), node("acme-a", unschedulable=True), pod("shop-web"))
    hidden, names = tmp_path / "hidden.json.gz", tmp_path / "names.json"
    assert main(["snapshot", str(hidden), "--snapshot", source, "--redact", "--redact-map", str(names)]) == 0
    assert [one.name for one in load(hidden).nodes] == ["node-1", "node-2"]
    assert names.stat().st_mode & 0o077 == 0
    capsys.readouterr()
    assert main(["explain", "pod", "pod-1", "-n", "ns-1", "--snapshot", str(hidden)]) == 0
    answer = tmp_path / "answer.txt"
    answer.write_text(capsys.readouterr().out)
    assert "node-2" in answer.read_text()
    assert main(["unredact", str(names), str(answer)]) == 0
    told = capsys.readouterr().out
    assert "acme-b" in told
    assert "default/shop-web" in told


def test_the_cluster_role_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["snapshot", "--print-rbac"]) == 0
    assert "kind: ClusterRole\n" in capsys.readouterr().out


def test_a_moment_of_a_record_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = LAYOUTS / "simkube", tmp_path / "s.json"
    assert main(["snapshot", str(file), "--snapshot", str(record), "--at", "2026-01-02T03:04:05Z"]) == 0
    assert [pod.name for pod in load(file).pods] == ["gone-1", "wait-1"]
    assert load(file).taken == "2026-01-02T03:04:05Z"
    assert "a SimKube trace holds only pods without an owner" in capsys.readouterr().err


ERRORS = {
    "a moment without a record": (["out.json", "--at", "2026-01-02T03:04:05Z"], "--at without a record"),
    "no file": ([], "FILE is missing"),
    "a map without redaction": (["out.json", "--redact-map", "names.json"], "--redact-map without --redact"),
    "two sources": (
        ["out.json", "--snapshot", "a", "--context", "b"],
        "--snapshot names a file, and --context a cluster",
    ),
    "to follow a file": (["out.json", "--follow", "--snapshot", "a.json"], "a.json is a file, and there is nothing"),
    "a kubeconfig that is not there": (["out.json", "--kubeconfig", "/no/file"], "no cluster to read: /no/file"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, message = ERRORS[case]
    assert main(["snapshot", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"kplan: error: {message}")
    assert "\nhint: " in err


def test_a_map_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "names.json").write_text(json.dumps(["a"]))
    assert main(["unredact", str(tmp_path / "names.json")]) == 2
    assert "not what --redact-map wrote" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("s.xz", ".xz"),
        ("s.json.bz2", ".bz2"),
        ("S.ZIP", ".zip"),
        ("s.tar", ".tar"),
        ("s.tar.gz", ".tar.gz"),
        ("s.tgz", ".tgz"),
        ("s.tar.xz", ".tar.xz"),
        ("s.json.gz", ""),
        ("prod.v1.37.json", ""),
        ("s.txt", ""),
    ],
)
def test_a_name_that_promises_another_packing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, refused: str
) -> None:
    source = write(tmp_path, node("n"))
    code = main(["snapshot", str(tmp_path / name), "--snapshot", source])
    err = " ".join(capsys.readouterr().err.split())
    assert ((tmp_path / name).exists(), code != 0) == (not refused, bool(refused))
    if refused:
        assert f"a snapshot is not written as {refused} hint: end its name in .gz or .zst" in err
    else:
        assert f"wrote {tmp_path / name}: 1 node, 0 pods" in err


def test_keys_of_labels_that_are_well_known_stay_and_help_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labelled = node("n")
    labelled["metadata"]["labels"] = {"acme.example/rack": "r-x", "topology.kubernetes.io/zone": "z-x"}
    hidden = tmp_path / "hidden.json"
    assert main(["snapshot", str(hidden), "--snapshot", write(tmp_path, labelled), "--redact"]) == 0
    (one,) = load(hidden).nodes
    assert "topology.kubernetes.io/zone" in one.labels
    assert "acme" not in hidden.read_text()
    assert not {"r-x", "z-x"} & set(one.labels.values())
    capsys.readouterr()
    assert main(["snapshot", "--help"]) == 0
    assert "well-known keys stay" in " ".join(capsys.readouterr().out.replace("│", " ").split())
