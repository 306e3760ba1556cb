"""Files, folders and streams, packed or not."""

import gzip
import io
import os

import pytest
import zstandard

from kplan.errors import SourceError
from kplan.sources import load
from kplan.sources.reader import File, files

POD = b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'
YAML = b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


def names(state):
    return [item.name for item in state.objects()]


PACKED = [
    ("plain.json", POD),
    ("p.json.gz", gzip.compress(POD)),
    ("p.yaml.zst", zstandard.compress(YAML)),
    ("packed-without-an-ending", gzip.compress(POD)),
    ("not-packed.gz", POD),
    ("two-in-a-row.gz", gzip.compress(POD[:20]) + gzip.compress(POD[20:])),
    ("padded.gz", gzip.compress(POD) + b"\0" * 10),
    ("marked.json", b"\xef\xbb\xbf" + POD),
    ("marked.yaml", b"\xef\xbb\xbf" + YAML),
    ("powershell.json", b"\xff\xfe" + POD.decode().encode("utf-16-le")),
    ("powershell.yaml", b"\xfe\xff" + YAML.decode().encode("utf-16-be")),
    ("windows.yaml", YAML.replace(b"\n", b"\r\n")),
    ("UPPER.JSON", POD),
]


@pytest.mark.parametrize(("name", "data"), PACKED, ids=[name for name, _ in PACKED])
def test_a_file_is_unpacked_by_what_it_is(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert names(load(path)) == ["a"]


def test_standard_input_is_read():
    state = load("-", stdin=io.BytesIO(gzip.compress(POD)))
    assert names(state) == ["a"]
    assert state.source == "standard input"


def test_several_paths_are_read_together(tmp_path):
    one, other = tmp_path / "one.json", tmp_path / "other.yaml"
    one.write_bytes(POD)
    other.write_bytes(b"apiVersion: v1\nkind: Node\nmetadata: {name: node}\n")
    state = load([one, str(other)])
    assert names(state) == ["node", "a"]
    assert state.source == f"{one}, {other}"


def test_a_folder_is_walked_in_order_and_only_text_files_count(tmp_path):
    for name in [
        "b/2.yaml",
        "b/1.yml",
        "a.json",
        "c.ndjson",
        "d.yaml.gz",
        "README.md",
        ".hidden.json",
        ".git/x.json",
        "log.txt",
    ]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(YAML) if name.endswith("gz") else POD)
    (tmp_path / "broken-link.json").symlink_to(tmp_path / "nowhere.json")
    (tmp_path / "z").symlink_to(tmp_path / "b")
    assert [file.inside for file in files(tmp_path)] == ["a.json", "b/1.yml", "b/2.yaml", "c.ndjson", "d.yaml.gz"]


UNREADABLE = [
    ("cut.gz", gzip.compress(POD * 100)[:-12], "truncated", "the gzip data ends in the middle"),
    ("garbage.gz", gzip.compress(POD) + b"x", "broken-gzip", "broken gzip data"),
    ("wrong.gz", b"\x1f\x8b" + b"x" * 50, "broken-gzip", "broken gzip data"),
    ("cut.zst", zstandard.compress(os.urandom(500))[:-100], "not-text", ""),
    ("wrong.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 50, "broken-zstd", "broken zstd data"),
    ("really.zip.json", b"PK\x03\x04rest", "not-text", "a ZIP archive"),
    ("some.tar", b"x" * 257 + b"ustar" + b"\0" * 300, "not-text", "a tar archive"),
    ("packed.xz", b"\xfd7zXZ\x00rest", "not-text", "packed with xz"),
    ("binary.yaml", b"a: b\n\0\1\2", "not-text", "a NUL at byte 6"),
    ("utf16.yaml", b"\xff\xfea", "not-text", "UTF-16"),
]


@pytest.mark.parametrize(("name", "data", "code", "message"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
def test_what_is_no_text_is_refused_by_name(tmp_path, name, data, code, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        load(path)
    assert caught.value.file == str(path)
    assert caught.value.code in (code, "truncated")
    assert message in caught.value.message


def test_zstd_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    path = tmp_path / "p.json.zst"
    path.write_bytes(zstandard.compress(POD))
    with pytest.raises(SourceError) as caught:
        load(path)
    assert caught.value.code == "no-zstd"
    assert "kplan[zstd]" in caught.value.hint


@pytest.mark.parametrize("packed", [gzip.compress, zstandard.compress])
def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch, packed):
    monkeypatch.setattr("kplan.sources.reader._UNPACKED_LIMIT", 1000)
    path = tmp_path / "bomb.json"
    path.write_bytes(packed(b" " * 5000))
    with pytest.raises(SourceError) as caught:
        load(path)
    assert caught.value.code == "too-large"


@pytest.mark.parametrize("packed", [gzip.compress, zstandard.compress])
def test_a_small_file_that_unpacks_to_far_too_much_is_refused(tmp_path, monkeypatch, packed):
    monkeypatch.setattr("kplan.sources.reader.RATIO_FROM", 1 << 20)
    path = tmp_path / "bomb.yaml"
    path.write_bytes(packed(b"#" * (2 << 20)))
    with pytest.raises(SourceError, match="unpacks to more than 500 times its size, as a decompression bomb does"):
        load(path)


@pytest.mark.parametrize("path", ["missing.json", "missing/folder", "a\0b"])
def test_a_path_that_is_not_there_is_refused_by_name(path):
    with pytest.raises(SourceError) as caught:
        load(path)
    assert caught.value.file == path


def test_a_file_that_may_not_be_read_is_refused_by_name():
    def denied():
        raise PermissionError(13, "Permission denied")

    with pytest.raises(SourceError, match=r"secret\.json: cannot be read: Permission denied"):
        File("secret.json", denied).read()


def test_a_folder_without_yaml_is_refused(tmp_path):
    (tmp_path / "README.md").write_text("hello")
    with pytest.raises(SourceError) as caught:
        load(tmp_path)
    assert (caught.value.file, caught.value.code) == (str(tmp_path), "empty")
    assert ".yaml, .yml, .json" in caught.value.hint
