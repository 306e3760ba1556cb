"""Keys that a map in YAML has twice: kubectl takes the last and says nothing.

Source: YAMLToJSONDecoder.Decode in apimachinery v0.37.2 pkg/util/yaml/decoder.go, which is not the strict one.
"""

from collections.abc import Iterator

from msgspec import Struct, field
from yaml import events

from kplan.sources.fit import Path
from kplan.sources.yaml_events import event_stream

_MERGE = "<<"


class _Open(Struct):
    """A map or list that is being read.

    Attributes:
        keys: of a map, so far; None for a list.
        step: key or index of what comes next or last.
        key_next: whether a key of a map comes next.
    """

    keys: set[str] | None
    step: str | int = -1
    key_next: bool = True
    inside: Path = field(default=())


def repeated_keys(text: str) -> Iterator[tuple[Path, int]]:
    """Find the keys that stand in their map a second time.

    Args:
        text: what begins with a value in YAML; what follows it is not read.

    Yields:
        path of the key, and its 0-based line.
    """
    around: list[_Open] = []
    for event in event_stream(text):
        kind = type(event)
        if kind in (events.MappingEndEvent, events.SequenceEndEvent):
            around.pop()
            if not around:
                return
            around[-1].key_next = True
            continue
        if kind not in (events.ScalarEvent, events.AliasEvent, events.MappingStartEvent, events.SequenceStartEvent):
            continue
        inner = around[-1] if around else None
        if inner is not None and inner.keys is not None and inner.key_next:
            key = str(getattr(event, "value", ""))
            if key in inner.keys and key != _MERGE:
                yield (*inner.inside, key), event.start_mark.line
            inner.keys.add(key)
            inner.step, inner.key_next = key, False
            continue
        if inner is not None and inner.keys is None:
            inner.step = int(inner.step) + 1
        if kind in (events.MappingStartEvent, events.SequenceStartEvent):
            inside = (*inner.inside, inner.step) if inner is not None else ()
            around.append(_Open(set() if kind is events.MappingStartEvent else None, inside=inside))
        elif inner is None:
            return
        else:
            inner.key_next = True
