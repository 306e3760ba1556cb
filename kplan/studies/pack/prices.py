"""Prices of nodes, read from a list: by instance type, and by zone and capacity type where the list tells them apart.

instanceType,zone,capacityType,pricePerHour
m6i.xlarge,,on-demand,0.192
m6i.xlarge,eu-west-1a,spot,0.071
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from kplan.errors import SourceError
from kplan.objects.models import Node
from kplan.objects.well_known import ZONES
from kplan.sources.opening import load, unreadable
from kplan.studies.usage import INSTANCE_TYPES

HOURS = 730
"""Hours of a month, as clouds count them."""
_TYPE = ("instancetype", "instance", "type", "machinetype", "vmsize", "sku", "name")
_ZONE = ("zone", "availabilityzone", "az", "region", "location")
_CAPACITY = ("capacitytype", "capacity", "lifecycle", "purchaseoption", "priceclass")
_HOUR = ("priceperhour", "hourly", "hourlyprice", "price", "usd", "usdperhour", "ondemand", "cost")
_MONTH = ("pricepermonth", "monthly", "monthlyprice")
_CAPACITY_LABELS = (
    "karpenter.sh/capacity-type",
    "eks.amazonaws.com/capacityType",
    "kubernetes.azure.com/scalesetpriority",
)
_SPOT_LABELS = ("cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible")
_SAME = {"ondemand": "ondemand", "regular": "ondemand", "standard": "ondemand", "": "", "preemptible": "spot"}


class Prices(Struct, frozen=True):
    """Prices a month by instance type, zone and capacity type; empty texts stand for any.

    Attributes:
        rows: the list.
        file: where it is from.
    """

    rows: Mapping[tuple[str, str, str], float]
    file: str = ""

    def of(self, node: Node) -> float | None:
        """Price of a node a month, by the row that tells most of it; None where no row is about it."""
        kind, zone, capacity = _label(node, INSTANCE_TYPES), _label(node, ZONES), _capacity(node)
        regions = [zone[:size] for size in range(len(zone), 0, -1)] if zone else []
        for where in (*regions, ""):
            for how in dict.fromkeys((capacity, "" if capacity else "ondemand", "")):
                price = self.rows.get((kind, where, how))
                if price is not None:
                    return price
        return None


def load_prices(file: str) -> Prices:
    """Read a list of prices: CSV with a line of heads, or JSON: a list of mappings.

    Raises:
        SourceError: the file cannot be read, or is no list of prices.
    """
    try:
        text = load(file).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(error, file) from error
    rows: dict[tuple[str, str, str], float] = {}
    for number, row in enumerate(_rows(text, file), 1):
        plain = {"".join(filter(str.isalnum, key.lower())): value for key, value in row.items() if key}
        kind, price = _first(plain, _TYPE), _price(plain)
        if not kind or price is None:
            raise SourceError(
                f"row {number} has no instance type and price",
                file=file,
                code="bad-prices",
                hint=(__doc__ or "").partition("\n\n")[2].strip(),
            )
        key = (kind, _first(plain, _ZONE), _plain_capacity(_first(plain, _CAPACITY)))
        rows[key] = price
    if not rows:
        raise SourceError("no prices", file=file, code="bad-prices")
    return Prices(rows, file)


def _rows(text: str, file: str) -> list[dict[str, str]]:
    if text.lstrip().startswith(("[", "{")):
        import json

        try:
            document = json.loads(text)
        except ValueError as error:
            raise SourceError(f"not valid JSON: {error}", file=file, code="bad-prices") from error
        except RecursionError:
            raise SourceError("not valid JSON: nested too deeply", file=file, code="bad-prices") from None
        listed = (
            next((value for value in document.values() if isinstance(value, list)), [])
            if isinstance(document, dict)
            else document
        )
        return [{str(key): str(value) for key, value in row.items()} for row in listed if isinstance(row, dict)]
    try:
        return list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise SourceError(f"not valid CSV: {error}", file=file, code="bad-prices") from error


def _first(row: Mapping[str, str], names: Sequence[str]) -> str:
    return next((row[name].strip() for name in names if row.get(name)), "")


def _price(row: Mapping[str, str]) -> float | None:
    """A price a month, of one an hour or a month."""
    for names, hours in ((_HOUR, HOURS), (_MONTH, 1)):
        text = _first(row, names).lstrip("$").replace(",", "")
        try:
            price = float(text) * hours
        except ValueError:
            continue
        return price if math.isfinite(price) else None
    return None


def _label(node: Node, names: Sequence[str]) -> str:
    return next((node.labels[name] for name in names if name in node.labels), "")


def _capacity(node: Node) -> str:
    if any(node.labels.get(name) == "true" for name in _SPOT_LABELS):
        return "spot"
    return _plain_capacity(_label(node, _CAPACITY_LABELS))


def _plain_capacity(text: str) -> str:
    plain = "".join(filter(str.isalnum, text.lower()))
    return _SAME.get(plain, plain)
