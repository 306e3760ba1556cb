"""Reading a cluster: every kind once, several at a time, nodes before pods."""

import re
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct

from kplan.errors import LiveError
from kplan.objects.kinds import KINDS, Kind
from kplan.objects.models import Object
from kplan.objects.state import ClusterState, Completeness, KnownScheduler
from kplan.sources.json_nodes import prepare
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.discovery import served
from kplan.sources.live.failures import ServerAnswer
from kplan.sources.live.lists import PAGE, Listing, Progress, list_kind
from kplan.sources.live.scheduler import find_scheduler
from kplan.sources.loading import collector_paused

_AT_ONCE = 6
"""Lists read at the same time."""

_VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+\S*")
_MEANS_NOTHING = "no verdict depends on them"
_MEANS_FOR_MANIFESTS = {
    "ResourceQuota": "what a quota would refuse is not known",
    "LimitRange": "what they would add or refuse is not known",
    "RuntimeClass": "their overhead and node selectors are not known",
}
"""What it means that a kind was not read by which an API server judges manifests."""

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


class _ServerVersion(msgspec.Struct, rename="camel"):
    git_version: str = ""


class Lists(Struct, frozen=True):
    """Lists of every kind, and what else a cluster says of itself.

    Attributes:
        listings: in the order of KINDS.
        context: name of the context.
        version: of the server; empty if it does not tell.
        time: when reading began, RFC 3339.
        scheduler: what is known of its scheduler.
    """

    listings: tuple[Listing, ...]
    context: str
    version: str
    time: str
    scheduler: KnownScheduler


def read(
    context: str = "",
    kubeconfig: str = "",
    *,
    qps: float = 50,
    burst: int = 100,
    timeout: float = 60,
    progress: Progress | None = None,
    page: int = PAGE,
    now: Clock = utc_now,
) -> ClusterState:
    """Read a live cluster.

    Args:
        context: name of a context; the current one if empty.
        kubeconfig: a file; as kubectl finds it if empty.
        qps: requests a second; 0 for no limit.
        burst: requests at once.
        timeout: seconds to wait for an answer.
        progress: told of each page that was read; called from several threads.
        page: objects a page.
        now: clock.

    Raises:
        UsageError: no such context, or no kubeconfig.
        LiveError: no answer, no access at all, or an answer that is no list. A kind that may not be read is no
            reason: it is absent, and ``completeness.absences`` says what that means.
    """
    connection = connect(context, kubeconfig, qps=qps, burst=burst, timeout=timeout)
    try:
        taken = take(connection, progress, page=page, now=now)
        with collector_paused():
            parts = [(listing, listing.collector.state("")) for listing in taken.listings]
            objects = chain.from_iterable(part.objects() for _, part in parts)
            return state_of(taken, objects, completeness_of((listing, part.completeness) for listing, part in parts))
    finally:
        connection.close()


def take(connection: Connection, progress: Progress | None = None, *, page: int = PAGE, now: Clock = utc_now) -> Lists:
    """Read every kind over a connection, which stays open; see ``read``.

    Raises:
        LiveError: as ``read``.
    """
    with collector_paused():
        version = _server_version(connection)
        time = timestamp(now())
        prepare(kind.model for kind in KINDS)
        listings, scheduler = _lists(connection, progress or (lambda plural, count, total: None), page)
    if all(listing.missing or not listing.resource_version for listing in listings):
        raise LiveError(
            f"context {connection.context} may read nothing that scheduling depends on",
            code="forbidden",
            hint="kplan snapshot --print-rbac prints a ClusterRole that suffices",
        )
    return Lists(tuple(listings), connection.context, version, time, scheduler)


def timestamp(moment: datetime) -> str:
    """Write a time as Kubernetes does."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def state_of(taken: Lists, objects: Iterable[Object], completeness: Completeness, time: str = "") -> ClusterState:
    """Make the state of a cluster.

    Args:
        taken: what the cluster says of itself.
        objects: its objects.
        completeness: what was read and what not.
        time: of which the state is, RFC 3339; that of reading if empty.
    """
    return ClusterState.of(
        objects,
        source=taken.context,
        server_version=taken.version,
        taken=time or taken.time,
        completeness=completeness,
        scheduler=taken.scheduler,
    )


def completeness_of(parts: Iterable[tuple[Listing, Completeness]]) -> Completeness:
    """Say what was read: a kind that may not be read is absent, which is not the same as empty."""
    pairs = list(parts)
    known = [part for listing, part in pairs if not listing.missing]
    missing = [listing for listing, _ in pairs if listing.missing]
    return Completeness(
        counts=dict(chain.from_iterable(completeness.counts.items() for completeness in known)),
        unknown=dict(chain.from_iterable(completeness.unknown.items() for completeness in known)),
        broken=tuple(chain.from_iterable(completeness.broken for completeness in known)),
        notes=tuple(chain.from_iterable(completeness.notes for completeness in known)),
        absences={listing.kind.name: f"{listing.missing}: {_meaning(listing.kind)}" for listing in missing},
        versions={listing.kind.name: listing.resource_version for listing, _ in pairs if listing.resource_version},
    )


def _meaning(kind: Kind) -> str:
    return kind.absence or _MEANS_FOR_MANIFESTS.get(kind.name, _MEANS_NOTHING)


def _lists(connection: Connection, progress: Progress, page: int) -> tuple[list[Listing], KnownScheduler]:
    """Read every kind. Pods wait for nodes, so that no pod sits on a node that the list does not have yet."""
    nodes, pods, *others = KINDS
    assert (nodes.name, pods.name) == ("Node", "Pod")
    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="list")
    first = pool.submit(list_kind, connection, nodes, progress, page=page)
    versions = pool.submit(served, connection, KINDS)

    def after_nodes(kind: Kind) -> Listing:
        first.result()
        return list_kind(connection, kind, progress, page=page)

    def in_its_version(kind: Kind) -> Listing:
        api_version = versions.result().get(kind.name) if not kind.everywhere else None
        return list_kind(connection, kind, progress, api_version=api_version, page=page)

    lists: list[Future[Listing]] = [first, pool.submit(after_nodes, pods)]
    lists += [pool.submit(in_its_version, kind) for kind in others]
    scheduler = pool.submit(find_scheduler, connection)
    try:
        _all_done([*lists, scheduler])
    except BaseException:  # also Ctrl-C: the others end with their next request, and nobody waits for the one they made
        connection.close()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [future.result() for future in lists], scheduler.result()


def _all_done(futures: list[Future[Any]]) -> None:
    """Wait for all, or until one fails.

    Raises:
        LiveError: one failed; the first of those, in their order.
    """
    done, _ = wait(futures, return_when=FIRST_EXCEPTION)
    problem = next((error for future in futures if future in done and (error := future.exception())), None)
    if problem is not None:
        raise problem


def _server_version(connection: Connection) -> str:
    """Ask for the version first: it needs no rights, so that whatever goes wrong here is about the connection."""
    try:
        body = connection.get("/version", what="asking for its version")
        version = msgspec.json.decode(body, type=_ServerVersion).git_version
    except ServerAnswer as answer:
        if answer.status == 403:
            return ""
        raise
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise LiveError(
            f"{connection.server} does not answer like a Kubernetes API server",
            code="bad-answer",
            hint="is it the URL of a login page or a proxy? check it in the kubeconfig",
        ) from None
    match = _VERSION.match(version)
    return match[0] if match else version
