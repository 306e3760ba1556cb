"""The text of a file, looked at before it is read, to see whether it is written in the API's form."""

import re
from functools import cached_property

import msgspec
from msgspec import Raw

_FIRST_KEY = re.compile(rb'\s*(\[\s*)?\{\s*"([^"\\]{1,64})"\s*:')
_OF_THE_API = frozenset({b"apiVersion", b"kind", b"metadata", b"items", b"spec", b"status"})

_BYTE = re.compile(r"\(byte (\d+)\)")
_fields = msgspec.json.Decoder(dict[str, Raw])


class Text:
    """A text, and the keys its first JSON object has if these are not the API's."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def keys(self) -> frozenset[str]:
        """Top-level keys of the first document, or of the first element of an array; none if it begins as the API's."""
        first = _FIRST_KEY.match(self.data)
        if not first or first[2] in _OF_THE_API:
            return frozenset()
        begin = memoryview(self.data)[first.end(1) if first[1] else 0 :]
        try:
            return frozenset(_fields.decode(begin))
        except msgspec.ValidationError:
            return frozenset()
        except msgspec.DecodeError as error:
            return _of_first(begin, str(error))
        except (RecursionError, UnicodeDecodeError):
            return frozenset()


def _of_first(text: memoryview, error: str) -> frozenset[str]:
    """Cut the text after its first document, or element, where another one follows."""
    more = _BYTE.search(error)
    if "trailing characters" not in error or not more:
        return frozenset()
    try:
        return frozenset(_fields.decode(text[: int(more[1]) - 1]))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return frozenset()
