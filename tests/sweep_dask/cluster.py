"""A Dask cluster on this machine: a scheduler and workers, each a process of its own, as they are started by hand."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

LOCAL = ("--host", "127.0.0.1", "--no-dashboard")


@dataclass
class DaskCluster:
    """A scheduler, and workers without a nanny: one that is killed stays dead.

    Attributes:
        folder: where they write.
        settings: of Dask, as variables of the environment.
        scheduler: its process.
        workers: theirs.
    """

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def file(self) -> str:
        """File in which the address of the scheduler is."""
        return str(self.folder / "scheduler.json")

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs."""
        number = len(self.workers)
        log = (self.folder / f"{words[0]}-{number}.log").open("wb")
        environment = {**os.environ, **self.settings, "PYTHONPATH": str(Path(__file__).parents[2])}
        argv = [sys.executable, "-m", "dask", *words, *LOCAL, "--scheduler-file", self.file]
        with log:
            return subprocess.Popen(argv, cwd=self.folder, stdout=log, stderr=log, env=environment)

    def add_worker(self) -> None:
        """Start a worker of one thread."""
        local = ("--local-directory", str(self.folder))
        self.workers.append(self.start("worker", "--nthreads", "1", "--no-nanny", *local))

    def stop(self) -> None:
        """End all of them."""
        for process in (*self.workers, *([self.scheduler] if self.scheduler else [])):
            process.send_signal(signal.SIGKILL)
            process.wait()


@contextmanager
def dask_cluster(folder: Path, workers: int, **settings: str) -> Iterator[DaskCluster]:
    cluster = DaskCluster(folder, settings)
    cluster.scheduler = cluster.start("scheduler", "--port", "0")
    try:
        ends = time.monotonic() + 60
        while not Path(cluster.file).exists():
            assert time.monotonic() < ends, "the scheduler has not started"
            time.sleep(0.05)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.stop()
