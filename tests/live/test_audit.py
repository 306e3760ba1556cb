"""No command writes, whatever it is asked: the proxies note every request of the run, and know who made it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from kplan.cli.app import app
from kplan.cli.main import main
from tests.live.conftest import pod
from tests.live.controlplane import ControlPlane
from tests.live.ledger import LEDGER, READS, REVIEW, Ledger, Request, may_send
from tests.live.recorder import Recorder

NO_CLUSTER = frozenset({"plugins", "schema", "demo", "unredact", "config", "completion"})
"""Commands that read no cluster."""

MANIFEST = "MANIFEST"
FOLDER = "FOLDER"
COMMANDS: dict[str, list[str]] = {
    "explain pod": ["explain", "pod", "-A"],
    "explain pod with what-ifs": ["explain", "pod", "new-1", "--cordon", "node-1", "--evict", "web-0"],
    "explain pod --watch": ["explain", "pod", "new-1", "--watch", "--for", "1"],
    "explain node": ["explain", "node", "node-1"],
    "nodes": ["nodes"],
    "simulate": ["simulate"],
    "simulate of a manifest": ["simulate", MANIFEST],
    "capacity": ["capacity", MANIFEST],
    "drain": ["drain", "node-1"],
    "fail": ["fail", "node-1"],
    "sweep": ["sweep"],
    "diff": ["diff", "1.36"],
    "check": ["check", MANIFEST],
    "moves": ["moves", "-f", MANIFEST],
    "pack": ["pack"],
    "snapshot": ["snapshot", f"{FOLDER}/s.json"],
    "snapshot --redact": ["snapshot", f"{FOLDER}/r.json", "--redact"],
    "snapshot --follow": ["snapshot", f"{FOLDER}/f.json", "--follow", "--for", "1"],
    "bind": ["bind", "-A", "--take-over"],
    "bind of a manifest": ["bind", "-f", MANIFEST, "--create", "--take-over"],
}
"""A line each; one whose command does not exist (yet) is left out."""


def existing() -> set[str]:
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", [case for case in COMMANDS if case.split()[0] in existing()])
def test_a_command_only_reads(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    manifest = tmp_path / "web.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", **pod("landing", cpu="100m")}))
    words = [word.replace(MANIFEST, str(manifest)).replace(FOLDER, str(tmp_path)) for word in COMMANDS[case]]
    before = len(LEDGER.requests)
    code = main([*words, "--kubeconfig", str(server.kubeconfig)])
    assert code in (0, 1, 3, 4), capsys.readouterr().err
    asked = LEDGER.requests[before:]
    assert {"/api/v1/nodes", "/api/v1/pods"} <= {request.path for request in asked}
    others = {request.path for request in asked if request.method not in READS}
    assert others <= ({REVIEW} if case.split()[0] == "bind" else set())


def test_every_command_is_in_the_table() -> None:
    assert existing() - NO_CLUSTER <= {case.split()[0] for case in COMMANDS}


BINDING = Request("POST", "/api/v1/namespaces/shop/pods/a/binding", {})
DRY = Request("POST", BINDING.path, {"dryRun": "All"})
RIGHTS = Request("POST", REVIEW, {})
LISTING = Request("GET", "/api/v1/pods", {})


@pytest.mark.parametrize(
    ("command", "request_", "allowed"),
    [
        ("", LISTING, True),
        ("", BINDING, False),
        ("explain pod", RIGHTS, False),
        ("explain pod --apply", BINDING, False),
        ("bind -A", RIGHTS, True),
        ("bind -A", DRY, False),
        ("bind -A", BINDING, False),
        ("bind -A --server-dry-run", DRY, True),
        ("bind -A --server-dry-run", BINDING, False),
        ("bind -A --apply", BINDING, True),
        ("bind --resume j", BINDING, True),
    ],
)
def test_what_a_command_may_send(command: str, request_: Request, allowed: bool) -> None:
    assert may_send(tuple(command.split()), request_) is allowed


WRITE = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[-1] + "/api/v1/namespaces/shop/pods/a/binding", data=b"{}", method="POST")
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as refused:
    assert refused.code in (401, 403), refused
"""


def test_a_write_of_another_process_is_traced_to_its_command(server: ControlPlane) -> None:
    ledger = Ledger()
    proxy = Recorder(server.own_url, server.ca_file, ledger=ledger)
    try:
        for words in (["kplan", "bind", "-A", "--apply"], ["kplan", "bind", "-A"], []):
            subprocess.run([sys.executable, "-c", WRITE, *words, proxy.url], check=True)
    finally:
        proxy.close()
    assert [command[:-1] for command, _ in ledger.others[:2]] == [("bind", "-A", "--apply"), ("bind", "-A")]
    assert [text.rpartition(" by ")[2].split(" http")[0] for text in ledger.offences] == ["kplan bind -A", "no command"]


def test_a_write_of_a_command_in_this_process_is_traced_to_it(server: ControlPlane) -> None:
    import contextlib
    import urllib.error
    import urllib.request

    ledger = Ledger()
    proxy = Recorder(server.own_url, server.ca_file, ledger=ledger)
    try:
        with ledger.command(["explain", "pod"]), contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(urllib.request.Request(f"{proxy.url}/api/v1/pods", data=b"{}", method="POST"))
    finally:
        proxy.close()
    assert ledger.offences == ["POST /api/v1/pods {} by kplan explain pod"]
