"""Reading a cluster: every kind once, several at a time, nodes before pods."""

import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import msgspec

from kplan.errors import LiveError
from kplan.objects.kinds import KINDS, Kind
from kplan.objects.state import ClusterState, Completeness
from kplan.sources.live.connection import Connection, connect
from kplan.sources.live.failures import Answer
from kplan.sources.live.lists import PAGE, Listing, Progress, list_kind
from kplan.sources.live.scheduler import LiveScheduler, find_scheduler
from kplan.sources.load import collector_paused

_AT_ONCE = 6
"""Lists read at the same time."""

_VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+\S*")


class _ServerVersion(msgspec.Struct, rename="camel"):
    git_version: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a cluster.

    Attributes:
        state: its objects.
        scheduler: what is known of its scheduler.
        resource_versions: of the list of each kind, by plural; they tell the moment each was taken.
    """

    state: ClusterState
    scheduler: LiveScheduler
    resource_versions: Mapping[str, str]


def load(
    context: str = "",
    kubeconfig: str = "",
    *,
    qps: float = 50,
    burst: int = 100,
    timeout: float = 60,
    progress: Progress | None = None,
) -> ClusterState:
    """Read the objects of a live cluster; see ``read``."""
    return read(context, kubeconfig, qps=qps, burst=burst, timeout=timeout, progress=progress).state


def read(
    context: str = "",
    kubeconfig: str = "",
    *,
    qps: float = 50,
    burst: int = 100,
    timeout: float = 60,
    progress: Progress | None = None,
    page: int = PAGE,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Reading:
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
            reason: it is absent, and a note says what that means.
    """
    connection = connect(context, kubeconfig, qps=qps, burst=burst, timeout=timeout)
    try:
        with collector_paused():
            return _read(connection, progress or (lambda plural, count, total: None), page, now)
    finally:
        connection.close()


def _read(connection: Connection, progress: Progress, page: int, now: Callable[[], datetime]) -> Reading:
    version = _server_version(connection)
    taken = now().strftime("%Y-%m-%dT%H:%M:%SZ")
    listings, scheduler = _lists(connection, progress, page)
    if all(listing.missing for listing in listings):
        raise LiveError(
            f"context {connection.context} may read nothing that scheduling depends on",
            code="forbidden",
            hint="kplan snapshot --print-rbac prints a ClusterRole that suffices",
        )
    state = _state(listings, source=connection.context, server_version=version, taken=taken)
    versions = {listing.kind.plural: listing.resource_version for listing in listings if not listing.missing}
    return Reading(state, scheduler, versions)


def _lists(connection: Connection, progress: Progress, page: int) -> tuple[list[Listing], LiveScheduler]:
    """Read every kind. Pods wait for nodes, so that no pod sits on a node that the list does not have yet."""
    nodes, pods, *others = KINDS
    assert (nodes.name, pods.name) == ("Node", "Pod")
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="list") as pool:
        first = pool.submit(list_kind, connection, nodes, progress, page=page)

        def after_nodes(kind: Kind) -> Listing:
            first.result()
            return list_kind(connection, kind, progress, page=page)

        lists: list[Future[Listing]] = [first, pool.submit(after_nodes, pods)]
        lists += [pool.submit(list_kind, connection, kind, progress, page=page) for kind in others]
        scheduler = pool.submit(find_scheduler, connection)
        everything: list[Future[Any]] = [*lists, scheduler]
        done, _ = wait(everything, return_when=FIRST_EXCEPTION)
        problem = next((error for future in done if (error := future.exception())), None)
        if problem is not None:
            pool.shutdown(wait=False, cancel_futures=True)
            connection.close()  # the others end with their next request
            raise problem
        return [future.result() for future in lists], scheduler.result()


def _server_version(connection: Connection) -> str:
    """Ask for the version first: it needs no rights, so that whatever goes wrong here is about the connection."""
    try:
        body = connection.get("/version", what="asking for its version")
        version = msgspec.json.decode(body, type=_ServerVersion).git_version
    except Answer as answer:
        if answer.status == 403:
            return ""
        raise
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise LiveError(
            f"{connection.server} does not answer like a Kubernetes API server",
            code="bad-answer",
            hint="is it the URL of a login page or a proxy? check it in the kubeconfig",
        ) from None
    found = _VERSION.match(version)
    return found[0] if found else version


def _state(listings: Iterable[Listing], **about: str) -> ClusterState:
    """Put the kinds together; one that may not be read is absent, which is not the same as empty."""
    read_ones = [listing for listing in listings if not listing.missing]
    parts = [listing.collector.state("") for listing in read_ones]
    known = [part.completeness for part in parts]
    notes = [listing.missing for listing in listings if listing.missing]
    notes.append(_moments(read_ones))
    completeness = Completeness(
        counts=dict(chain.from_iterable(one.counts.items() for one in known)),
        unknown=dict(chain.from_iterable(one.unknown.items() for one in known)),
        broken=tuple(chain.from_iterable(one.broken for one in known)),
        notes=(*chain.from_iterable(one.notes for one in known), *notes),
    )
    objects = chain.from_iterable(part.objects() for part in parts)
    return ClusterState.of(objects, completeness=completeness, **about)


def _moments(listings: Iterable[Listing]) -> str:
    """Say of which moment each list is, those of the same one together."""
    by_version: dict[str, list[str]] = {}
    for listing in listings:
        by_version.setdefault(listing.resource_version, []).append(listing.kind.plural)
    if len(by_version) == 1:
        return f"all lists are of resourceVersion {next(iter(by_version))}"
    shown = "; ".join(f"{version} {', '.join(plurals)}" for version, plurals in by_version.items())
    return f"lists by resourceVersion: {shown}"
