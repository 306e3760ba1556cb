"""A record: one object of a file with the kind it says it is, decoded to its model or found broken."""

import msgspec
from msgspec import Struct

from kplan.errors import SourceError
from kplan.objects.kinds import Kind, begun
from kplan.objects.models import Object
from kplan.objects.scopes import of_the_cluster
from kplan.objects.state import BrokenObject
from kplan.sources import old_forms
from kplan.sources.checks import check
from kplan.sources.conversions import converted
from kplan.sources.fit import Misfit, Path, fit, write_path
from kplan.sources.nodes import TextNode


class Record(Struct):
    """One object as read.

    Attributes:
        api_version: as written, or of the list it was in; empty if neither says.
        kind: as written, or of the list it was in; empty if neither says.
        node: the object in its text.
        file: name of the file or stream.
    """

    api_version: str
    kind: str
    node: TextNode
    file: str

    def typed(self, kind: Kind) -> Object:
        """Decode to the model of a kind, check quantities, integers and times, and convert it from an old version.

        Raises:
            Misfit: what does not fit, with its path in the object.
        """
        if old_forms.changes(self.api_version, kind.name):
            return self._of_old_form(kind)
        try:
            item = self.node.typed(kind.model)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            item = fit(self.node.value(), kind.model)
        check(item)
        return converted(self.api_version, item, self.node)

    def _of_old_form(self, kind: Kind) -> Object:
        try:
            item = fit(old_forms.present_form(self.api_version, kind.name, self.node.value()), kind.model)
            check(item)
        except Misfit as misfit:
            raise Misfit(misfit.problem, old_forms.old_path(misfit.path, kind.name)) from None
        return item

    def place(self, path: Path = ()) -> str:
        """Write where a part of it is: ``file:line:column: path``."""
        line, column = self.node.at(path)
        return SourceError("", file=self.file, line=line, column=column, path=write_path(path)).place

    def broken(self, problem: str, path: Path = ()) -> BrokenObject:
        """Say what is wrong with it, and where."""
        return BrokenObject(self.kind, self.key, self.place(path), problem)

    def cut(self) -> BrokenObject | None:
        """Say that an object of an unknown kind was cut off: it ends in the middle of the name of a kind that is."""
        kind = begun(self.api_version, self.kind)
        if kind is None or "metadata" in self.node.fields():
            return None
        return self.broken(f"it ends in the middle of its kind, {kind.name} perhaps: was the file cut off?", ("kind",))

    @property
    def key(self) -> str:
        """``namespace/name``, as far as it is written; the name alone for what has no namespace."""
        written = self.node.fields().get("metadata")
        meta = written.value() if written is not None else None
        if not isinstance(meta, dict):
            return ""
        space = "" if of_the_cluster(self.api_version, self.kind) else meta.get("namespace")
        parts = (space, meta.get("name") or meta.get("generateName"))
        return "/".join(part for part in parts if isinstance(part, str) and part)
