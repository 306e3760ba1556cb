"""Secrets in files that are misread: a password that YAML takes for an alias or a tag, a file of another kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from kplan.cli.main import main
from tests.hostile.test_secrets import DEMO, TEXT, clean

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: "
POD = "apiVersion: v1\nkind: Pod\nmetadata: "
MISREAD = {
    "an alias": f"{SECRET}*{TEXT}\n",
    "a tag": f"{SECRET}!{TEXT}\n",
    "a tag with a handle": f"{SECRET}!{TEXT}!x y\n",
    "a tag of YAML": f"{SECRET}!!{TEXT} x\n",
    "two anchors": f"{SECRET}&{TEXT} &{TEXT} x\n",
    "an anchor twice": f"a: &{TEXT} 1\nb: &{TEXT} 2\n",
    "a text that does not end": f'{SECRET}"{TEXT}\n',
    "an escape that is none": f'{SECRET}"\\q{TEXT}"\n',
    "two colons": f"{SECRET}{TEXT}: x: y\n",
    "a tab": f"{SECRET}\n\t{TEXT}\n",
    "a block": f"{SECRET}|9x {TEXT}\n",
    "a directive": f"%{TEXT}\n---\n{SECRET}x\n",
    "an environment": f"PASSWORD={TEXT}\n",
    "a list": f"[{TEXT}]\n",
    "elements": f"apiVersion: v1\nkind: List\nitems: [{TEXT}]\n",
    "JSON without an end": '{"kind":"Secret","data":{"a":"' + TEXT,
    "data": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\ndata: {TEXT}\n",
    "annotations": f"{POD}{{name: s, annotations: {TEXT}}}\nspec: {{containers: [{{name: c}}]}}\n",
    "an environment of a container": f"{POD}{{name: s}}\nspec: {{containers: [{{name: c, env: [{TEXT}]}}]}}\n",
    "containers": f"{POD}{{name: s}}\nspec: {{containers: [{TEXT}]}}\n",
    "a template": f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: s}}\nspec: {{template: {TEXT}}}\n",
}
READ = ["--snapshot", str(DEMO)]
COMMANDS = {
    "a manifest": ["check", "{}", *READ],
    "a manifest that is created": ["bind", "-f", "{}", "--create", *READ],
    "a cluster": ["nodes", "--snapshot", "{}"],
    "a scenario": ["simulate", "--scenario", "{}", *READ],
    "a configuration": ["nodes", "--config", "{}", *READ],
    "rules": ["check", str(DEMO), "--policy", "{}", *READ],
    "a kubeconfig": ["nodes", "--kubeconfig", "{}"],
    "a plan": ["bind", "--plan", "{}"],
    "a journal": ["bind", "--resume", "{}"],
    "a baseline": ["check", str(DEMO), "--baseline", "{}", *READ],
    "settings": ["nodes", *READ],
}


@pytest.mark.parametrize("case", MISREAD)
def test_what_is_misread_is_told_by_its_place_and_not_by_what_it_says(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for what, words in COMMANDS.items():
        file = Path(".kplan.yaml" if what == "settings" else "file")
        file.write_text(MISREAD[case])
        assert main([word.format(file) for word in words]) != 70, what
        told = "".join(capsys.readouterr())
        clean(told, what)
        assert told
