"""Whatever goes wrong with a server is one line and a hint."""

import contextlib
import json
import os
import signal
import socket
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from kplan.cli.main import main
from kplan.errors import KplanError
from kplan.sources.live import read
from tests.live.conftest import PODS, need_assets, pod
from tests.live.controlplane import APISERVER, ControlPlane


def changed(running: ControlPlane, folder: Path, **cluster: Any) -> str:
    """Write a kubeconfig whose cluster differs."""
    config = yaml.safe_load(Path(running.kubeconfig).read_text())
    config["clusters"][0]["cluster"].update(cluster)
    return written(config, folder)


def written(config: dict[str, Any], folder: Path) -> str:
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return str(path)


def failure(**source: Any) -> KplanError:
    with pytest.raises(KplanError) as caught:
        read(**source)
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


def test_a_certificate_of_another_authority(server: ControlPlane, other_server: ControlPlane, tmp_path: Path) -> None:
    authority = yaml.safe_load(Path(other_server.kubeconfig).read_text())["clusters"][0]["cluster"]
    mine = {key: value for key, value in authority.items() if key.startswith("certificate-authority")}
    error = failure(kubeconfig=changed(server, tmp_path, **mine))
    assert (error.code, error.message) == (
        "tls", f"{server.url} cannot be trusted: its certificate is not signed by the authority in the kubeconfig",
    )  # fmt: skip


def test_a_certificate_for_another_name(server: ControlPlane, tmp_path: Path) -> None:
    url = server.url.replace("127.0.0.1", "localhost")
    error = failure(kubeconfig=changed(server, tmp_path, server=url))
    assert (error.code, error.message) == ("tls", f"{url} cannot be trusted: its certificate is for another name")


def test_a_token_that_is_not_valid_any_more(server: ControlPlane, tmp_path: Path) -> None:
    config = yaml.safe_load(Path(server.kubeconfig).read_text())
    for user in config["users"]:
        user["user"] = {"token": "expired"}
    error = failure(kubeconfig=written(config, tmp_path))
    assert error.code == "unauthorized"
    assert (
        error.message
        == f"the API server {server.url} does not accept the credentials of context admin (401 Unauthorized)"
    )
    assert error.hint.startswith("the token has probably expired")


def test_an_exec_plugin_that_fails(server: ControlPlane, tmp_path: Path) -> None:
    config = yaml.safe_load(Path(server.kubeconfig).read_text())
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "false", "interactiveMode": "Never"}
    for user in config["users"]:
        user["user"] = {"exec": plugin}
    error = failure(kubeconfig=written(config, tmp_path))
    assert error.code == "no-credentials"
    assert error.message.startswith("the credential plugin of context admin failed: ")


def test_an_exec_plugin_that_gives_a_token(server: ControlPlane, tmp_path: Path) -> None:
    config = yaml.safe_load(Path(server.kubeconfig).read_text())
    script = tmp_path / "plugin"
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": server.tokens["admin"]},
    }
    script.write_text(f"#!/bin/sh\necho '{json.dumps(credential)}'\n")
    script.chmod(0o755)
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}
    for user in config["users"]:
        user["user"] = {"exec": plugin}
    assert len(read(kubeconfig=written(config, tmp_path)).nodes) == 6


def test_several_kubeconfigs_are_merged(server: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = yaml.safe_load(Path(server.kubeconfig).read_text())
    parts = {"contexts": [tmp_path / "a"], "clusters": [tmp_path / "b"], "users": [tmp_path / "c"]}
    for part, [path] in parts.items():
        path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", part: config[part]}))
    names = [str(path) for [path] in parts.values()]
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join([str(tmp_path / "missing"), *names]))
    assert failure().code == "no-context"
    assert read("admin").source == "admin"


def test_a_context_that_is_not_there(server: ControlPlane) -> None:
    error = failure(context="prod", kubeconfig=str(server.kubeconfig))
    assert (error.code, error.hint) == ("no-such-context", "there are: admin, viewer")


def test_a_kubeconfig_that_is_not_there(tmp_path: Path) -> None:
    assert failure(kubeconfig=str(tmp_path / "none")).code == "no-kubeconfig"


def test_a_server_that_is_not_there(server: ControlPlane, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"https://127.0.0.1:{free.getsockname()[1]}"
    error = failure(kubeconfig=changed(server, tmp_path, server=url))
    assert (error.code, error.message) == ("unreachable", f"cannot reach the API server {url}: connection refused")


def test_a_server_that_never_answers(server: ControlPlane, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        error = failure(kubeconfig=changed(server, tmp_path, server=url), timeout=0.3)
    assert (error.code, error.message) == (
        "timeout", f"the API server {url} took too long to answer while asking for its version",
    )  # fmt: skip


def test_no_rights_at_all(server: ControlPlane) -> None:
    error = failure(context="viewer", kubeconfig=str(server.kubeconfig))
    assert error.code == "forbidden"
    assert error.hint == "kplan snapshot --print-rbac prints a ClusterRole that suffices"


def test_a_command_says_it_in_one_line_and_exits_with_5(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.json"
    assert main(["snapshot", str(file), "--context", "viewer", "--kubeconfig", str(server.kubeconfig)]) == 5
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kplan: error: context viewer may read nothing that scheduling depends on\nhint: ")
    assert not file.exists()


def compact(server: ControlPlane) -> None:
    """Make the store forget all that is older than now, so that continue tokens expire."""
    now = server.get(PODS, query={"limit": "1"})["metadata"]["resourceVersion"]
    body = json.dumps({"revision": now, "physical": True}).encode()
    request = urllib.request.Request(f"{server.etcd_url}/v3/kv/compaction", body, method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def test_a_list_that_expires_between_two_pages_begins_again(other_server: ControlPlane) -> None:
    seen: list[int] = []

    def progress(plural: str, count: int, total: int | None) -> None:
        if plural == "pods":
            seen.append(count)
            if seen == [2]:
                other_server.post(PODS, pod("late-0"))
                compact(other_server)

    before = len(other_server.audit_events())
    state = read(kubeconfig=str(other_server.kubeconfig), page=2, progress=progress)
    assert [p.name for p in state.pods] == ["late-0", *(f"p-{i}" for i in range(6))]
    assert seen == [2, 2, 4, 6, 7]
    events = other_server.audit_events()[before:]
    expired = {event["objectRef"]["resource"] for event in events if event["responseStatus"]["code"] == 410}
    assert "pods" in expired  # and whichever other kind was between two pages at that moment: it begins again as well
    assert {"default", "kube-system"} <= {namespace.name for namespace in state.namespaces}


def test_a_list_that_expires_each_time_is_given_up(other_server: ControlPlane) -> None:
    def progress(plural: str, count: int, total: int | None) -> None:
        if plural == "pods" and count == 2:
            name = f"again-{time.monotonic_ns()}"
            other_server.post(PODS, pod(name))
            compact(other_server)

    error = failure(kubeconfig=str(other_server.kubeconfig), page=2, progress=progress)
    assert error.code == "list-expired"
    assert error.message.startswith("no consistent list of pods: each of 5 expired")


def test_a_server_that_is_killed_in_the_middle_of_a_list() -> None:
    need_assets()
    with ControlPlane() as dying:
        for i in range(4):
            dying.post(PODS, pod(f"p-{i}"))
        [entry] = [entry for entry in dying._entries if entry["name"] == APISERVER]

        def progress(plural: str, count: int, total: int | None) -> None:
            if plural == "pods":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(entry["pid"], signal.SIGKILL)
                time.sleep(0.2)

        error = failure(kubeconfig=str(dying.kubeconfig), page=1, progress=progress)
    assert error.code == "connection-lost"
    # several requests are under way at once, of which one may even ask what versions there are: any is told
    assert error.message.startswith(f"the API server {dying.url} broke off while "), error.message
    assert error.hint == "nothing was kept of what had been read: try again once the server is back"
