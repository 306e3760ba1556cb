"""Archives: nothing leaves them, nothing is written, bombs and broken ones are refused in a word."""

import gzip
import io
import os
import subprocess
import sys
import tarfile

import pytest

import kplan
from kplan.errors import SourceError
from kplan.sources import archives, unpacking
from tests.sources.layouts.packing import tar, zipped

NODE = b"apiVersion: v1\nkind: Node\nmetadata: {name: node-a}\n"
PODS = b"apiVersion: v1\nkind: Pod\nmetadata: {name: pod-1}\n"
TWO = {"nodes.yaml": NODE, "pods.yaml": PODS}
MANY = {f"{i}.yaml": os.urandom(3000).hex().encode() for i in range(20)}


def load(data, tmp_path, name="dump"):
    path = tmp_path / name
    path.write_bytes(data)
    return kplan.load(path)


REFUSED = [
    ("a tar member that climbs out", tar({"a/../../evil.yaml": NODE}), "unsafe-path"),
    ("a tar member with an absolute path", tar({"/etc/evil.yaml": NODE}), "unsafe-path"),
    ("a ZIP member that climbs out", zipped({"../evil.yaml": NODE}), "unsafe-path"),
    ("a ZIP member on another drive", zipped({"C:/evil.yaml": NODE}), "unsafe-path"),
    ("a ZIP member that climbs out with backslashes", zipped({"..\\evil.yaml": NODE}), "unsafe-path"),
    ("a packed tar that is cut off", tar(MANY, mode="w:gz")[:-20_000], "truncated"),
    ("a tar that is cut off", tar(MANY)[:50_000], "truncated"),
    ("a ZIP that is cut off", zipped(MANY)[:-400], "truncated"),
    ("a packed text that is cut off", gzip.compress(NODE * 999)[:-12], "truncated"),
    ("xz that is none", b"\xfd7zXZ\x00" + b"\xff" * 600, "broken-archive"),
    ("bzip2 that is none", b"BZh9" + b"\xff" * 600, "broken-archive"),
    ("a tar of nothing to read", tar({"a.log": b"x"}), "empty"),
]


@pytest.mark.parametrize(("data", "code"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_is_refused(data, code, tmp_path):
    with pytest.raises(SourceError) as caught:
        load(data, tmp_path)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]


@pytest.mark.parametrize("packing", ["w:gz", "w:xz", "zip"])
def test_a_bomb_is_refused_before_it_is_unpacked(packing, monkeypatch, tmp_path):
    monkeypatch.setattr(unpacking, "RATIO_FROM", 1 << 20)
    files = {"zeros.yaml": b"\0" * (64 << 20)}
    data = zipped(files) if packing == "zip" else tar(files, mode=packing)
    with pytest.raises(SourceError, match="as a decompression bomb does") as caught:
        load(data, tmp_path)
    assert caught.value.code == "too-large"


def test_an_archive_of_too_many_files_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(archives, "MEMBERS_LIMIT", 10)
    with pytest.raises(SourceError, match="more than 10 files"):
        load(tar(MANY), tmp_path)


def test_more_text_than_is_kept_in_memory_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(archives, "KEPT_LIMIT", 50_000)
    with pytest.raises(SourceError, match="of text, as a decompression bomb does"):
        load(zipped(MANY), tmp_path)


def test_logs_are_passed_over_however_large(monkeypatch, tmp_path):
    monkeypatch.setattr(archives, "KEPT_LIMIT", 50_000)
    state = load(tar({"big.log": b"x" * 100_000, "core.1234": b"\0" * 2_000_000, **TWO}, mode="w:gz"), tmp_path)
    assert [node.name for node in state.nodes] == ["node-a"]


def test_links_lead_to_members_of_the_archive_or_nowhere(tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_bytes(b"apiVersion: v1\nkind: Node\nmetadata: {name: not-yours}\n")
    links = {
        "again.yaml": "nodes.yaml",
        "a/chain.yaml": "../again.yaml",
        "out.yaml": str(secret),
        "up.yaml": "../secret.yaml",
        "loop.yaml": "loop.yaml",
    }
    state = load(tar(TWO, links, mode="w:gz"), tmp_path)
    assert [node.name for node in state.nodes] == ["node-a"]
    assert state.completeness.notes == ()


def test_a_link_out_of_a_folder_is_not_followed(tmp_path):
    (tmp_path / "secret.yaml").write_bytes(NODE.replace(b"node-a", b"not-yours"))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "nodes.yaml").write_bytes(NODE)
    (folder / "again.yaml").symlink_to("nodes.yaml")
    (folder / "out.yaml").symlink_to("../secret.yaml")
    assert [node.name for node in kplan.load(folder).nodes] == ["node-a"]


def test_a_link_in_the_place_of_a_list_is_not_read_twice(tmp_path):
    files = {"b/cluster-resources/nodes.json": b'{"kind":"NodeList","apiVersion":"v1","items":[]}'}
    files["b/cluster-resources/pods/default.json"] = b'{"kind":"PodList","apiVersion":"v1","items":null}'
    links = {"b/cluster-resources/pods/again.json": "default.json"}
    assert load(tar(files, links), tmp_path).completeness.counts == {"Node": 0, "Pod": 0}


def test_hidden_files_and_what_macos_leaves_are_passed_over(tmp_path):
    extra = {"._nodes.yaml": b"\0\5\26\7", "__MACOSX/nodes.yaml": b"\0\5\26\7", ".cache/x.yaml": b"{{"}
    assert len(load(tar({**TWO, **extra}, prefix="./"), tmp_path).nodes) == 1


def test_paths_with_backslashes_are_folders(tmp_path):
    data = zipped({"b\\cluster-resources\\nodes.json": b'{"kind":"NodeList","apiVersion":"v1","items":[]}'})
    assert load(data, tmp_path).completeness.layouts == ("troubleshoot support bundle",)


def test_packings_in_packings_are_opened(tmp_path):
    assert len(load(gzip.compress(tar(TWO, mode="w:gz")), tmp_path).pods) == 1
    assert len(load(gzip.compress(zipped(TWO)), tmp_path, "other").pods) == 1


@pytest.mark.parametrize("packing", ["gz", "xz", "bz2"])
def test_a_single_text_is_read_however_it_is_packed(packing, tmp_path):
    import bz2
    import lzma

    pack = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}[packing]
    assert len(load(pack(NODE), tmp_path).nodes) == 1


def test_text_that_begins_like_a_packing_is_text(tmp_path):
    assert len(load(b"BZ: 1\n---\n" + NODE, tmp_path).nodes) == 1


def test_an_encrypted_zip_is_refused(tmp_path):
    data = bytearray(zipped({"nodes.yaml": NODE}))
    for at in (data.find(b"PK\x03\x04") + 6, data.find(b"PK\x01\x02") + 8):
        data[at] |= 1
    with pytest.raises(SourceError, match=r"nodes\.yaml is encrypted"):
        load(bytes(data), tmp_path)


def test_a_pipe_is_read_once(tmp_path):
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(tar(TWO, mode="w:gz")))
    writer.start()
    state = kplan.load(pipe)
    writer.join()
    assert len(state.nodes) == 1


def test_a_hard_link_is_a_link(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("nodes.yaml")
        info.size = len(NODE)
        archive.addfile(info, io.BytesIO(NODE))
        link = tarfile.TarInfo("a/b.yaml")
        link.type, link.linkname = tarfile.LNKTYPE, "nodes.yaml"
        archive.addfile(link)
    assert len(load(out.getvalue(), tmp_path).nodes) == 1


def test_an_archive_in_an_archive_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"it holds nothing to read but another archive: in/b\.tar\.gz$") as caught:
        load(tar({"in/b.tar.gz": tar(TWO, mode="w:gz")}), tmp_path, "out.tar")
    assert (caught.value.code, caught.value.hint) == ("archive-inside", "extract the one to read, and name it")
    with pytest.raises(SourceError, match=r"but 4 archives: a\.tgz, b\.tgz, c\.tgz and 1 more$"):
        load(zipped(dict.fromkeys(("d.tgz", "c.tgz", "b.tgz", "a.tgz"), b"x")), tmp_path)


@pytest.mark.parametrize("packed", [True, False], ids=["in an archive", "in a folder"])
def test_archives_beside_text_are_named(packed, tmp_path):
    files = {"nodes.yaml": NODE, **dict.fromkeys(("a.tgz", "b.zip", "c.tar.xz", "d.tar", "e.tar.zst"), b"x")}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    state = load(zipped(files), tmp_path, "whole") if packed else kplan.load(tmp_path)
    assert state.completeness.notes == ("not read: archives a.tgz, b.zip, c.tar.xz and 2 more (name one to read it)",)


def test_an_archive_beside_what_is_read_is_told_once_before_the_answer(tmp_path):
    (tmp_path / "nodes.yaml").write_bytes(NODE)
    (tmp_path / "whole.tgz").write_bytes(b"x")
    command = [sys.executable, "-m", "kplan", "nodes", "--snapshot", str(tmp_path)]
    # one pipe for both: lines stand in the order in which they were written
    told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    assert told.startswith("kplan: note: not read: archive whole.tgz (name it to read it)\n")
    assert told.count("whole.tgz") == 1
