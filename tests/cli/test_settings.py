"""Settings that are kept, options before the command, and colours."""

from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.cli.snapshots import node, pod, write

UNKNOWN = "apiVersion: a.example/v1\nkind: Gadget\nmetadata: {name: x}\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a snapshot, and a home of its own; it is gone into."""
    home, repository = tmp_path / "home", tmp_path / "repository"
    (repository / "deploy" / "app").mkdir(parents=True)
    (repository / ".git").mkdir()
    write(repository, node("a"), node("b"), pod("web", namespace="shop"), name="cluster.json")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.delenv("KPLAN_SNAPSHOT", raising=False)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(repository / "deploy" / "app")
    return repository


def of_user(text: str, tmp_path: Path) -> None:
    (tmp_path / "home" / "kplan").mkdir(parents=True, exist_ok=True)
    (tmp_path / "home" / "kplan" / "config.yaml").write_text(text)


def test_the_snapshot_of_a_repository_is_found_from_below(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (alone / ".kplan.yaml").write_text("snapshot: cluster.json\n")
    assert main(["nodes"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("NODES    2 nodes")
    assert "cluster.json (.kplan.yaml)" in out


def test_an_option_wins_over_the_repository_and_that_over_the_user(
    alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(alone, node("other"), name="other.json")
    of_user("snapshot: nothing.json\n", tmp_path)
    (alone / ".kplan.yaml").write_text("snapshot: cluster.json\n")
    assert main(["nodes", "-q"]) == 0
    assert main(["nodes", "-q", "--snapshot", str(alone / "other.json")]) == 0
    monkeypatch.setenv("KPLAN_SNAPSHOT", str(alone / "other.json"))
    assert main(["nodes", "-q"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("NODES")]
    assert [line.split()[1] for line in told] == ["2", "1", "1"]


def test_the_users_file_is_read_where_there_is_no_other(
    alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of_user(f"snapshot: {alone / 'cluster.json'}\n", tmp_path)
    assert main(["nodes", "-q"]) == 0
    assert capsys.readouterr().out.startswith("NODES    2 nodes")


def test_a_file_beyond_the_repository_is_not_looked_for(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (alone.parent / ".kplan.yaml").write_text(f"snapshot: {alone / 'cluster.json'}\n")
    assert main(["nodes"]) == 2
    assert "no cluster to read" in capsys.readouterr().err


def test_bind_does_not_go_by_what_is_kept(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (alone / ".kplan.yaml").write_text("snapshot: cluster.json\n")
    assert main(["bind", "-A"]) == 2
    assert "no cluster to read" in capsys.readouterr().err


def test_kinds_of_ones_own_are_silent(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (alone / "deploy" / "gadget.yaml").write_text(UNKNOWN)
    words = ["check", "../gadget.yaml", "-q", "--snapshot", str(alone / "cluster.json"), "--allow-doubt", "no-csinodes"]
    main(words)
    assert "kplan does not know what a.example/v1 Gadget makes" in capsys.readouterr().out
    (alone / ".kplan.yaml").write_text("silent-kinds: [Gadget]\n")
    main(words)
    assert "Gadget" not in capsys.readouterr().out


def test_the_policy_is_that_of_the_repository(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (alone / "rules.yaml").write_text("require-zones: 2\n")
    (alone / ".kplan.yaml").write_text("snapshot: cluster.json\npolicy: rules.yaml\n")
    (alone / "deploy" / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: i}]}\n"
    )
    main(["check", "../pod.yaml"])
    assert "2 zones" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("snapshots: x\n", "snapshots: no such setting"),
        ("silent-kinds: Gadget\n", "silent-kinds: a list of kinds is wanted"),
        ("snapshot: [a]\n", "snapshot: a text is wanted"),
        ("color: red\n", "color: red"),
        ("snapshot: ~nobody-here/x\n", "~nobody-here/x: no such file or folder"),
        ("snapshot: a\ncontext: b\n", "snapshot names a file, and context a cluster"),
        ("- a\n", "not a mapping of settings"),
        ("a: [\n", ".kplan.yaml:2:1: expected the node content"),
        ("a: " + "[" * 3000, "nested too deeply"),
        ("a: 2001-99-99", "a number or a date in it cannot be read"),
        ("a: " + "9" * 5000, "a number or a date in it cannot be read"),
    ],
)
def test_what_is_no_setting_is_an_error(alone: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    (alone / ".kplan.yaml").write_text(text)
    assert main(["nodes"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["-n", "shop", "explain", "pod", "web", "-q"],
        ["--namespace=shop", "explain", "pod", "web", "-q"],
        ["--debug", "-n", "shop", "--color", "never", "explain", "pod", "web", "-q"],
    ],
)
def test_options_may_stand_before_the_command(
    alone: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["--snapshot", str(alone / "cluster.json"), *words]) == 0
    assert capsys.readouterr().out.startswith("FITS     shop/web goes to one of 2 nodes")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-n", "shop", "help", "drain"], "Usage: kplan drain "),
        (["--color", "never", "--snapshot", "x.json", "help"], "Usage: kplan "),
        (["--context=prod", "--help"], "Usage: kplan "),
        (["-n", "shop", "--version"], "kplan "),
        (["-n", "shop"], "Usage: kplan "),
        (["-n", "shop", "--color", "always", "schema", "CapacityReport"], '"$schema"'),
        (["-n", "shop", "--no-cache", "demo", "-h"], "Usage: kplan demo "),
    ],
)
def test_what_a_command_has_no_use_for_may_stand_before_it(
    alone: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(words) == 0
    told = capsys.readouterr()
    assert (said in told.out, told.err) == (True, "")


@pytest.mark.parametrize("words", [["nodes"], ["explain", "node", "a"], ["explain", "no/a"]])
def test_a_namespace_before_a_question_of_nodes_is_not_in_the_way(
    alone: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    asked = ["--snapshot", str(alone / "cluster.json"), "-n", "shop"]
    assert main([*asked, *words]) == main([*asked[:2], *words])
    assert not capsys.readouterr().err


def test_what_an_answer_hangs_on_is_not_left_out(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--snapshot", str(alone / "cluster.json"), "demo"]) == 2
    assert "no such option" in capsys.readouterr().err
    assert main(["-n", "shop", "drian", "a"]) == 2
    assert "drain" in capsys.readouterr().err


def test_colours_are_as_they_are_asked_for(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["nodes", "-q", "--snapshot", str(alone / "cluster.json")]
    main(words)
    main([*words, "--color", "never"])
    assert "\x1b[" not in capsys.readouterr().out
    main([*words, "--color", "always"])
    assert "\x1b[" in capsys.readouterr().out
    assert main([*words, "--color", "red"]) == 2
    assert "one of: always, never, auto" in capsys.readouterr().err


def test_a_home_that_is_not_there_is_no_home(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "--kubeconfig", "~nobody-here/config"]) == 2
    assert "no cluster to read: ~nobody-here/config does not exist" in capsys.readouterr().err
