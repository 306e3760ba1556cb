"""MessagePack as JSON, for the one tool that writes it: SimKube."""

import msgspec

_BEGINS = b"\xa7version"
"""A map whose first key is ``version``, after the byte that says how many keys there are."""
_KEPT = ("version", "events")


def is_trace(data: bytes) -> bool:
    """Tell whether this is a trace of SimKube; no text in UTF-8 begins so."""
    return len(data) > len(_BEGINS) and 0x80 <= data[0] <= 0x8F and data.startswith(_BEGINS, 1)


def as_json(data: bytes) -> bytes:
    """Write a trace as JSON: its version and events, nothing of what its pods lived through.

    Raises:
        ValueError: it is cut off, or no trace after all.
    """
    try:
        trace = msgspec.msgpack.decode(data)
        return msgspec.json.encode({name: trace[name] for name in _KEPT})
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise ValueError(str(error)) from None
