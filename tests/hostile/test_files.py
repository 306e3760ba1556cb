"""Files that kplan writes: old or new, never half, and never what it read."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kplan.cli.main import main
from kplan.errors import UsageError
from kplan.sources import opening
from kplan.sources.writing import write_by, write_whole
from tests import builders
from tests.hostile.samples import budget, node, of, pod
from tests.hostile.writes import codes
from tests.sources.fakeserver import FakeServer, kubeconfig_for, lists_of

DEMO = str(Path(__file__).parents[2] / "kplan" / "data" / "demo.yaml")


@pytest.fixture(autouse=True)
def nothing_read() -> None:
    opening.forget()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("x")
    old.chmod(0o640)
    for path in (new, old):
        write_whole(path, [b"a", b"b"])
    assert (new.read_bytes(), mode(new), mode(old)) == (b"ab", 0o600, 0o640)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_what_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("old")

    def breaks(out: object) -> None:
        out.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match="f: cannot be written: No space left on device"):
        write_by(file, breaks)
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real", tmp_path / "link", tmp_path / "pipe"
    real.write_text("old")
    link.symlink_to(real)
    os.mkfifo(pipe)
    write_whole(link, [b"new"])
    assert (link.is_symlink(), real.read_text()) == (True, "new")
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_whole(pipe, [b"through"])
        assert reader.communicate()[0] == b"through"
    assert pipe.is_fifo()
    write_whole("/dev/null", [b"x"])
    assert Path("/dev/null").is_char_device()


OUTPUTS = {
    "a report over the snapshot": ["nodes", "--snapshot", "{state}", "-o", "json={state}"],
    "a report over the snapshot by another name": ["nodes", "--snapshot", "{state}", "-o", "json={other}"],
    "a report over a manifest": ["simulate", "{manifest}", "--snapshot", "{state}", "-o", "html={manifest}"],
    "SARIF over a manifest": ["check", "{manifest}", "--snapshot", "{state}", "-o", "sarif={manifest}"],
    "a snapshot over itself": ["snapshot", "{state}", "--snapshot", "{state}"],
    "a map over the snapshot": ["snapshot", "{new}", "--redact", "--redact-map", "{state}", "--snapshot", "{state}"],
    "a map over what it maps": ["snapshot", "{new}", "--redact", "--redact-map", "{new}", "--snapshot", "{state}"],
    "a plan over a manifest": ["bind", "-f", "{manifest}", "--snapshot", "{state}", "--save-plan", "{manifest}"],
    "two outputs in one file": ["nodes", "--snapshot", "{state}", "-o", "json={new}", "-o", "html={new}"],
    "two outputs in one file by two names": ["nodes", "--snapshot", "{state}", "-o", "json={new}", "-o", "html={dot}"],
    "a folder": ["nodes", "--snapshot", "{state}", "-o", "html={folder}"],
    "a snapshot to a folder": ["snapshot", "{folder}", "--snapshot", "{state}"],
    "a snapshot to where it is": ["snapshot", ".", "--snapshot", "{state}"],
}


@pytest.mark.parametrize("case", OUTPUTS)
def test_nothing_that_was_read_is_written_over(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"state": tmp_path / "s.json", "manifest": tmp_path / "m.json", "new": tmp_path / "n.json"}
    files["other"], files["folder"] = tmp_path / "link.json", tmp_path / "folder"
    files["folder"].mkdir()
    files["state"].write_bytes(of(pod("p")))
    files["manifest"].write_bytes(of(pod("q")))
    os.link(files["state"], files["other"])
    named = {**{name: str(file) for name, file in files.items()}, "dot": f"{tmp_path}/./n.json"}
    assert main([word.format(**named) for word in OUTPUTS[case]]) == 2
    assert "kplan: error: " in capsys.readouterr().err
    assert files["state"].read_bytes() == of(pod("p"))
    assert files["manifest"].read_bytes() == of(pod("q"))
    assert not files["new"].exists()


def test_results_of_a_sweep_are_not_taken_for_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "precious.txt"
    file.write_text("no line break")
    assert main(["sweep", "--fail-each", "node", "--resume", str(file), "--snapshot", DEMO]) == 2
    assert file.read_text() == "no line break"
    assert "not the start of a sweep" in capsys.readouterr().err


def test_reports_and_plans_and_maps_are_private(tmp_path: Path) -> None:
    state, made = tmp_path / "s.json", [tmp_path / name for name in ("r.html", "r.json", "plan.json", "names.json")]
    state.write_bytes(of(node("n2"), pod("p")))
    read = ["--snapshot", str(state)]
    assert main(["nodes", *read, "-o", f"html={made[0]}", "-o", f"json={made[1]}"]) == 0
    main(["bind", "-A", *read, "--save-plan", str(made[2]), "-o", f"text={tmp_path / 't'}"])
    assert main(["snapshot", str(tmp_path / "out.json"), "--redact", "--redact-map", str(made[3]), *read]) == 0
    assert {mode(path) for path in (*made, tmp_path / "out.json")} == {0o600}


def test_a_killed_run_leaves_old_or_new(tmp_path: Path) -> None:
    """Killed at many moments of writing: what is there is one of the two, and the next run is not in its way."""
    file = tmp_path / "f"
    script = (
        "import sys, time\n"
        "from kplan.sources.writing import write_by\n"
        "def slowly(out):\n"
        "    for n in range(50):\n"
        "        out.write(b'new\\n' * 100); out.flush(); print(n, flush=True); time.sleep(0.001)\n"
        f"write_by({str(file)!r}, slowly)\n"
    )
    for lines in range(0, 50, 10):
        file.write_text("old")
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            for _ in range(lines + 1):
                run.stdout.readline()
            run.send_signal(signal.SIGKILL)
            run.wait()
        assert file.read_text() in ("old", "new\n" * 5000)
        time.sleep(0)
    write_whole(file, [b"again"])
    assert file.read_text() == "again"


REPORTS = ("json", "yaml", "csv", "html", "prometheus", "markdown", "text")


def outputs(folder: Path, state: Path) -> dict[str, list[str]]:
    """Every file that a command writes of a cluster, by its name; what is there says "old"."""
    read = ["--snapshot", str(state)]
    files = {
        "snapshot.json": ["snapshot", "{}", *read],
        "snapshot.json.gz": ["snapshot", "{}", *read],
        "map.json": ["snapshot", "/dev/null", "--redact", "--redact-map", "{}", *read],
        "plan.json": ["bind", "-A", *read, "--save-plan", "{}"],
        **{
            f"report.{format}": ["nodes", *read, "-o", f"{format}={{}}"]
            for format in ("json", "csv", "html", "prometheus")
        },
        **{
            f"check.{format}": ["check", str(state.with_name("m.json")), *read, "-o", f"{format}={{}}"]
            for format in ("junit", "sarif", "codeclimate")
        },
    }
    return {name: [word.format(folder / name) for word in words] for name, words in files.items()}


CUT = {
    "half": ("old", -signal.SIGKILL),
    "fsync": ("old", -signal.SIGKILL),
    "replace": ("old", -signal.SIGKILL),
    "replaced": ("new", -signal.SIGKILL),
    "full": ("old", 2),
    "to read": ("old", 2),
}


@pytest.mark.parametrize("job", CUT)
def test_whatever_happens_to_a_write_the_file_is_old_or_new(job: str, tmp_path: Path) -> None:
    wanted, code = CUT[job]
    folder, state = tmp_path / "out", tmp_path / "s.json"
    folder.mkdir()
    state.write_bytes(of(node("n2"), pod("p"), budget(minAvailable=1)))
    (tmp_path / "m.json").write_text(json.dumps(pod("m")))
    asked = outputs(folder, state)
    for name in asked:
        (folder / name).write_text("old")
    assert dict(zip(asked, codes(job, list(asked.values())), strict=True)) == dict.fromkeys(asked, code)
    there = {name: "old" if (folder / name).read_bytes() == b"old" else "new" for name in asked}
    assert there == dict.fromkeys(asked, wanted)
    left = [path.name for path in folder.iterdir() if path.name not in asked]
    assert bool(left) == (job in ("half", "fsync", "replace"))  # who is killed cannot tidy up
    for name, words in asked.items():  # the next run is not in the way of what is left
        assert main(words) in (0, 1), name
        data = (folder / name).read_bytes()
        assert data != b"old"
        assert not name.endswith(("json", "sarif", "codeclimate")) or json.loads(data)
        assert mode(folder / name) == mode(state)  # of one that was there: its own


def test_the_message_of_a_full_disk_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.json"
    assert main(["snapshot", "/dev/full", "--snapshot", DEMO]) == 2
    assert "/dev/full: cannot be written: No space left on device" in capsys.readouterr().err
    assert main(["nodes", "--snapshot", DEMO, "-o", f"json={file}/x"]) == 2
    assert f"{file}/x: cannot be written: No such file or directory" in capsys.readouterr().err


def test_two_writers_leave_one_of_the_two(tmp_path: Path) -> None:
    file = tmp_path / "f"
    script = (
        "import sys\n"
        "from kplan.sources.writing import write_whole\n"
        f"for _ in range(40): write_whole({str(file)!r}, [sys.argv[1].encode() * 5000] * 2)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, word]) for word in ("one", "two")]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if file.exists():
            seen.add(file.read_text())
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {"one" * 10_000, "two" * 10_000}
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


PIPED = [
    *(["nodes", "--snapshot", DEMO, "-o", form] for form in ("text", "json", "html", "csv", "prometheus", "yaml")),
    ["snapshot", "-", "--snapshot", DEMO],
    ["explain", "pod", "-A", "--snapshot", DEMO],
    ["plugins"],
    ["schema"],
    ["config", "--snapshot", DEMO],
    ["-h"],
]


@pytest.mark.parametrize("words", PIPED, ids=" ".join)
def test_who_closes_the_pipe_has_seen_enough(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "kplan", *words], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_snapshots_at_intervals_and_what_is_kept_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders 0700, files 0600, whatever the umask."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("kplan.sources.kept.WORTH_KEEPING", 1)
    before = os.umask(0)
    try:
        with FakeServer(lambda asked: LISTS.get(asked.path)) as server:
            at = ["--kubeconfig", kubeconfig_for(server.url, tmp_path)]
            assert main(["snapshot", "--every", "1h", "--for", "0.01", str(tmp_path / "every"), *at]) == 0
        main(["nodes", "--snapshot", DEMO])
        results = ["--results", str(tmp_path / "sweep.jsonl")]
        main(["sweep", "--fail-each", "zone", "-j", "1", "--snapshot", DEMO, *results])
    finally:
        os.umask(before)
    assert mode(tmp_path / "sweep.jsonl") == 0o600
    made = [path for name in ("every", "cache/kplan") for path in (tmp_path / name, *(tmp_path / name).iterdir())]
    assert [mode(path) for path in made] == [0o700, 0o600, 0o700, 0o600]


LISTS = lists_of(builders.node("n"))
