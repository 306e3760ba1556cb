"""``kplan sweep``: what it shows, how it ends, and that a sweep which was killed goes on where it was."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

from kplan.cli.main import main
from kplan.render.data import json_schema
from tests.cli.snapshots import node, owned, pod, write

ZONE = "topology.kubernetes.io/zone"


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """Three nodes of 4 cpu, two of them in zone a; web of 2500m on n-1 and n-2, and one of nobody on n-2."""
    nodes = [node(f"n-{n}") for n in (1, 2, 3)]
    for item, zone in zip(nodes, "aab", strict=True):
        item["metadata"]["labels"][ZONE] = zone
    web = [owned(pod(f"web-{n}", cpu="2500m", on=f"n-{n}"), "ReplicaSet", "web") for n in (1, 2)]
    return write(tmp_path, *nodes, *web, pod("bare", on="n-2", cpu="1"))


FROM = "From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (no version recorded)\n"


def test_without_anything_each_node_is_drained(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["sweep", "--snapshot", cluster]) == 1
    assert capsys.readouterr().out == (
        "PARTLY?  1 of 3 drains leaves pods Pending\n"
        "Doubt    the source holds no poddisruptionbudgets: budgets are unknown: drains\n"
        "         and preemption may be refused\n"
        "Because  drain n-2: default/bare: nothing owns it: it would be GONE\n"
        "Try      kplan drain n-2 -> its pods one by one, and what would help\n"
        "\n"
        "Case     scenario   pods  placed  held  verdict\n"
        "         drain n-2     2       1     1  BLOCKED\n"
        "Fullest  cpu 50% requested, drain n-1\n" + FROM
    )


def test_losses_worst_first_with_their_causes(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    argv = ["sweep", "--fail-each", "zone", "--fail-each", "node", "--snapshot", cluster]
    assert main(argv) == 1
    assert capsys.readouterr().out == (
        "PARTLY   survives 3 of 5 losses\n"
        "Because  fail zone a: default/web-2: cpu: it wants 2500m, n-3 has 1500m free\n"
        "Try      kplan fail --zone a -> what comes back when, and what would help\n"
        "\n"
        "Worst    scenario     pods  placed  Pending  GONE  verdict\n"
        "         fail zone a     3       1        1     1  PARTLY\n"
        "         fail n-2        2       1        -     1  PARTLY\n"
        "Why      2 causes, each as in its worst scenario\n"
        "      1  default/web-2: cpu: it wants 2500m, n-3 has 1500m free\n"
        "           fail zone a\n"
        "      1  nothing owns default/bare: no controller recreates it\n"
        "           fail n-2\n"
        "Fullest  cpu 75% requested, fail zone b\n" + FROM
    )


def test_workloads_by_pools_are_a_table_of_nodes(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path
) -> None:
    def deployment(name: str, cpu: str) -> str:
        template = {"metadata": {"labels": {"app": name}}, "spec": pod(name, cpu=cpu)["spec"]}
        template["spec"]["containers"][0]["image"] = "x"
        spec = {"replicas": 6, "selector": {"matchLabels": {"app": name}}, "template": template}
        file = tmp_path / f"{name}.json"
        body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
        file.write_text(json.dumps(body))
        return str(file)

    pools = ["--pool", "like=n-1", "--pool", "cpu=8,memory=32Gi", "--pool", "cpu=2,memory=4Gi"]
    argv = ["sweep", *pools, "-f", deployment("api", "2"), "-f", deployment("batch", "3"), "--snapshot", cluster]
    # 1500m, 500m and 4 cpu are free. api: 2 fit; 4 are left, 2, 4 or 1 to a node. batch: 1 fits; 5 are left, 1, 2 or 0
    assert main(argv) == 1
    assert capsys.readouterr().out == (
        "PARTLY   5 of 6 cases fit\n"
        "Because  pool cpu=2,memory=4Gi, deploy/default/batch: even an empty one: cpu,\n"
        "         larger than the node: 3\n"
        "\n"
        "Nodes    pool                    deploy/default/api  deploy/default/batch\n"
        "         pool like=n-1                            2                     5\n"
        "         pool cpu=8,memory=32Gi                   1                     3\n"
        "         pool cpu=2,memory=4Gi                    4               no help\n" + FROM
    )


def test_what_ifs_come_first_and_are_printed_back(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    argv = ["sweep", "--fail-each", "zone", "--snapshot", cluster, "--add-node", "like=n-3", "--delete", "bare"]
    assert main(argv) == 0
    assert capsys.readouterr().out == (
        "FITS     survives 2 of 2 losses\n"
        "\n"
        "If       1  --add-node like=n-3\n"
        "            n-3-new-1 added like n-3\n"
        "         2  --delete bare\n"
        "            default/bare deleted\n"
        "Fullest  cpu 62% requested, fail zone a\n"
        "From     made-up.json, 3 nodes, 3 pods; rules of 1.37 (no version recorded)\n"
    )


def test_versions_and_configurations_are_axes_where_several_are_named(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path
) -> None:
    file = tmp_path / "new.yaml"
    file.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
    argv = ["sweep", "--fail-each", "n-2", "--k8s-version", "1.36,1.37", "--snapshot", cluster, "-o", "json"]
    assert main([*argv, "--config", "default", "--config", str(file)]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(json_schema("SweepReport")))
    assert [axis["name"] for axis in document["axes"]] == ["config", "version", "fail"]
    assert [one["name"] for one in document["outcomes"]] == [
        "config default, 1.36, fail n-2",
        "config default, 1.37, fail n-2",
        "config new.yaml, 1.36, fail n-2",
        "config new.yaml, 1.37, fail n-2",
    ]
    assert document["from"]["rules"] == "1.36 and 1.37"
    assert main([*argv[:4], "1.36", *argv[5:]]) == 1
    assert [axis["name"] for axis in json.loads(capsys.readouterr().out)["axes"]] == ["fail"]


def test_names_are_those_that_do_not_fit_worst_first(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    main(["sweep", "--fail-each", "node", "--fail-each", "zone", "-o", "name", "--snapshot", cluster])
    assert capsys.readouterr().out == "fail zone a\nfail n-2\n"


@pytest.mark.parametrize("form", ["yaml", "markdown", "html", "wide"])
def test_every_format_tells_of_the_worst(capsys: pytest.CaptureFixture[str], cluster: str, form: str) -> None:
    assert main(["sweep", "-o", form, "--snapshot", cluster]) == 1
    assert "drain n-2" in capsys.readouterr().out


def test_no_scenario_is_given_the_reason_of_another(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    items = [item for n in range(2) for item in (node(f"n-{n}"), pod(f"bare-{n}", on=f"n-{n}"))]
    assert main(["sweep", "--snapshot", write(tmp_path, *items)]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("Why"))
    assert lines[at + 1 : at + 3] == [
        "      2  drain n-0: default/bare-0: nothing owns it: it would be GONE",
        "           drain n-1: default/bare-1: nothing owns it: it would be GONE",
    ]


def test_long_lists_are_cut_and_it_is_said_how_to_see_the_rest(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    items = [item for n in range(20) for item in (node(f"n-{n:02}"), pod(f"bare-{n}", on=f"n-{n:02}"))]
    assert main(["sweep", "--snapshot", write(tmp_path, *items)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "BLOCKED  20 of 20 drains leave pods Pending"
    assert lines[4:6] == [
        "Worst    scenario    pods  held  verdict",
        "         drain n-00     1     1  BLOCKED",
    ]
    assert lines[20:25] == [
        "         +5 (all: -o wide; those that do not fit, by name: -o name)",
        "Why      1 cause, each as in its worst scenario",
        "     20  drain n-00: default/bare-0: nothing owns it: it would be GONE",
        "           drain n-01: default/bare-1: nothing owns it: it would be GONE",
        "           +18",
    ]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("steps", "code", "verdicts"),
    [
        pytest.param("[{cordon: n-3}]", 0, ["FITS"], id="all is well"),
        pytest.param("[{drain: n-2, expect: all placed}]", 0, ["FITS"], id="as expected"),
        pytest.param("[{drain: n-2, expect: nothing moves}]", 1, ["PARTLY"], id="not as expected"),
        pytest.param("[{drain: n-9}]", 2, ["FAILED"], id="a node that is not there"),
    ],
)
def test_exit_codes(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path, steps: str, code: int, verdicts: list[str]
) -> None:
    file = tmp_path / "runbook.yaml"
    file.write_text(f"apiVersion: kplan.dev/v1\nkind: Scenario\nsteps: {steps}\n")
    assert main(["sweep", str(file), "--snapshot", cluster, "-o", "json"]) == code
    assert [one["verdict"] for one in json.loads(capsys.readouterr().out)["outcomes"]] == verdicts


def test_a_bug_that_a_scenario_shows_is_told_and_is_70(
    capsys: pytest.CaptureFixture[str], cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise AssertionError("never")

    monkeypatch.setattr("kplan.studies.sweep.questions.run_drain", broken)
    assert main(["sweep", "--drain-each", "n-1", "--snapshot", cluster]) == 70
    written = capsys.readouterr()
    assert "AssertionError in test_sweep.py:" in written.out
    assert "drain n-1 shows a bug of kplan: please report" in written.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        pytest.param(["--drain-each", "n-9"], "no node n-9", id="a node that is not there"),
        pytest.param(["--results", "a", "--resume", "b"], "--results and --resume name two files", id="two files"),
        pytest.param(["SWEEP", "--config", "x"], "config by a flag and in a file", id="rules twice"),
        pytest.param(["--jobs", "2", "--dask", "x"], "--jobs are processes here, --dask has its own", id="two kinds"),
        pytest.param(
            ["--fail-each", "node", "--replicas", "3"],
            "--replicas 3: no workload or size is named",
            id="replicas of nothing",
        ),
        pytest.param(["--resume", "there-is-none"], "--resume there-is-none: cannot be read", id="no results"),
    ],
)
def test_what_cannot_be_done_is_refused(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path, words: list[str], problem: str
) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text("apiVersion: kplan.dev/v1\nkind: Sweep\naxes: [{config: [default, b.yaml]}]\n")
    argv = [word.replace("SWEEP", str(file)) for word in words]
    assert main(["sweep", *argv, "--snapshot", cluster]) == 2
    assert problem in capsys.readouterr().err


# A sweep that takes some seconds, to be stopped in the middle.


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    items: list[dict[str, Any]] = []
    for n in range(48):
        items.append(node(f"n-{n:02}"))
        items += [owned(pod(f"web-{n}-{m}", cpu="500m", on=f"n-{n:02}"), "ReplicaSet", "web") for m in range(4)]
        items.append(pod(f"bare-{n}", cpu="100m", on=f"n-{n:02}"))
    return write(tmp_path_factory.mktemp("large"), *items)


def begun(cluster: str, results: Path, *words: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "kplan", "sweep", "--snapshot", cluster, "--results", str(results), *words]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_lines(file: Path, number: int) -> None:
    ends = time.monotonic() + 60
    while not file.exists() or file.read_bytes().count(b"\n") < number:
        assert time.monotonic() < ends, "no results have come"
        time.sleep(0.005)


def outcomes(text: str) -> list[dict[str, Any]]:
    """Outcomes of a document, without how long each took."""
    return [{name: value for name, value in one.items() if name != "seconds"} for one in json.loads(text)["outcomes"]]


def numbers(file: Path) -> list[int]:
    return [json.loads(line)["number"] for line in file.read_text().splitlines()[1:]]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_sweep_that_was_killed_goes_on_and_comes_to_the_same(
    capsys: pytest.CaptureFixture[str], large: str, tmp_path: Path, jobs: str
) -> None:
    file = tmp_path / "r.jsonl"
    process = begun(large, file, "--jobs", jobs)
    wait_for_lines(file, 8)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert psutil.wait_procs(workers, timeout=20)[1] == [], "workers do not outlive who started them"
    done = numbers(file)
    assert 7 <= len(done) < 48
    with file.open("ab") as stream:
        stream.write(b'{"number":3,"na')  # as if killed within a line
    argv = ["sweep", "--snapshot", large, "-o", "json"]
    assert main([*argv, "--resume", str(file), "--jobs", jobs]) == 1
    resumed = capsys.readouterr()
    assert f"{len(done)} of 48 scenarios are done already" in resumed.err
    assert "its last line is half written; that scenario is done again" in resumed.err
    assert numbers(file)[: len(done)] == done
    assert sorted(numbers(file)) == list(range(1, 49)), "none is lost, none is doubled"
    assert main([*argv, "--jobs", "1"]) == 1
    assert outcomes(resumed.out) == outcomes(capsys.readouterr().out)
    before = file.read_bytes()
    assert main([*argv, "--resume", str(file)]) == 1
    assert file.read_bytes() == before


def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(large: str, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    process = begun(large, file, "--jobs", "2")
    wait_for_lines(file, 5)
    workers = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    done = len(numbers(file))
    assert (process.returncode, out.count("  drain n-") >= 5) == (130, True), "the rows so far are written"
    assert f"{done} of {done} drains" in out
    told = f"kplan: note: interrupted; {done} of 48 scenarios are done; go on with: --resume {file}"
    assert " ".join(err.split()) == told
    assert psutil.wait_procs(workers, timeout=20)[1] == []


def test_results_of_another_cluster_are_refused(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "r.jsonl")
    assert main(["sweep", "--snapshot", cluster, "--results", file]) == 1
    capsys.readouterr()
    assert main(["sweep", "--snapshot", cluster, "--resume", file, "--delete", "bare"]) == 2
    assert "results of another sweep: the cluster differs" in capsys.readouterr().err


def test_progress_is_shown_on_a_terminal_alone(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    main(["sweep", "--snapshot", cluster])
    assert capsys.readouterr().err == ""
    ours, theirs = os.openpty()
    argv = [sys.executable, "-m", "kplan", "sweep", "--snapshot", cluster]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    process.communicate(timeout=60)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "3/3" in shown
    assert "worst: BLOCKED drain n-2" in shown


def test_one_that_fits_is_told_of_in_the_singular(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    said = []
    for words in (["--drain-each", "n-1"], ["--fail-each", "n-3"], ["--drain-each", "n-1", "--drain-each", "n-2"]):
        main(["sweep", *words, "-q", "-j", "1", "--snapshot", cluster])
        said.append(capsys.readouterr().out.splitlines()[0][9:])
    assert said == [
        "the drain leaves no pods Pending",
        "survives 1 of 1 loss",
        "1 of 2 drains leaves pods Pending",
    ]


def test_a_configuration_is_called_by_its_file_unless_two_are_called_alike(
    capsys: pytest.CaptureFixture[str], cluster: str, tmp_path: Path
) -> None:
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "c.yaml").write_text(head)
    (tmp_path / "new" / "d.yaml").write_text(head)
    (tmp_path / "sweep.yaml").write_text(
        "apiVersion: kplan.dev/v1\nkind: Sweep\naxes:\n  - config: [old/c.yaml, new/d.yaml]\n  - drain: [n-1]\n"
    )
    assert main(["sweep", str(tmp_path / "sweep.yaml"), "-j", "1", "-o", "json", "--snapshot", cluster]) == 0
    axis = json.loads(capsys.readouterr().out)["axes"][0]
    assert axis == {"name": "config", "points": ["config c.yaml", "config d.yaml"]}
    same = [str(tmp_path / folder / "c.yaml") for folder in ("old", "new")]
    words = [word for file in same for word in ("--config", file)]
    assert main(["sweep", *words, "--drain-each", "n-1", "-j", "1", "-o", "json", "--snapshot", cluster]) == 0
    assert json.loads(capsys.readouterr().out)["axes"][0]["points"] == [f"config {file}" for file in same]


def test_a_pool_that_cannot_be_read_is_called_a_pool(capsys: pytest.CaptureFixture[str], cluster: str) -> None:
    assert main(["sweep", "--pool", "foo", "--snapshot", cluster]) == 2
    assert capsys.readouterr().err == (
        "kplan: error: --pool foo: 'foo' has no =\n"
        "hint: --pool like=NODE, or cpu=16,memory=64Gi,zone=a, file=n.yaml, template=GROUP\n"
    )
