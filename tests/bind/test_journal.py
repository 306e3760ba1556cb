"""The journal: on disk line by line, whole or cut off."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kplan.bind.flags import Flags
from kplan.bind.run.journal import Journal
from kplan.bind.run.record import read_journal
from kplan.bind.wire.writes import bind
from kplan.errors import BindError, UsageError
from kplan.result.document_bind import BoundPod

WRITE = bind("shop/web-0", "u1", "node-a", "7")


def begun(path: Path) -> Journal:
    journal = Journal(str(path))
    journal.start({"plan": "here"}, "run-1", {"preempt": True})
    return journal


def test_a_write_without_its_after_is_unanswered(tmp_path: Path) -> None:
    journal = begun(tmp_path / "j")
    journal.after(journal.before(WRITE), "done", 201)
    journal.before(WRITE)
    journal.pod(BoundPod(pod="shop/web-0", result="bound", at="now"))
    journal.close()
    record = read_journal(str(tmp_path / "j"))
    assert record.unanswered == ("bind shop/web-0 to node-a",)
    assert record.pods == {"shop/web-0": BoundPod(pod="shop/web-0", result="bound", at="now")}
    assert (record.run, record.plan, record.options, record.writes) == ("run-1", {"plan": "here"}, {"preempt": True}, 2)


def test_it_says_which_real_pod_was_taken_for_a_planned_one(tmp_path: Path) -> None:
    journal = begun(tmp_path / "j")
    journal.match("shop/web-planned", "shop/web-1-x", "u7")
    journal.close()
    assert read_journal(str(tmp_path / "j")).matches == {"shop/web-planned": ("shop/web-1-x", "u7")}


def test_every_line_is_on_disk_before_anything_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    path = tmp_path / "j"
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append(path.read_text().splitlines()[-1] if path.read_text() else "")
    )
    journal = begun(path)
    number = journal.before(WRITE)
    assert json.loads(synced[-1])["kind"] == "before"
    journal.after(number, "done")
    assert json.loads(synced[-1])["kind"] == "after"
    journal.close()


def test_a_last_line_that_was_cut_off_does_not_count_and_is_cut_away(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal = begun(path)
    journal.before(WRITE)
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"at":"now","kind":"after","n":1,"res')
    again = Journal(str(path), resumed=True)
    assert path.read_bytes() == whole
    assert again.before(WRITE) == 2
    again.close()
    assert read_journal(str(path)).writes == 2


def test_a_journal_is_never_written_over(tmp_path: Path) -> None:
    begun(tmp_path / "j").close()
    with pytest.raises(UsageError) as caught:
        Journal(str(tmp_path / "j"))
    assert (caught.value.code, "--resume" in caught.value.hint) == ("journal-exists", True)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"kind": "start", "version": 99}', "no json", "\n"])
def test_what_is_no_journal_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "j"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_journal(str(path))
    assert caught.value.code == "bad-journal"


def test_nothing_is_written_to_the_cluster_without_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = begun(tmp_path / "j")

    def full(handle: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(BindError) as caught:
        journal.before(WRITE)
    assert caught.value.hint == "nothing is written to the cluster without a record"
    monkeypatch.undo()
    with pytest.raises(BindError, match="a line before was cut off"):
        journal.before(WRITE)


def lines_of(path: Path) -> list[bytes]:
    journal = begun(path)
    journal.after(journal.before(WRITE), "done", 201)
    journal.match("shop/web-planned", "shop/web-1-x", "u7")
    journal.pod(BoundPod(pod="shop/web-0", result="bound", at="now"))
    journal.before(WRITE)
    journal.close()
    return path.read_bytes().splitlines(keepends=True)


def test_blank_lines_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j"
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:3], b"\n", b"  \n", *lines[3:]]))
    record = read_journal(str(path))
    assert (list(record.pods), record.writes, len(record.unanswered)) == (["shop/web-0"], 2, 1)


DAMAGE = {
    "no JSON": b"garbled\n",
    "cut off in the middle": b'{"at":"now","kind":"pod","beca\n',
    "of no kind": b'{"at":"now"}\n',
    "of a kind that is none": b'{"kind":"bound","n":1}\n',
    "a list": b"[1]\n",
    "a number that is text": b'{"kind":"before","n":"1","text":"x"}\n',
    "nothing said of the pod": b'{"kind":"pod"}\n',
    "a pod that is text": b'{"kind":"pod","became":"shop/web-0"}\n',
    "a match without a uid": b'{"kind":"match","planned":"a","pod":"b"}\n',
    "no UTF-8": b'{"kind":"before","n":1,"text":"\xff"}\n',
    "deeper than anybody writes": b'{"kind":"pod","became":' + b"[" * 9000 + b"\n",
    "a second start": b'{"kind":"start","version":1,"run":"r","plan":{},"options":{}}\n',
}


@pytest.mark.parametrize("line", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_line_is_named_and_nothing_after_it_is_forgotten(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "j"
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:3], line, *lines[3:]]))
    with pytest.raises(UsageError, match=":4: this line of the journal is damaged") as caught:
        read_journal(str(path))
    assert caught.value.code == "bad-journal"
    with pytest.raises(UsageError, match=":4:"):
        Journal(str(path), resumed=True)


def test_a_journal_of_another_version_says_so(tmp_path: Path) -> None:
    (tmp_path / "j").write_text('{"kind": "start", "version": 3, "more": 1}\n')
    with pytest.raises(UsageError, match="a journal of version 3, and this kplan reads versions 1 to 2"):
        read_journal(str(tmp_path / "j"))


def test_options_that_are_none_are_said() -> None:
    with pytest.raises(UsageError, match="the journal holds no options"):
        Flags.of({"qps": "fast"})


def test_two_runs_do_not_write_one_journal(tmp_path: Path) -> None:
    journal = begun(tmp_path / "j")
    with pytest.raises(UsageError, match="another run is writing it"):
        Journal(str(tmp_path / "j"), resumed=True)
    journal.close()
    Journal(str(tmp_path / "j"), resumed=True).close()
