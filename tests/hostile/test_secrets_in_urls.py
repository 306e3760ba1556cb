"""Passwords and tokens in the URLs of files: answers, reports, plans and errors name the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from kplan.visible import without_credentials
from tests.hostile.test_secrets import DEMO, PASSWORD, clean
from tests.sources.fakeserver import Asked, FakeServer, Told

URLS = {
    "a password": "http://u:{secret}@{at}{path}",
    "a token for a user": "http://{secret}@{at}{path}",
    "a query": "http://{at}{path}?token={secret}",
    "a fragment": "http://{at}{path}#{secret}",
}
POD: dict[str, Any] = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone", "namespace": "d"},
    "spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "100m"}}}]},
}  # fmt: skip
QUESTIONS = [
    ["explain", "pod", "-A", "--snapshot", "{cluster}"],
    ["nodes", "--snapshot", "{cluster}"],
    ["nodes", "--add-manifest", "{pod}", "--snapshot", "{cluster}"],
    ["simulate", "{pod}", "--snapshot", "{cluster}"],
    ["check", "{pod}", "--snapshot", "{cluster}"],
    ["drain", "node-b", "--snapshot", "{cluster}"],
    ["fail", "node-b", "--snapshot", "{cluster}"],
    ["capacity", "{pod}", "--snapshot", "{cluster}"],
    ["pack", "--snapshot", "{cluster}"],
    ["moves", "-f", "{pod}", "--snapshot", "{cluster}"],
    ["bind", "-f", "{pod}", "--create", "--save-plan", "plan", "--snapshot", "{cluster}"],
    ["diff", "{cluster}", "{pod}"],
    ["simulate", "--scenario", "{pod}", "--snapshot", "{cluster}"],
    ["nodes", "--config", "{pod}", "--snapshot", "{cluster}"],
    ["check", "{pod}", "--policy", "{pod}", "--snapshot", "{cluster}"],
]


@pytest.mark.parametrize("form", URLS)
def test_a_url_is_told_as_its_place(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo = [part for item in yaml.safe_load_all(DEMO.read_text()) for part in item.get("items", [item])]

    def answer(asked: Asked) -> Told:
        items = [POD] if asked.path == "/pod" else demo
        return Told(body={"apiVersion": "v1", "kind": "List", "items": items})

    with FakeServer(answer) as server:
        at = server.url.partition("://")[2]
        urls = {name: URLS[form].format(at=at, path=f"/{name}", secret=PASSWORD) for name in ("cluster", "pod")}
        for words in QUESTIONS:
            code = main(
                [*(word.format(**urls) for word in words), "-o", "json=r.json", "-o", "html=r.html", "-o", "text"]
            )
            made = [path for path in map(Path, ("r.json", "r.html", "plan")) if path.exists()]
            clean("".join(capsys.readouterr()) + "".join(path.read_text() for path in made), words)
            assert (code in (0, 1, 4) and made) or code == 2, words
            for path in made:
                if path.name != "plan":
                    path.unlink()
    assert json.loads(Path("plan").read_text())["manifests"]["files"] == ["-"]  # given once more with -f


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://u:p@h/x", "https://h/x"),
        ("https://tok@h:1/x?t=s#f", "https://h:1/x"),
        ("http://u@v:p@h/x", "http://h/x"),
        ("http://u:pa/ss@host:9/x", "http://host:9/x"),
        ("https://cdn.example/gh/u/r@main/x.yaml", "https://cdn.example/gh/u/r@main/x.yaml"),
        ("http://[::1]:8/a@b", "http://[::1]:8/a@b"),
        ('Get "http://u:p@h/x": no', 'Get "http://h/x": no'),
        ("a@b://c?d", "a@b://c?d"),
    ],
)
def test_the_place_of_a_url(url: str, place: str) -> None:
    assert without_credentials(url) == place
