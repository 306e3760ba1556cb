"""Creating the objects of manifests, in order, before the pods that need them are bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from kplan.bind.run.arrivals import Arrivals
from kplan.bind.run.live import LiveCluster
from kplan.bind.run.perform import HeldBack, Performer, is_done
from kplan.bind.run.reread import model_of
from kplan.bind.wire.resources import AWAITED, attribute_of
from kplan.bind.wire.writes import ServerFinding, create
from kplan.objects.kinds import find
from kplan.result.document_bind import BindObject, CreatedObject


class Creating(Struct):
    """Objects of manifests on their way.

    Attributes:
        objects: in the order in which they are created.
        performer: carries the writes out.
        live: the cluster, which takes them in.
        arrivals: told whose controllers make pods.
        run: name of the run.
        results: what became of each, by name.
        problem: why one was not created, and those after it neither; None if all went well.
    """

    objects: Sequence[BindObject]
    performer: Performer
    live: LiveCluster
    arrivals: Arrivals
    run: str
    results: dict[str, CreatedObject] = field(default_factory=dict)
    problem: HeldBack | None = None

    def go(self) -> None:
        """Create what is not there; one that is refused leaves those after it uncreated.

        Raises:
            LiveError: the server does not answer.
            Stopped: it was asked to stop.
        """
        for item in self.objects:
            self.performer.client.stop.check()
            try:
                self._settle(item, "there" if item.manifest is None else self._create(item, item.manifest))
            except HeldBack as problem:
                self.hold(item.object, problem)
                return

    def look(self) -> None:
        """Find out what is there of what the run created before; nothing is created.

        Raises:
            LiveError: the server does not answer.
        """
        for item in self.objects:
            if item.manifest is None:
                self._settle(item, "there")
            elif create(item.manifest, self.run).ask(self.performer.client).finding is ServerFinding.DONE:
                self._settle(item, "created")

    def hold(self, name: str, problem: HeldBack) -> None:
        """Note why an object is not created."""
        self.problem = HeldBack(f"{name} was not created: {problem.message}", code="not-created")
        self.results[name] = CreatedObject(object=name, result="held-back", code=problem.code, text=problem.message)

    def is_created(self, owner: str) -> bool:
        """Whether an object is there by now."""
        creation = self.results.get(owner)
        return creation is not None and creation.result in ("created", "there")

    def told(self) -> tuple[CreatedObject, ...]:
        """What became of each object."""
        not_tried = (CreatedObject(object=item.object, result="not-tried") for item in self.objects)
        return tuple(self.results.get(item.object, item) for item in not_tried)

    def _create(self, item: BindObject, manifest: dict[str, Any]) -> str:
        """Create one object unless it is there; whether this run created it."""
        client = self.performer.client
        write = create(manifest, self.run)
        if not is_done(write.ask(client)):
            self.performer.carry_out(write)
        path = f"{write.path}/{manifest['metadata']['name']}"
        raw = client.found(path, what=f"reading {item.object}")
        if raw is None:
            raise HeldBack("it was deleted as soon as it was created", code="deleted")
        attribute, kind = attribute_of(item.api_version, item.kind), find(item.api_version, item.kind)
        if attribute and kind is not None:
            self.live.put(attribute, model_of(raw, kind.model))
        if item.kind in AWAITED:
            self.arrivals.made(item.object, raw["metadata"]["uid"], path)
        managers = {entry.get("manager") for entry in raw["metadata"].get("managedFields") or ()}
        return "created" if write.query["fieldManager"] in managers else "there"

    def _settle(self, item: BindObject, result: str) -> None:
        self.results[item.object] = CreatedObject(object=item.object, result=result)
