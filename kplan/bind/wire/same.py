"""Whether an object that is there is what a manifest says: every field that is written is there with that value."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from kplan.errors import QuantityError
from kplan.objects.quantity import nanos

_SET_BY_SERVER = frozenset({"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"})


def first_difference(written: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    """Name the first field that differs; empty if what is written is there.

    What the manifest does not say may be whatever it is: defaults, and what controllers and others have added.

    Args:
        written: an object of a manifest.
        there: the object of its name on the server.
    """
    wanted = {name: value for name, value in written.items() if name != "status"}
    metadata = wanted.get("metadata") or {}
    wanted["metadata"] = {name: value for name, value in metadata.items() if name not in _SET_BY_SERVER}
    wanted.pop("apiVersion", None)  # served in another version, it is the same object
    texts = wanted.pop("stringData", None)  # a Secret's texts are stored as data
    if texts:
        encoded = {name: base64.b64encode(str(text).encode()).decode() for name, text in texts.items()}
        wanted["data"] = {**(wanted.get("data") or {}), **encoded}
    return next(_differences(wanted, there, ""), "")


def _differences(written: Any, there: Any, path: str) -> Iterator[str]:
    """Yield the paths at which what is there is not what is written."""
    if isinstance(written, Mapping) and (isinstance(there, Mapping) or there is None):
        for name, value in written.items():
            if value is not None:
                yield from _differences(value, (there or {}).get(name), f"{path}.{name}" if path else name)
    elif isinstance(written, list) and isinstance(there, list) and len(written) == len(there):
        for number, (value, other) in enumerate(zip(written, there, strict=True)):
            yield from _differences(value, other, f"{path}[{number}]")
    elif not _equal(written, there):
        yield path


def _equal(written: Any, there: Any) -> bool:
    """Whether two values mean the same: nothing is nothing however it is written, quantities are amounts."""
    if written == there or (there is None and written in ("", [], {}, False, 0)):
        return True
    if not all(isinstance(value, str | int | float) and not isinstance(value, bool) for value in (written, there)):
        return False
    try:
        return nanos(written) == nanos(there)
    except QuantityError:
        return False
