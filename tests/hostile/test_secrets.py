"""Secrets planted wherever a cluster, a manifest and a kubeconfig hold them: no answer, error or file has any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.hostile.samples import node, of, pod
from tests.hostile.test_output import DEMO, formats_of
from tests.sources.fakeserver import FakeServer, Told, kubeconfig_for, lists_of

PLANTED = [f"s3cr3t-{number:02}" for number in range(15)]
ENV, ARGUMENT, COMMAND, HEADER, NOTE, DATA, TEXT, LITERAL, HOOK, URL, TOKEN, PASSWORD, QUERY, PROXY, MESSAGE = PLANTED[
    :15
]
APPLIED = {
    "kubectl.kubernetes.io/last-applied-configuration": json.dumps({"spec": {"env": NOTE}}),
    "acme.com/key": NOTE,
}


def spec(**more: Any) -> dict[str, Any]:
    """A pod's spec with secrets in all that scheduling does not read."""
    container = {
        "name": "c",
        "image": "registry.example/app:1",
        "env": [{"name": "TOKEN", "value": ENV}],
        "args": [f"--token={ARGUMENT}"],
        "command": ["sh", "-c", f"curl -u {COMMAND}"],
        "livenessProbe": {"httpGet": {"port": 1, "httpHeaders": [{"name": "Authorization", "value": HEADER}]}},
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
        "lifecycle": {"preStop": {"exec": {"command": ["kill", HOOK]}}},
    }
    return {"containers": [container], "initContainers": [{**container, "name": "i"}], **more}


def secret_pod(name: str, on: str = "", **more: Any) -> dict[str, Any]:
    made = pod(name, on, {"namespace": "d", "annotations": APPLIED, "labels": {"app": "a"}}, **spec(**more))
    return {**made, "status": {**made["status"], "message": MESSAGE}}


def deployment(name: str, replicas: int = 1) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels, "annotations": APPLIED}, "spec": spec()}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "d", "annotations": APPLIED},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def secret(name: str) -> dict[str, Any]:
    meta = {"name": name, "namespace": "d", "annotations": APPLIED}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": {"k": DATA}, "stringData": {"t": TEXT}}


def config_map(name: str) -> dict[str, Any]:
    meta = {"name": name, "namespace": "d", "annotations": APPLIED}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"password": LITERAL}}


def cluster() -> list[dict[str, Any]]:
    noted = {**node("n2"), "metadata": {"name": "n2", "annotations": APPLIED}}
    return [
        noted,
        secret_pod("on", "n0"),
        secret_pod("waits", nodeSelector={"a": "b"}),
        secret_pod("fits"),
        deployment("web"),
        secret("s"),
        config_map("m"),
        {**secret_pod("broken"), "spec": spec(priority="no number")},
        {"apiVersion": "acme.com/v1", "kind": "Vault", "metadata": {"name": "v"}, "spec": {"token": DATA}},
    ]


def manifests() -> list[dict[str, Any]]:
    return [deployment("new", 3), secret("t"), config_map("c"), {**secret_pod("bad name!")}, secret_pod("alone")]


CONFIG = f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{{urlPrefix: "https://user:{URL}@x.example/a?key={QUERY}", filterVerb: filter}}]
profiles:
- pluginConfig: [{{name: Acme, args: {{token: {TOKEN}}}}}]
  plugins: {{multiPoint: {{enabled: [{{name: Acme}}]}}}}
"""


def questions(state: str, manifest: str, config: str, plan: str) -> list[list[str]]:
    read = ["--snapshot", state]
    return [
        ["explain", "pod", "-A", *read],
        ["explain", "pod", "waits", "-n", "d", *read],
        ["explain", "node", "n0", *read],
        ["nodes", *read],
        ["nodes", "--config", config, *read],
        ["explain", "pod", "fits", "-n", "d", "--config", config, *read],
        ["explain", "pod", "fits", "-n", "d", "--config", config, "--call-extenders", *read],
        ["config", "--config", config, *read],
        ["simulate", *read],
        ["simulate", manifest, *read],
        ["simulate", "--scale", "deploy/d/web=3", *read],
        ["check", manifest, *read],
        ["capacity", manifest, *read],
        ["drain", "n0", *read],
        ["fail", "n0", *read],
        ["sweep", "--fail-each", "node", "-j", "1", *read],
        ["pack", *read],
        ["moves", *read],
        ["diff", state, str(DEMO)],
        ["bind", "-A", *read],
        ["bind", "-f", manifest, "--create", "--save-plan", plan, *read],
        ["nodes", "--add-manifest", manifest, *read],
        ["nodes", "--add-manifest", state, "--policy", manifest, *read],
    ]


def clean(text: str, *about: object) -> None:
    assert [one for one in PLANTED if one in text] == [], about


def files(folder: Path) -> tuple[str, str, str]:
    for name, data in {"s": of(*cluster()), "m": of(*manifests()), "c": CONFIG.encode()}.items():
        (folder / name).write_bytes(data)
    return str(folder / "s"), str(folder / "m"), str(folder / "c")


@pytest.mark.parametrize("debug", [[], ["--debug"]], ids=["", "debug"])
def test_no_answer_error_or_report_has_a_secret(
    debug: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, manifest, config = files(tmp_path)
    answered = 0
    for words in questions(state, manifest, config, str(tmp_path / "plan")):
        (tmp_path / "plan").unlink(missing_ok=True)
        made = {format: tmp_path / f"out.{format}" for format in formats_of(words) if not debug}
        code = main([*words, *debug, "-o", "text", *(part for name in made for part in ("-o", f"{name}={made[name]}"))])
        out, err = capsys.readouterr()
        assert code != 70, (words, err)
        clean(out + err, words)
        if made and ": not for a " in err:  # a document has the formats of data in any case
            assert main([*words, "-o", f"json={made['json']}", "-o", f"yaml={made['yaml']}"]) == 0
            clean("".join(capsys.readouterr()), words)
        for format, file in made.items():
            if file.exists():
                clean(file.read_text(), words, format)
                file.unlink()
                answered += 1
    assert debug or answered > 110


def test_snapshots_redacted_or_not_and_plans_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, _, config = files(tmp_path)
    out, names, plan = tmp_path / "out", tmp_path / "names", tmp_path / "plan"
    assert main(["snapshot", str(out), "--snapshot", state, "--config", config]) in (0, 2)
    assert main(["snapshot", str(out), "--snapshot", state]) == 0
    clean(out.read_text(), "plain")
    assert main(["snapshot", str(out), "--redact", "--redact-map", str(names), "--snapshot", state]) == 0
    clean(out.read_text() + names.read_text(), "redacted")
    main(["bind", "-A", "--snapshot", state, "--save-plan", str(plan)])
    clean(plan.read_text(), "plan")
    clean("".join(capsys.readouterr()))


USERS: dict[str, dict[str, Any]] = {
    "a token": {"token": TOKEN},
    "a token with a line break": {"token": f"{TOKEN}\nx\n"},
    "a password": {"username": "u", "password": PASSWORD},
    "a plugin that fails": {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "sh",
            "args": ["-c", f"exit 1 # {ARGUMENT}"],
            "env": [{"name": "K", "value": ENV}],
            "interactiveMode": "Never",
        }
    },
    "a provider": {"auth-provider": {"name": "gcp", "config": {"access-token": TOKEN}}},
    "a certificate that is none": {"client-certificate-data": "eA==", "client-key-data": "eA=="},
}
ANSWERS: dict[str, Told | None] = {
    "works": None,
    "refuses": Told(401, {"message": "no"}),
    "fails": Told(500, "x"),
    "forbids": Told(403, {"message": "no"}),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("user", USERS)
def test_credentials_are_told_to_nobody_but_the_server(
    user: str, answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kplan.sources.live.connection._ATTEMPTS", 1)  # bind would be patient for a minute
    told = ANSWERS[answer]
    lists = lists_of()
    with FakeServer(lambda asked: told or lists.get(asked.path)) as server:
        url = server.url.replace("://", f"://u:{PASSWORD}@")
        for where in (server.url, url):
            file = kubeconfig_for(where, tmp_path, USERS[user])
            for words in [["nodes", "--debug"]] if answer == "fails" else [["nodes", "--debug"], ["bind", "-A"]]:
                code = main([*words, "--kubeconfig", file])
                out, err = capsys.readouterr()
                assert code != 70, (words, err)
                clean(out + err, user, answer, words)


def test_a_proxy_and_a_server_that_is_away_show_no_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for url in (f"https://u:{PASSWORD}@127.0.0.1:1", f"https://127.0.0.1:1/?token={QUERY}"):
        assert main(["nodes", "--debug", "--kubeconfig", kubeconfig_for(url, tmp_path)]) == 5
        clean("".join(capsys.readouterr()), url)
    file = Path(kubeconfig_for("http://127.0.0.1:1", tmp_path))
    file.write_text(file.read_text().replace("server:", f"proxy-url: http://u:{PROXY}@127.0.0.1:2\n    server:"))
    assert main(["nodes", "--debug", "--kubeconfig", str(file)]) == 5
    clean("".join(capsys.readouterr()), "proxy")
