"""Drawn faults: worlds, the write at which something goes wrong and how, all of one number; kplan bind goes through it.

    python -m tests.live.drawn_faults [--runs 100] [--seed 1] [--keep FILE] [KIND]...    # what make test-faults does

Each run binds the pods of a world of its own on a real control plane, over a proxy that lets one kind of fault happen
at a drawn request. What kplan said is held against the server; ``--resume`` has to end the run; then what is left is
bound without a fault. Nothing may be bound twice, be left half, or be told as it is not.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.live import bindworld
from tests.live.bindworld import World
from tests.live.controlplane import APISERVER, ETCD, ControlPlane
from tests.live.drawn_worlds import KEEPER, URGENT, Drawn
from tests.live.faultproxy import READS, Match, Request, any_write

ANSWERS = (0, 1, 5)
"""Exit codes of a run: all bound; something held back; the server failed or refused."""
MOST_RESUMES = 3
FOREVER = 10**6


@dataclass
class Told:
    """What the runs of a kind came to.

    Attributes:
        runs: how many.
        hit: in how many the fault took place.
        stopped: runs that ended before all pods were tried.
        resumed: times that a run was resumed.
        failures: what was not as promised, with the number of the run.
    """

    runs: int = 0
    hit: int = 0
    stopped: int = 0
    resumed: int = 0
    failures: list[str] = field(default_factory=list)


def where(drawn: Drawn) -> tuple[Match, int]:
    """Draw the request that goes wrong (a write, a dry run or a read of one object), and how many pass before."""
    choice = drawn.random.random()
    if choice < 0.7:
        return any_write, drawn.random.randrange(drawn.writes())
    if choice < 0.85:
        return lambda r: r.method not in READS and r.dry, drawn.random.randrange(len(drawn.names))
    return _one_object, drawn.random.randrange(2 * len(drawn.names))


def _one_object(request: Request) -> bool:
    """A read of one pod or node."""
    parts = request.path.rsplit("/", 2)
    return request.method == "GET" and parts[-2] in ("pods", "nodes") and "watch" not in request.query


Happening = Callable[[World, Drawn], contextlib.AbstractContextManager[Any]]


def _status(number: int, times: int = 2, **more: Any) -> Happening:
    """The server answers so, once or twice, without having been asked."""

    def happens(world: World, drawn: Drawn) -> contextlib.AbstractContextManager[Any]:
        match, skip = where(drawn)
        return world.proxy.fault(match, skip=skip, status=number, times=drawn.random.randint(1, times), **more)

    return happens


def _cut(when: str) -> Happening:
    def happens(world: World, drawn: Drawn) -> contextlib.AbstractContextManager[Any]:
        match, skip = where(drawn)
        return world.proxy.fault(match, skip=skip, reset=when, times=drawn.random.randint(1, 2))

    return happens


def _slow(world: World, drawn: Drawn) -> contextlib.AbstractContextManager[Any]:
    match, skip = where(drawn)
    hook = {drawn.random.choice(["before", "after"]): lambda: time.sleep(drawn.random.uniform(0.2, 1.5))}
    return world.proxy.fault(match, skip=skip, times=3, **hook)


def _expired(world: World, drawn: Drawn) -> contextlib.AbstractContextManager[Any]:
    """From some request on the server knows the credentials no more."""
    _, skip = where(drawn)
    begun: list[bool] = []

    def after_a_write(request: Request) -> bool:
        begun.extend([True] * any_write(request))
        return bool(begun)

    return world.proxy.fault(after_a_write, skip=skip, status=401, times=FOREVER)


@contextlib.contextmanager
def _restarted(world: World, drawn: Drawn) -> Iterator[Any]:
    """The server is killed and comes back."""
    match, skip = where(drawn)
    threads: list[threading.Thread] = []

    def kill() -> None:
        command = bindworld.kill_apiserver(world.server)
        pause = drawn.random.uniform(0.0, 1.0)
        threads.append(threading.Thread(target=bindworld.start_apiserver, args=(world.server, command, pause)))
        threads[0].start()

    with world.proxy.fault(match, skip=skip, **{drawn.random.choice(["before", "after"]): kill}) as fault:
        yield fault
        for thread in threads:
            thread.join()


def _raced(world: World, drawn: Drawn) -> contextlib.AbstractContextManager[Any]:
    """Another scheduler binds one of the pods at that time, anywhere."""
    match, skip = where(drawn)
    name, node = drawn.random.choice(drawn.names[: drawn.pods]), f"{world.name}-{drawn.random.randrange(3)}"
    body = {"metadata": {"name": name}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}}

    def bind() -> None:
        world.server.request("POST", f"{world.path('pods', name)}/binding", body)

    return world.proxy.fault(match, skip=skip, before=bind)


KINDS: dict[str, Happening | None] = {
    "killed": None,
    "cut-before": _cut("before"),
    "cut-after": _cut("after"),
    "409": _status(409),
    "403": _status(403),
    "404": _status(404),
    "422": _status(422),
    "429": _status(429, headers={"Retry-After": "1"}),
    "500": _status(500),
    "slow": _slow,
    "restarted": _restarted,
    "raced": _raced,
    "expired": _expired,
}
"""The kinds of fault; a killed process is one of its own, the others are run in this one."""


def killed(world: World, drawn: Drawn) -> int:
    """Run kplan as a process that is killed before or after a drawn write; how often it was."""
    process: list[subprocess.Popen[str]] = []
    when = drawn.random.choice(["before", "after"])

    def kill() -> None:
        process[0].kill()
        process[0].wait()

    hook: dict[str, Any] = {when: kill, "reset": when}
    with world.proxy.fault(any_write, skip=drawn.random.randrange(drawn.writes()), **hook) as fault:
        words = (*drawn.words, *drawn.targets(world, drawn.names), "--journal", str(world.journal))
        process.append(world.start(*words, "-o", f"json={world.result}"))
        _, err = process[0].communicate(timeout=bindworld.PATIENCE)
    allowed = (-signal.SIGKILL,) if fault.hits else ANSWERS
    assert process[0].returncode in allowed, (process[0].returncode, err)
    return fault.hits


def run(server: ControlPlane, drawn: Drawn, name: str, told: Told) -> None:
    """Go through one run, and hold the server against what was said at every stage."""
    with tempfile.TemporaryDirectory() as folder, bindworld.world_of(server, Path(folder), name) as world:
        drawn.fill(world)
        with bindworld.kubelet(world) if drawn.victim else contextlib.nullcontext():
            hits, code = _with_fault(world, drawn)
            told.hit += bool(hits)
            for _ in range(MOST_RESUMES):
                if code in (0, 1) or not world.journal.exists():
                    break
                told.stopped += code == 5
                told.resumed += 1
                code = said(world, drawn, world.resume)
            assert code in (0, 1) or not world.journal.exists(), f"--resume did not end it: {code}"
            _ended(world)
            left = [one for one in drawn.names if not world.on().get(one)]
            if left:
                world.journal = world.journal.with_name("again.jsonl")
                words = (*drawn.words, *drawn.targets(world, left), "-o", f"json={world.result}")
                assert said(world, drawn, lambda: world.kplan(*words)) == 0, world.told()
            _whole(world, drawn)
        base = "/api/v1/persistentvolumes"
        server.request("DELETE", f"{base}/{world.name}-pv")


def _with_fault(world: World, drawn: Drawn) -> tuple[int, int]:
    """Run kplan with the fault; how often it took place, and the exit code (5 for one that was killed)."""
    happens = KINDS[drawn.kind]
    if happens is None:
        hits = killed(world, drawn)
        return hits, 5 if hits else 0
    words = (*drawn.words, *drawn.targets(world, drawn.names), "-o", f"json={world.result}")

    with happens(world, drawn) as fault:
        code = said(world, drawn, lambda: world.kplan(*words), late=drawn.kind == "restarted")
    if drawn.kind == "restarted":
        _true(world, drawn)
    return fault.hits, code


def said(world: World, drawn: Drawn, go: Callable[[], int], *, late: bool = False) -> int:
    """Run a command, and hold what it says against the server unless that is to be done later."""
    world.result.unlink(missing_ok=True)
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        code = go()
    assert code in ANSWERS, (code, err.getvalue())
    if not late:
        _true(world, drawn)
    return code


def _true(world: World, drawn: Drawn) -> None:
    """What was told of each pod is so; of one on the way nothing is told."""
    if not world.result.exists():
        return
    on = world.on()
    for entry in world.told()["pods"]:
        name = entry["pod"].partition("/")[2]
        there = on.get(name, "")
        if entry["result"] == "bound":
            assert there == entry["node"], (entry, there)
        elif entry["result"] in ("held-back", "not-tried") and drawn.kind != "raced":
            assert not there, (entry, there)


def _ended(world: World) -> None:
    """A run that ended has tried every pod, and left no nomination of one that it holds back."""
    if not world.result.exists():
        return
    for entry in world.told()["pods"]:
        assert entry["result"] in ("bound", "held-back"), entry


def _whole(world: World, drawn: Drawn) -> None:
    """Each pod is bound, by one Binding; a victim is gone for a pod that came; a volume has one claim."""
    on = world.on()
    assert all(on.get(name) for name in drawn.names), on
    accepted = world.bindings()
    assert len(accepted) == len(set(accepted)), accepted
    evicted = [r.path for r in world.proxy.writes if r.path.endswith("/eviction") and 200 <= r.status < 300]
    assert len(evicted) <= 1, evicted
    if drawn.volume and "p0" in accepted:
        volume = world.server.get(f"/api/v1/persistentvolumes/{world.name}-pv")
        claim = world.get("data", "persistentvolumeclaims")
        assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
        assert claim["spec"]["volumeName"] == volume["metadata"]["name"]


@contextlib.contextmanager
def serving() -> Iterator[ControlPlane]:
    """A control plane with what all runs share."""
    with (
        bindworld.serving() as server,
        bindworld.priority(server, URGENT, 1000),
        bindworld.priority(server, KEEPER, 100_000),
    ):
        yield server


def runs_of(server: ControlPlane, kind: str, numbers: range) -> Told:
    """Go through some runs of a kind."""
    told = Told()
    for number in numbers:
        told.runs += 1
        try:
            run(server, Drawn.of(kind, number), f"{kind} {number} {time.time()}", told)
        except OSError:  # the server gave the test itself no answer: its log may tell why
            log = "".join(f"{name}:\n{server.log(name, 12)}\n" for name in (APISERVER, ETCD))
            told.failures.append(f"{kind} {number}: {traceback.format_exc()}{log}")
        except Exception:
            told.failures.append(f"{kind} {number}: {traceback.format_exc()}")
    return told


def keep(file: Path, kind: str, told: Told) -> None:
    """Write down what the runs of a kind came to; what others came to stays, so that they may run one after another."""
    kept = json.loads(file.read_text()) if file.exists() else {}
    kept[kind] = {k: v for k, v in asdict(told).items() if k != "failures"} | {"failed": len(told.failures)}
    file.write_text(json.dumps({kind: kept[kind] for kind in KINDS if kind in kept}, indent=1) + "\n")


def main() -> int:
    """Go through all kinds; a row each."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--runs", type=int, default=100)
    flags.add_argument("--seed", type=int, default=1)
    flags.add_argument("--keep", type=Path, help="write the figures of each kind there, as soon as it has ended")
    flags.add_argument("kinds", nargs="*", choices=[[], *KINDS])
    given = flags.parse_args()
    failed = 0
    with serving() as server:
        for kind in given.kinds or KINDS:
            began = time.monotonic()
            told = runs_of(server, kind, range(given.seed, given.seed + given.runs))
            sys.stdout.write(
                f"{kind:12} {told.runs:4} runs  {told.hit:4} hit  {told.stopped:4} stopped  {told.resumed:4} resumed"
                f"  {len(told.failures):3} failed  {time.monotonic() - began:5.0f} s\n"
            )
            sys.stdout.write("".join(f"{failure}\n" for failure in told.failures))
            sys.stdout.flush()
            failed += len(told.failures)
            if given.keep:
                keep(given.keep, kind, told)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
