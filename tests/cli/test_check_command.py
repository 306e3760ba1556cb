"""``kplan check``: exit codes, formats to files and standard output, policy and baseline from files."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from tests.studies.checking import deployment, item, node, pod, write

ZONES = [node("a", "z1"), node("b", "z2")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KPLAN_SNAPSHOT", raising=False)
    return tmp_path


def files(folder: Path, *manifests: dict[str, Any], cluster: list[dict[str, Any]] | None = None, **about: Any) -> None:
    """Write ``c.json`` and ``web.yaml``."""
    write(folder / "c.json", item("Namespace", "shop"), *(ZONES if cluster is None else cluster), **about)
    (folder / "web.yaml").write_text("\n---\n".join(yaml.safe_dump(one) for one in manifests))


def run(*words: str) -> int:
    return main(["check", "web.yaml", "--snapshot", "c.json", *words])


FULL = [node("a"), node("b", cpu="3"), item("PriorityClass", "high", value=9), pod("old", "a", "3", "StatefulSet/old")]
PREEMPTS = deployment("web", "4", priorityClassName="high")


@pytest.mark.parametrize(
    ("manifest", "cluster", "about", "words", "code"),
    [
        pytest.param(deployment("web", "1"), None, {}, [], 0, id="all fits"),
        pytest.param(deployment("web", "9"), None, {}, [], 1, id="something does not fit"),
        pytest.param(PREEMPTS, FULL, {}, [], 0, id="evictions are not minded"),
        pytest.param(PREEMPTS, FULL, {}, ["--no-preemption"], 3, id="it fits only by preemption"),
        pytest.param(PREEMPTS, FULL, {}, ["--max-victims", "0"], 3, id="too many are evicted"),
        pytest.param(PREEMPTS, FULL, {}, ["--no-preemption", "--headroom", "90%"], 1, id="that, and less room"),
        pytest.param(deployment("web", "1"), None, {"whole": False}, [], 4, id="a doubt"),
        pytest.param(deployment("web", "9"), None, {"taken": ""}, ["--max-age", "1d"], 4, id="a doubt wins"),
        pytest.param(
            deployment("web", "1"), None, {"whole": False}, ["--allow-doubt", "no-pods"], 0, id="an allowed doubt"
        ),
        pytest.param(
            deployment("web", "1"), None, {}, ["--allow-doubt", "no-pods"], 0, id="an allowed doubt that there is not"
        ),
        pytest.param(deployment("web", "1"), None, {}, ["--allow-doubt", "no-pod"], 2, id="no doubt has such a code"),
        pytest.param(deployment("web", "1"), None, {}, ["--survive", "zone,node"], 0, id="both survived"),
        pytest.param(deployment("web", "1"), None, {}, ["--headroom", "much"], 2, id="bad usage"),
        pytest.param(deployment("web", "1"), None, {}, ["--baseline", "none.json"], 2, id="no such baseline"),
        pytest.param(deployment("web", "1"), None, {}, ["--policy", "none.yaml"], 2, id="no such policy"),
    ],
)
def test_exit_codes(
    folder: Path,
    manifest: dict[str, Any],
    cluster: list[dict[str, Any]] | None,
    about: dict[str, Any],
    words: list[str],
    code: int,
) -> None:
    files(folder, manifest, cluster=cluster, **about)
    assert run(*words) == code


def test_without_a_manifest_it_says_how(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder)
    assert main(["check", "--snapshot", "c.json"]) == 2
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "kplan: error: no manifest to check",
        "hint: kplan check FILE... or DIR...",
    ]


def test_all_formats_at_once_one_of_them_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "9"))
    named = ["junit=r.xml", "sarif=r.sarif", "markdown=c.md", "json=r.json", "yaml=r.yaml", "text=r.txt", "name=n.txt"]
    words = [word for name in [*named, "wide=w.txt"] for word in ("-o", name)]
    assert run(*words, "-o", "github") == 1
    assert capsys.readouterr().out.startswith("::error file=web.yaml,line=21,col=13,title=kplan does-not-fit")
    assert (folder / "r.xml").read_text().startswith("<?xml")
    assert json.loads((folder / "r.sarif").read_text())["version"] == "2.1.0"
    assert (folder / "c.md").read_text().startswith("<!-- kplan:check -->")
    assert json.loads((folder / "r.json").read_text())["kind"] == "CheckResult"
    assert yaml.safe_load((folder / "r.yaml").read_text()) == json.loads((folder / "r.json").read_text())
    assert (folder / "r.txt").read_text().startswith("FAILS    ")
    assert (folder / "n.txt").read_text() == "deploy/shop/web\n"
    assert "Plan" in (folder / "w.txt").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "json", "-o", "github"], "two outputs on standard output"),
        (["-o", "json=a", "-o", "yaml=a"], "two outputs on a"),
        (["-o", "pdf"], "-o pdf: no such format"),
        (["-o", "json=no/such/folder"], "no/such/folder: cannot be written: No such file or directory"),
    ],
)
def test_outputs_that_cannot_be(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    files(folder, deployment("web", "1"))
    assert run(*words) == 2
    assert f"kplan: error: {message}\n" in capsys.readouterr().err


def test_formats_of_a_check_are_not_those_of_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "1"))
    assert main(["simulate", "web.yaml", "--snapshot", "c.json", "-o", "junit"]) == 2
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "kplan: error: -o junit: not for a SimulationPlan",
        "hint: kplan check has it",
    ]


def test_other_commands_write_markdown_and_names_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "9"))
    main(["simulate", "web.yaml", "--snapshot", "c.json", "-o", "markdown=m.md", "-o", "name"])
    written = (folder / "m.md").read_text()
    assert written.startswith("### kplan: BLOCKED, the pod is not placed\n\n**Because** cpu: it wants 9")
    assert "<details><summary>all of it</summary>\n\n```text\nBLOCKED  " in written
    [name] = capsys.readouterr().out.splitlines()
    assert name.startswith("pod/shop/web-")


def test_a_baseline_is_what_an_earlier_check_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "9"))
    assert run("-o", "json=main.json") == 1
    assert run("--baseline", "main.json") == 0
    assert "on main" in capsys.readouterr().out
    files(folder, deployment("web", "9", 2))
    assert run("--baseline", "main.json") == 1


def test_a_policy_lives_in_a_file_and_flags_add_to_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "1", 2, nodeSelector={"topology.kubernetes.io/zone": "z1"}))
    (folder / "policy.yaml").write_text("require-zones: 2\nallow-doubt: [no-pods]\n")
    assert run("--policy", "policy.yaml") == 1
    assert run("--policy", "policy.yaml", "--require-zones", "1") == 0
    assert "Rules    ok    replicas in 1 zone or more" in capsys.readouterr().out


def test_the_command_that_gives_it_again_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "1"))
    given = ["--no-preemption", "--headroom", "5%", "--survive", "zone", "--survive", "node", "--queue", "manifests"]
    assert run(*given, "--cordon", "b", "-o", "json=r.json", "--timings") == 1
    assert json.loads((folder / "r.json").read_text())["command"] == (
        "kplan check web.yaml --snapshot c.json --queue manifests --no-preemption --headroom 5% --survive zone "
        "--survive node --cordon b"
    )


def test_what_if_flags_change_the_cluster_that_is_checked_against(folder: Path) -> None:
    files(folder, deployment("web", "3", 2))
    assert run() == 0
    assert run("--cordon", "b", "-o", "json=r.json") == 1
    told = json.loads((folder / "r.json").read_text())["plan"]["whatIf"]
    assert told == [{"step": "--cordon b", "text": "b cordoned"}]


def test_quiet_is_the_lines_that_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "9"))
    run("-q")
    assert capsys.readouterr().out == (
        "FAILS    deploy/shop/web fails\n"
        "Because  deploy/shop/web: cpu: it wants 9, the largest node has 4 in all\n"
        "         (web.yaml:21)\n"
        "Try      one more node like a, with 9 cpu -> its replica lands\n"
    )


def test_a_manifest_from_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    import io
    import sys

    files(folder)
    text = yaml.safe_dump(deployment("web", "9")).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["check", "-", "--snapshot", "c.json", "-o", "github"]) == 1
    assert "title=kplan does-not-fit" in capsys.readouterr().out


def test_the_command_that_gives_it_again_is_whole(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files(folder, deployment("web", "1"))
    monkeypatch.setenv("KPLAN_SNAPSHOT", "c.json")
    assert main(["check", "web.yaml", "--max-victims", "0", "--queue", "manifests"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.endswith("Again kplan check web.yaml --snapshot c.json --queue manifests --max-victims 0")


def test_a_share_below_one_says_whether_it_is_percent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(folder, deployment("web", "1"))
    assert run("--headroom", "0.2") == 2
    assert capsys.readouterr().err.endswith("hint: 20%, or 0.2% if that is what is meant\n")
    assert run("--headroom", "0.2%") == 0
