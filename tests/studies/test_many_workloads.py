"""Room for thousands of workloads at once: the cluster is looked through once for all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kplan.cli.main import main
from kplan.cluster import tables
from kplan.course.capacity import supply
from tests.hostile.compact import a_node, made

MANY = 30


def test_pods_and_objects_are_looked_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    looked: list[int] = []
    placed: list[int] = []
    by_workload, place_of = supply.pods_by_workload, tables.place_of
    monkeypatch.setattr(supply, "pods_by_workload", lambda cluster: (looked.append(1), by_workload(cluster))[1])
    monkeypatch.setattr(supply, "find_workload", lambda *given: pytest.fail("each is looked for"))
    monkeypatch.setattr(tables, "place_of", lambda key: (placed.append(1), place_of(key))[1])
    items: list[dict[str, Any]] = []
    for number in range(MANY):
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}
        labels = {"app": f"w{number}"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        items.append(made("Deployment", f"w-{number}", "apps/v1", namespace="d", spec=spec))
    lands, there = tmp_path / "lands.json", tmp_path / "there.json"
    lands.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    there.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [a_node(0)]}))
    main(["capacity", str(lands), "--snapshot", str(there), "-o", "json"])
    told = json.loads(capsys.readouterr().out)
    # eight cores hold two sets of thirty tenths
    assert told["sets"] == 2
    assert looked == [1]
    assert len(placed) <= 30 * MANY, "each is put behind those before it, in each of some plans"
