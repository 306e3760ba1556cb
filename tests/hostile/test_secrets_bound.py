"""Secrets planted in a cluster, its manifests and credentials, and ``bind`` that writes: no record of it has any."""

from __future__ import annotations

import base64
import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from tests.builders import node
from tests.hostile.test_secrets import (
    APPLIED,
    PASSWORD,
    QUERY,
    TOKEN,
    URL,
    clean,
    config_map,
    secret,
    secret_pod,
)
from tests.sources.fakeserver import Asked, FakeServer, Told, kubeconfig_for, lists_of

KEY = PASSWORD
USER = {"token": TOKEN}
CONFIG = f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- urlPrefix: "https://user:{URL}@x.example/a?key={QUERY}"
  filterVerb: filter
  ignorable: true
  managedResources: [{{name: acme.com/none}}]
  enableHTTPS: true
  tlsConfig: {{keyData: {base64.b64encode(KEY.encode()).decode()}, certData: {base64.b64encode(KEY.encode()).decode()}}}
profiles:
- schedulerName: kplan
- schedulerName: other
  pluginConfig: [{{name: Acme, args: {{token: {TOKEN}}}}}]
  plugins: {{multiPoint: {{enabled: [{{name: Acme}}]}}}}
"""


class Bound:
    """A server that holds nodes and pods full of secrets, and takes what is written to it."""

    def __init__(self, *pods: dict[str, Any], refuse: int = 0) -> None:
        self.refuse = refuse
        self.lists = lists_of(*(node(f"n{number}") for number in range(2)))
        for item in self.lists["/api/v1/nodes"].body["items"]:
            item["metadata"] |= {"annotations": APPLIED, "uid": f"u-{item['metadata']['name']}"}
        self.objects: dict[str, dict[str, Any]] = {
            f"/api/v1/nodes/{item['metadata']['name']}": item for item in self.lists["/api/v1/nodes"].body["items"]
        }
        for item in pods:
            item["metadata"] |= {"uid": f"u-{item['metadata']['name']}", "resourceVersion": "7"}
            item["spec"]["schedulerName"] = "kplan"
            self.objects[f"/api/v1/namespaces/d/pods/{item['metadata']['name']}"] = item
        self.lists["/api/v1/pods"].body["items"] = list(pods)
        self.objects["/api/v1/namespaces/kube-system"] = {"metadata": {"name": "kube-system", "uid": "u"}}
        self.objects["/api/v1/namespaces/d"] = {"metadata": {"name": "d", "uid": "d"}}

    def __call__(self, asked: Asked) -> Told | None:
        if asked.watches:
            return Told(lines=self._news(asked.path))
        if asked.method == "GET":
            return Told(body=self.objects[asked.path]) if asked.path in self.objects else self.lists.get(asked.path)
        if asked.path.endswith("/selfsubjectaccessreviews"):
            return self.lists[asked.path]
        if asked.path.endswith("/binding") and self.refuse and not asked.query.get("dryRun"):
            return Told(self.refuse, {"kind": "Status", "message": "no"})
        body = json.loads(asked.body)
        if asked.path.endswith("/binding") and not asked.query.get("dryRun"):
            self.objects[asked.path.removesuffix("/binding")]["spec"]["nodeName"] = body["target"]["name"]
        elif not asked.query.get("dryRun") and asked.method == "POST":
            name = body["metadata"].get("name")
            body["metadata"] |= {"uid": f"u-{name}", "resourceVersion": "7"}
            self.objects[f"{asked.path}/{name}"] = body
        return Told(201, body)

    def _news(self, path: str) -> Iterator[dict[str, Any]]:
        """What a watch tells: pods of this path, once some are bound."""
        for _ in range(40):
            time.sleep(0.05)
            bound = [item for item in list(self.objects.values()) if item.get("spec", {}).get("nodeName")]
            if path.endswith("/pods") and bound:
                for item in bound:
                    meta = {**item["metadata"], "resourceVersion": "8"}
                    yield {"type": "MODIFIED", "object": {**item, "metadata": meta}}
                return


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


FORMATS = ("json", "yaml", "html", "text", "wide", "markdown")


def told(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command that writes its report in every format; its exit code, and all that it told."""
    reports = [part for name in FORMATS for part in ("-o", f"{name}={folder / f'r.{name}'}")]
    code = main([*words, "-o", "text", *reports])
    text = "".join(capsys.readouterr()) + "".join(path.read_text() for path in sorted(folder.glob("r.*")))
    assert code != 70, text
    assert len(list(folder.glob("r.*"))) == (len(FORMATS) if code in (0, 1, 5) else 0)
    return code, text


def planted() -> list[dict[str, Any]]:
    return [secret_pod("one"), secret_pod("two")]


@pytest.mark.parametrize("debug", [[], ["--debug"]], ids=["", "debug"])
@pytest.mark.parametrize(("refuse", "code"), [(0, 0), (422, 1), (403, 1)], ids=["bound", "held back", "stopped"])
def test_what_is_told_and_kept_of_pods_that_were_there(
    refuse: int, code: int, debug: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, plan = tmp_path / "journal", tmp_path / "plan"
    with FakeServer(Bound(*planted(), refuse=refuse)) as server:
        at = ["--kubeconfig", kubeconfig_for(server.url.replace("://", f"://u:{PASSWORD}@"), tmp_path, USER), *debug]
        main(["bind", "-A", "--save-plan", str(plan), *at])
        clean("".join(capsys.readouterr()), "plan shown")
        words = ["bind", "-A", "--apply", "--yes", "--journal", str(journal), *at]
        assert told(tmp_path, words, capsys)[0] == code
        text = "".join(path.read_text() for path in tmp_path.glob("r.*"))
        clean(text + journal.read_text() + plan.read_text(), refuse, debug)
    assert {"one", "two"} <= {line["about"][2:] for line in lines(journal) if line["kind"] == "before"}
    assert mode(journal) == mode(plan) == 0o600


def lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def test_a_run_that_was_killed_and_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "journal"
    with FakeServer(Bound(*planted())) as server:
        at = ["--kubeconfig", kubeconfig_for(server.url, tmp_path, USER), "--debug"]
        assert main(["bind", "-A", "--apply", "--yes", "--journal", str(journal), *at]) == 0
        journal.write_text("".join(f"{line}\n" for line in journal.read_text().splitlines()[:2]))
        capsys.readouterr()
        code, text = told(tmp_path, ["bind", "--resume", str(journal), "--yes", *at], capsys)
        assert code == 0
        clean(text + journal.read_text(), "resumed")
        main(["bind", "--resume", str(tmp_path / "config"), *at])  # the kubeconfig itself is no journal
        clean("".join(capsys.readouterr()), "no journal")


def test_what_is_to_be_created_is_in_no_plan_and_no_journal_and_told_to_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor is the configuration, which may hold the key of an extender and what its URL needs."""
    journal, plan, manifest, config = (tmp_path / name for name in ("journal", "plan", "m.json", "config.yaml"))
    config.write_text(CONFIG)
    alone = secret_pod("alone")
    alone["spec"]["schedulerName"] = "kplan"
    manifest.write_text(json.dumps([alone, secret("t"), config_map("c")]))
    with FakeServer(Bound(*planted())) as server:
        at = ["--kubeconfig", kubeconfig_for(server.url, tmp_path, USER), "--accept-doubt", "all"]
        create = ["bind", "-f", str(manifest), "--create", "--config", str(config), *at]
        main([*create, "--save-plan", str(plan)])
        clean("".join(capsys.readouterr()), "plan shown")
        code, text = told(tmp_path, [*create, "--apply", "--yes", "--journal", str(journal)], capsys)
        clean(text, code)
        assert "created" in text
        journal.write_text("".join(f"{line}\n" for line in journal.read_text().splitlines()[:2]))
        clean(told(tmp_path, ["bind", "--resume", str(journal), "--yes", *at], capsys)[1], "resumed")
    for file in (plan, journal):
        clean(file.read_text(), file.name)
        assert base64.b64encode(KEY.encode()).decode() not in file.read_text()
        assert mode(file) == 0o600


def test_a_snapshot_of_that_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, names = tmp_path / "s.json", tmp_path / "names.json"
    with FakeServer(Bound(*planted())) as server:
        at = ["--kubeconfig", kubeconfig_for(server.url, tmp_path, USER), "--debug"]
        assert main(["snapshot", str(out), *at]) == 0
        clean(out.read_text() + "".join(capsys.readouterr()), "plain")
        assert main(["snapshot", str(out), "--redact", "--redact-map", str(names), *at]) == 0
        clean(out.read_text() + names.read_text() + "".join(capsys.readouterr()), "redacted")
    assert "one" not in {item["metadata"]["name"] for item in json.loads(out.read_text())["items"]}
