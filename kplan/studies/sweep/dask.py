"""Workers of a Dask cluster: the only module that knows of Dask, which is imported when a crew is made.

Scenarios go through ``Client.get_executor()``, so that they are carried out as on this machine. The base is a task of
its own that every scenario depends on, and not scattered data: if the workers that hold it die, the scheduler gives it
to another. A scenario whose worker dies is given to another one by the scheduler.
"""

from __future__ import annotations

import platform
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from kplan import __version__
from kplan.errors import UsageError
from kplan.studies.sweep.base import PackedBase

if TYPE_CHECKING:
    from concurrent.futures import Executor

CONNECT = 10
"""Seconds in which a scheduler has to answer."""
WORKERS = 60
"""Seconds in which the first worker has to be there."""
_AHEAD = 2
"""Batches for each worker: the next one is there when it is done with one."""
_COUNTED = 5.0
"""Seconds after which workers are counted again."""
_LARGEST = "4GB"


class DaskWorkers:
    """A crew of the workers of a Dask cluster.

    Args:
        address: of the scheduler, ``tcp://10.0.0.1:8786``, or a scheduler file.
        packed: the base.

    Raises:
        UsageError: Dask is not installed, no scheduler answers, or workers are none or of another version.
    """

    def __init__(self, address: str, packed: PackedBase) -> None:
        try:
            import dask
            import distributed
        except ImportError as error:
            raise UsageError(
                "--dask needs the distributed package, which is not installed",
                code="no-dask",
                hint="pip install 'kplan[dask]'",
            ) from error
        self.deaths: tuple[type[BaseException], ...] = (distributed.KilledWorker,)
        where: dict[str, Any] = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
        try:
            self._client: Any = distributed.Client(**where, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--dask {address}: no scheduler answers",
                code="no-scheduler",
                hint="start one: dask scheduler; and workers: dask worker ADDRESS",
            ) from error
        try:
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGEST}):
                # a fixed key: the workers keep it from one sweep of this base to the next while one is under way
                self.base = self._client.submit(_same, packed, key=f"kplan-{packed.digest}")
            self._see_workers(address, distributed)
            self.executor: Executor = self._client.get_executor(pure=False)
        except BaseException:
            self._client.close()
            raise
        self._workers = 0
        self._asked = 0.0

    def _see_workers(self, address: str, distributed: Any) -> None:
        """Wait for a worker, and look whether all of them have this kplan."""
        try:
            self._client.wait_for_workers(1, timeout=WORKERS)
        except (TimeoutError, distributed.TimeoutError) as error:
            raise UsageError(
                f"--dask {address}: it has no worker", code="no-worker", hint=f"start some: dask worker {address}"
            ) from error
        mine = installed()
        for worker, theirs in self._client.run(installed, on_error="return").items():
            if isinstance(theirs, Exception):
                raise UsageError(
                    f"worker {worker} cannot use kplan: {theirs}",
                    code="other-kplan",
                    hint=f"pip install 'kplan[dask]=={__version__}' on every worker",
                )
            if theirs != mine:
                raise UsageError(
                    f"worker {worker} has {theirs}, and this is {mine}",
                    code="other-kplan",
                    hint="install the same on every worker: what is sent to them is read by the same version alone",
                )

    @property
    def width(self) -> int:
        """See Crew: workers come and go."""
        if not self._workers or monotonic() - self._asked > _COUNTED:
            self._workers, self._asked = max(1, len(self._client.nthreads())), monotonic()
        return self._workers * _AHEAD

    def renew(self) -> None:
        """See Crew: the cluster sees to it itself."""

    def close(self) -> None:
        """See Crew."""
        self.executor.shutdown(wait=False)
        self._client.close()


def installed() -> str:
    """What is installed here: ``kplan 1.0, Python 3.12``."""
    return ", ".join((f"kplan {__version__}", f"Python {'.'.join(platform.python_version_tuple()[:2])}"))


def _same(packed: PackedBase) -> PackedBase:
    return packed
