"""What is kept of a snapshot is what was read: for that content, that name and that kplan, and for nobody else."""

import stat
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.errors import SourceError
from kplan.objects.state import ClusterState
from kplan.sources import kept, load
from kplan.sources.kept import cache_folder, load_kept

ROOT = Path(__file__).parents[2]
SNAPSHOTS = sorted(
    path
    for path in [*(ROOT / "fixtures").rglob("*"), ROOT / "kplan" / "data" / "demo.yaml"]
    if path.suffix in (".json", ".yaml", ".gz", ".zst", ".tgz") and "conformance" not in path.parts
)
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n---\n"


class Unread(Exception):
    """The file was parsed where it should have been found."""


def refused(*_: Any, **__: Any) -> ClusterState:
    raise Unread


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "WORTH_KEEPING", 0)
    return tmp_path / "cache" / "kplan"


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text(NODE % "a")
    return path


def names(state: ClusterState) -> list[str]:
    return [node.name for node in state.nodes]


def is_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a second question finds it."""
    with monkeypatch.context() as patch:
        patch.setattr(kept, "load", refused)
        try:
            load_kept(str(path))
        except Unread:
            return False
    return True


def test_every_fixture_is_found_as_it_was_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = {}
    for path in SNAPSHOTS:
        try:
            read[path] = load(path)
        except SourceError:
            with pytest.raises(SourceError):
                load_kept(str(path))
            continue
        assert load_kept(str(path)) == read[path]
    assert len(read) > 10
    monkeypatch.setattr(kept, "MOST_FILES", 1000)
    monkeypatch.setattr(kept, "load", refused)
    found = [path for path in list(read)[-20:] if load_kept(str(path)) == read[path]]
    assert len(found) == min(20, len(read))
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in folder.iterdir())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_another_content_name_or_kplan_is_read_anew(
    folder: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert names(load_kept(str(snapshot))) == ["a"]
    assert is_found(snapshot, monkeypatch)
    other = snapshot.with_name("t.yaml")
    other.write_bytes(snapshot.read_bytes())
    assert not is_found(other, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(kept, "_CODE", ("sources",))
        assert not is_found(snapshot, monkeypatch)
    snapshot.write_text(NODE % "b")
    assert names(load_kept(str(snapshot))) == ["b"]
    snapshot.write_text(NODE % "a")
    assert is_found(snapshot, monkeypatch)


@pytest.mark.parametrize("at", [0, 3, 20, 40, 60, -1])
def test_one_bit_that_is_wrong_is_enough(
    folder: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    load_kept(str(snapshot))
    [file] = folder.iterdir()
    text = bytearray(file.read_bytes())
    text[at] ^= 1
    file.write_bytes(text)
    assert not is_found(snapshot, monkeypatch)
    assert names(load_kept(str(snapshot))) == ["a"]
    assert is_found(snapshot, monkeypatch)


@pytest.mark.parametrize("size", [0, 10, 48, 49, 100])
def test_half_a_file_is_none(folder: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    load_kept(str(snapshot))
    [file] = folder.iterdir()
    file.write_bytes(file.read_bytes()[:size])
    assert not is_found(snapshot, monkeypatch)


def test_what_others_may_write_is_not_trusted(folder: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_kept(str(snapshot))
    [file] = folder.iterdir()
    file.chmod(0o620)
    assert not is_found(snapshot, monkeypatch)
    file.chmod(0o600)
    folder.chmod(0o770)
    assert not is_found(snapshot, monkeypatch)
    folder.chmod(0o700)
    assert is_found(snapshot, monkeypatch)
    away = folder.parent / "away"
    file.rename(away)
    file.symlink_to(away)
    assert not is_found(snapshot, monkeypatch)


def test_what_was_asked_about_longest_ago_goes_first(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_FILES", 2)
    files = [tmp_path / f"{name}.yaml" for name in "abc"]
    for number, file in enumerate(files):
        file.write_text(NODE % number)
        load_kept(str(file))
    assert [is_found(file, monkeypatch) for file in files] == [False, True, True]
    monkeypatch.setattr(kept, "MOST_BYTES", 1)
    files[0].write_text(NODE % "d")
    load_kept(str(files[0]))
    assert not is_found(files[0], monkeypatch)


def test_a_file_that_changes_while_it_is_read_is_not_kept(
    folder: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(path: str) -> ClusterState:
        state = load(path)
        snapshot.write_text(NODE % "another")
        return state

    with monkeypatch.context() as patch:
        patch.setattr(kept, "load", changing)
        load_kept(str(snapshot))
    assert list(folder.iterdir()) == []


def test_a_broken_file_is_told_again(folder: Path, snapshot: Path) -> None:
    snapshot.write_text("kind: [")
    for _ in range(2):
        with pytest.raises(SourceError):
            load_kept(str(snapshot))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("where", ["a-file/below", "a-file"])
def test_no_place_to_keep_it_is_no_error(
    snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "a-file").write_text("")
    monkeypatch.setattr(kept, "WORTH_KEEPING", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / where))
    assert names(load_kept(str(snapshot))) == ["a"]


def test_small_files_folders_and_what_is_not_to_be_kept_leave_nothing(
    folder: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nodes", "--snapshot", str(snapshot), "--no-cache"]) == 0
    load_kept(str(snapshot.parent))
    with monkeypatch.context() as patch:
        patch.setattr(kept, "WORTH_KEEPING", 1 << 20)
        assert main(["nodes", "--snapshot", str(snapshot)]) == 0
    assert not folder.exists() or not list(folder.iterdir())
    first = capsys.readouterr().out
    for _ in range(2):
        assert main(["nodes", "--snapshot", str(snapshot)]) == 0
    assert first == capsys.readouterr().out
    assert len(list(folder.iterdir())) == 1


def test_where_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/a")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("/home/a/.cache/kplan")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path("/home/a/.cache/kplan")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/c")
    assert cache_folder() == Path("/var/c/kplan")
