"""Manifests of the web, and patterns of files: ``-f https://...``, ``-f 'deploy/**/*.yaml'``."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from kplan.errors import SourceError
from kplan.sources import load_objects
from kplan.sources.live import download

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {containers: [{name: c, image: i}]}\n"


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/pod.yaml")
            self.end_headers()
            return
        body = POD.replace("NAME", "web").encode() if path == "/pod.yaml" else b"no"
        self.send_response(200 if path == "/pod.yaml" else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    served = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{served.server_port}"
    served.shutdown()
    served.server_close()


@pytest.mark.parametrize("path", ["/pod.yaml", "/moved"])
def test_a_manifest_of_the_web_is_read(server: str, path: str) -> None:
    [found] = load_objects([f"http://{server}{path}"]).objects
    assert (found.item and found.item.name, found.file) == ("web", f"http://{server}{path}")


def test_what_a_url_has_of_secrets_is_not_shown(server: str) -> None:
    with pytest.raises(SourceError) as told:
        load_objects([f"http://user:geheim@{server}/none.yaml?private_token=geheim#x"])
    assert str(told.value) == f"http://{server}/none.yaml: the server answered 404 Not Found"


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(SourceError, match="no answer: connection refused"):
        load_objects(["http://127.0.0.1:1/x.yaml"])


def test_a_file_that_is_too_large_is_not_read(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LIMIT", 10)
    with pytest.raises(SourceError, match="the most that kplan reads"):
        load_objects([f"http://{server}/pod.yaml"])


def test_a_pattern_stands_for_files_in_their_order(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yaml", "deep/c.yaml", "deep/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(POD.replace("NAME", Path(name).stem))
    names = [found.item.name for found in load_objects([f"{tmp_path}/**/*.yaml"]).objects if found.item]
    assert names == ["a", "b", "c"]
    assert len(load_objects([f"{tmp_path}/[ab].yaml"]).objects) == 2


def test_a_file_with_a_name_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a[1].yaml").write_text(POD.replace("NAME", "one"))
    (tmp_path / "a1.yaml").write_text(POD.replace("NAME", "other"))
    [found] = load_objects([f"{tmp_path}/a[1].yaml"]).objects
    assert found.item
    assert found.item.name == "one"


def test_a_pattern_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no file matches"):
        load_objects([f"{tmp_path}/*.yaml"])
