"""``-l``: label selectors as kubectl reads them."""

import re

from kplan.errors import UsageError
from kplan.objects.models import LabelSelector, LabelSelectorRequirement
from kplan.objects.selectors import Selector, compile_selector

_PART = re.compile(
    r"\s*(?:(?P<key>[\w./-]+)\s+(?P<set>in|notin)\s*\((?P<values>[^)]*)\)"
    r"|(?P<name>[\w./-]+)\s*(?P<operator>==|=|!=)\s*(?P<value>[\w.-]*)"
    r"|(?P<absent>!)?\s*(?P<has>[\w./-]+))\s*(?:,|$)"
)


def parse_selector(text: str) -> Selector | None:
    """Read ``app=web,tier in (a, b),!old``; None for an empty text.

    Raises:
        UsageError: the text is no selector.
    """
    if not text:
        return None
    terms: list[LabelSelectorRequirement] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            raise UsageError(f"-l {text}: not a label selector", code="bad-selector", hint="write a=b,c!=d,e in (f, g)")
        at = match.end()
        if match["set"]:
            values = [value.strip() for value in match["values"].split(",")]
            operator = "In" if match["set"] == "in" else "NotIn"
            terms.append(LabelSelectorRequirement(key=match["key"], operator=operator, values=values))
        elif match["operator"]:
            operator = "NotIn" if match["operator"] == "!=" else "In"
            terms.append(LabelSelectorRequirement(key=match["name"], operator=operator, values=[match["value"]]))
        else:
            terms.append(
                LabelSelectorRequirement(key=match["has"], operator="DoesNotExist" if match["absent"] else "Exists")
            )
    return compile_selector(LabelSelector(match_expressions=terms))
