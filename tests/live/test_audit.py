"""The audit log of the server is the proof: no command writes, whatever it is asked."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from kplan.cli.app import app
from kplan.cli.main import main
from tests.live.conftest import pod
from tests.live.controlplane import ControlPlane

READING = frozenset({"get", "list", "watch"})
NO_CLUSTER = frozenset({"plugins", "schema", "demo", "unredact", "config"})
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
    "snapshot": ["snapshot", f"{FOLDER}/s.json"],
    "snapshot --redact": ["snapshot", f"{FOLDER}/r.json", "--redact"],
    "snapshot --follow": ["snapshot", f"{FOLDER}/f.json", "--follow", "--for", "1"],
    "bind": ["bind", "-A", "--take-over"],
}
"""A line each; one whose command does not exist (yet) is left out."""

MAY_ASK_WHAT_IT_MAY = frozenset({"bind"})
"""Commands that also ask which rights they have (SelfSubjectAccessReview)."""


def existing() -> set[str]:
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def asked(server: ControlPlane, before: int) -> set[tuple[str, str]]:
    """Verbs and resources of all requests of kplan since there were so many."""
    events: list[dict[str, Any]] = server.audit_events()[before:]
    mine = [event for event in events if event.get("userAgent", "").startswith("kplan")]
    return {(event["verb"], event.get("objectRef", {}).get("resource", "")) for event in mine}


@pytest.mark.parametrize("case", [case for case in COMMANDS if case.split()[0] in existing()])
def test_a_command_only_reads(
    server: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    manifest = tmp_path / "web.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", **pod("landing", cpu="100m")}))
    words = [word.replace(MANIFEST, str(manifest)).replace(FOLDER, str(tmp_path)) for word in COMMANDS[case]]
    before = len(server.audit_events())
    code = main([*words, "--kubeconfig", str(server.kubeconfig)])
    assert code in (0, 1, 3, 4), capsys.readouterr().err
    found = asked(server, before)
    assert {"nodes", "pods"} <= {resource for _, resource in found}
    others = {(verb, resource) for verb, resource in found if verb not in READING}
    allowed = {("create", "selfsubjectaccessreviews")} if case.split()[0] in MAY_ASK_WHAT_IT_MAY else set()
    assert others <= allowed


def test_every_command_is_in_the_table() -> None:
    assert existing() - NO_CLUSTER <= {case.split()[0] for case in COMMANDS}
