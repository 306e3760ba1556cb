"""Text of the devices of nodes: a line a class, a line a pool, and with ``-o wide`` a line a device."""

from __future__ import annotations

from collections import Counter

from kplan.render.heads import heads_of
from kplan.render.text.fitting import Fitting
from kplan.render.text.layout import Page
from kplan.render.text.shared import cause_lines, origin, verdict
from kplan.render.text.style import Style
from kplan.render.text.whatif import goes_on
from kplan.result.document_device_list import DeviceClassTotal, DevicePool
from kplan.result.document_nodes import NodeList
from kplan.words import count, listed

POOLS_SHOWN = 24
_DROPPED: tuple[tuple[str, ...], ...] = ((), ("largest",), ("largest", "used", "unusable"))
"""Columns that are left out of a page that is too narrow, the best first."""
_TO_THE_LEFT = ("class", "free on nodes")


def device_list(document: NodeList, style: Style, rows: int | None = None) -> str:
    """Lay out devices.

    Args:
        document: nodes, with their devices.
        style: how much is shown.
        rows: lines of pools, 0 for all; as fits one screen if None.
    """
    page = style.page()
    devices = document.devices
    assert devices is not None, "devices are asked for"
    verdict(page, "NODES", devices.sentence, document.doubts)
    cause_lines(page, document.because)
    if not goes_on(page, document.what_if, style):
        return page.text()
    _classes(page, devices.classes)
    most = len(devices.pools) if style.wide or rows == 0 else rows or POOLS_SHOWN
    _pools(page, devices.pools[:most], wide=style.wide)
    page.more(len(devices.pools) - most, "pools")
    page.parts("Waiting", devices.notes)
    origin(page, document.origin)
    return page.text()


def _classes(page: Page, classes: dict[str, DeviceClassTotal]) -> None:
    facts = ("devices", "used", "free", "tainted", "blocked", "largest", "pieces", "fragmented")
    titles = ["class", *heads_of(*facts)]
    rows = [
        [
            name,
            f"{total.devices:,}",
            f"{total.used:,}",
            f"{total.free:,}",
            f"{total.tainted:,}",
            f"{total.blocked:,}",
            f"{total.largest:,}",
            ", ".join(f"{nodes:,} with {number:,}" for number, nodes in list(total.pieces.items())[:3]) or "-",
            "-" if total.fragmented is None else f"{total.fragmented}%",
        ]
        for name, total in classes.items()
    ]
    for dropped in _DROPPED:
        kept = [i for i, head in enumerate(titles) if head not in dropped and _told(head, i, rows)]
        told = [titles[i] for i in kept]
        right = [i for i, head in enumerate(told) if head not in _TO_THE_LEFT]
        if not rows or page.table("Classes", told, [[row[i] for i in kept] for row in rows], right):
            break
    else:
        page.parts("Classes", (", ".join(f"{h} {c}" for h, c in zip(titles, row, strict=True)) for row in rows))
    for name, device_class_total in classes.items():
        if device_class_total.error:
            page.part("", f"a selector of {name} fails: {device_class_total.error}")


def _told(head: str, at: int, rows: list[list[str]]) -> bool:
    """Whether a column has anything to say."""
    return head not in ("tainted", "blocked") or any(row[at] != "0" for row in rows)


def _pools(page: Page, pools: tuple[DevicePool, ...], *, wide: bool) -> None:
    heads = ("node", "pool", "driver", "free", "of", "used by") if wide else ("node", "driver", "free", "of", "used by")
    rows = []
    for pool in pools:
        node = pool.node or count(pool.nodes, "node")
        named = [pool.pool] if wide else []
        driver = pool.driver if wide or pool.node else f"{pool.driver} ({pool.pool})"
        rows.append([node, *named, driver, f"{pool.free:,}", f"{len(pool.devices):,}", _users(pool)])
        for device in pool.devices if wide else ():
            who = listed(device.pods) or (f"claim {listed(device.claims)}" if device.claims else "")
            taints = listed(device.taints) if device.state == "tainted" else ""
            text = ", ".join(filter(None, (device.state, who, taints, listed(device.classes))))
            rows.append(["", f"  {device.name}", "", "", "", text])
    at = len(heads)
    if rows and not page.table("Devices", heads, rows, (at - 3, at - 2), fitting=Fitting(names=(0,), wraps=(at - 1,))):
        page.parts("Devices", ("  ".join(row) for row in rows))


def _users(pool: DevicePool) -> str:
    """Who uses devices of a pool, with how many; what keeps others from being free."""
    if pool.problem:
        return pool.problem
    pods: Counter[str] = Counter()
    for device in pool.devices:
        if device.state in ("used", "shared"):
            pods.update(device.pods or [f"claim {claim}" for claim in device.claims])
    told = [f"{name} {number}" if number > 1 else name for name, number in pods.most_common()]
    states = Counter(device.state for device in pool.devices)
    rest = [f"{states[state]} {state}" for state in ("tainted", "blocked") if states[state]]
    return "; ".join(filter(None, (listed(told), *rest))) or "-"
