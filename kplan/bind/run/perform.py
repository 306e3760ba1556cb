"""Carrying one write out: rehearsed on the server first, journalled around, and never sent twice for one effect."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct, field

from kplan.bind.run.journal import Journal
from kplan.bind.wire.client import Client, NoAnswer, Reply
from kplan.bind.wire.writes import Request, Reread, ServerFinding
from kplan.errors import BindError

_ATTEMPTS = 8
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 8.0
BUDGET = "DisruptionBudget"
"""Cause in the 429 of an eviction that a budget refuses."""
NO_ANSWER = 999
"""Stands for a status where there was no answer."""
DONE = Reply(200, b"")


class HeldBack(BindError):
    """A pod is held back: something has changed, or the server refuses a write of it; other pods go on."""

    default_code = "held-back"


class BudgetRefuses(HeldBack):
    """An eviction would break a PodDisruptionBudget."""

    default_code = "pdb"


class Conflict(HeldBack):
    """The object is not as it was read any more, though what was to be written is still open: read it again."""

    default_code = "conflict"


def is_done(reread: Reread) -> bool:
    """Whether the server says that a write is done already; it is open if not.

    Raises:
        HeldBack: it is not possible any more.
    """
    if reread.finding is ServerFinding.CHANGED:
        raise HeldBack(reread.text, code=reread.code)
    return reread.finding is ServerFinding.DONE


def reread_on_conflict(step: Callable[[], None], times: int) -> None:
    """Take a step that reads what it writes to; take it again where that changes under it.

    Args:
        step: what is done.
        times: how often at most.

    Raises:
        Conflict: it changed the last time, too.
    """
    for _ in range(times - 1):
        with suppress(Conflict):
            return step()
    return step()


class Performer(Struct):
    """Carries writes out.

    Attributes:
        client: the server.
        journal: where each is noted.
        rehearsed: kind and object of writes that the server has accepted as a dry run.
        sent: writes that were carried out, in order.
    """

    client: Client
    journal: Journal
    rehearsed: set[tuple[str, str]] = field(default_factory=set)
    sent: list[Request] = field(default_factory=list)

    def rehearse(self, write: Request) -> None:
        """Send it with ``dryRun=All``: admission, validation and preconditions are asked, nothing is kept.

        Raises:
            HeldBack: the server would refuse it.
            LiveError: the server does not answer.
        """
        end = time.monotonic() + self.client.patience
        pause = _FIRST_PAUSE
        while True:
            self.client.stop.check()
            self.client.wait_turn()
            wait, said = pause, "no answer"
            try:
                reply = self._send(write, dry=True)
                said = reply.message
                if _is_answered(write, reply):
                    self.rehearsed.add((write.kind, write.about))
                    return
                if _refused(reply):
                    raise _refusal(write, reply, "the server would refuse it: ")
                wait = reply.retry_after or pause
            except NoAnswer:
                if time.monotonic() > end:
                    raise
            if time.monotonic() + wait > end:
                raise HeldBack(f"{write.text}: no verdict on a dry run: {said}", code="dry-run")
            self.client.stop.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def carry_out(self, write: Request) -> None:
        """Send it until it is done; whenever that is not certain, ask the server.

        Raises:
            BudgetRefuses: a budget refuses the eviction.
            Conflict: the object changed; what was to be written is open.
            HeldBack: it is refused, or not possible any more.
            LiveError: the server does not answer.
            Stopped: it was asked to stop before it was sent.
        """
        if (write.kind, write.about) not in self.rehearsed:
            self.rehearse(write)
        pause = _FIRST_PAUSE
        for attempt in range(1, _ATTEMPTS + 1):
            self.client.wait_turn()
            self.client.stop.check()
            with self.client.stop.finishing():
                reply = self._once(write)
            if reply.status < 300:
                return
            if attempt == _ATTEMPTS:
                break
            self.client.stop.sleep(reply.retry_after or pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        said = reply.message if reply.status != NO_ANSWER else "no answer"
        raise HeldBack(f"{write.text} failed {_ATTEMPTS} times: {said}", code="server-failed")

    def _once(self, write: Request) -> Reply:
        """Send it once and find out what came of it; a status below 300 is done, any other may be tried again."""
        number = self.journal.before(write)
        if write.via is not None:
            return self._by_another(write, number, write.via())
        try:
            reply = self._send(write)
        except NoAnswer:
            reply = Reply(0, b"")
        if reply.status and self._settled(write, number, reply):
            return DONE
        if (not reply.status or reply.status >= 500) and self._asked(write, number, reply):
            return DONE
        return reply if reply.status else Reply(NO_ANSWER, b"")

    def _by_another(self, write: Request, number: int, reply: Reply) -> Reply:
        """Find out what came of what another server was to do; it is asked once, whatever it says."""
        answer = write.ask(self.client)
        if answer.finding is ServerFinding.DONE:
            self._done(write, number, reply.status)
            return DONE
        said = reply.message if not reply.ok else "it says that it is done, and the API server says that it is not"
        self.journal.after(number, "refused", reply.status, answer.text or said)
        raise HeldBack(answer.text or f"{write.text}: {said}", code=answer.code or "extender-failed")

    def _settled(self, write: Request, number: int, reply: Reply) -> bool:
        """Read an answer that says something: done, refused or to be tried later."""
        if _is_answered(write, reply):
            self._done(write, number, reply.status)
            return True
        if reply.status == 429 and BUDGET in reply.causes:
            self.journal.after(number, "refused", reply.status, reply.message)
            raise BudgetRefuses(reply.message)
        if reply.status == 429:
            self.journal.after(number, "later", reply.status)
            return False
        if reply.status >= 500:
            return False
        answer = write.ask(self.client)
        if answer.finding is ServerFinding.DONE:
            self._done(write, number, reply.status, "it was done already")
            return True
        self.journal.after(number, "refused", reply.status, answer.text or reply.message)
        is_done(answer)
        if reply.status == 409:
            raise Conflict(reply.message)
        raise _refusal(write, reply, "")

    def _asked(self, write: Request, number: int, reply: Reply) -> bool:
        """Ask the server about a write without a telling answer; whether it is done."""
        status = reply.status
        answer = write.ask(self.client)
        if answer.finding is ServerFinding.DONE:
            self._done(write, number, status, "the answer was lost, the server says that it is done")
            return True
        self.journal.after(number, answer.finding.value, status, answer.text or "the server says that it is not done")
        return is_done(answer)

    def _done(self, write: Request, number: int, status: int, text: str = "") -> None:
        self.journal.after(number, "done", status, text)
        self.sent.append(write)

    def _send(self, write: Request, *, dry: bool = False) -> Reply:
        query = {**write.query, **({"dryRun": "All"} if dry else {})}
        what = f"trying to {write.text}" if dry else f"writing: {write.text}"
        return self.client.send(write.method, write.path, write.data, query, content_type=write.content_type, what=what)


def _is_answered(write: Request, reply: Reply) -> bool:
    return reply.ok or (write.named and reply.status == 409)


def _refused(reply: Reply) -> bool:
    """Whether an answer to a dry run is a verdict; a budget that refuses today may allow it later."""
    return reply.status < 500 and (reply.status != 429 or BUDGET in reply.causes)


def _refusal(write: Request, reply: Reply, lead: str) -> HeldBack:
    if reply.status == 429 and BUDGET in reply.causes:
        return BudgetRefuses(reply.message)
    if reply.status == 409:
        return Conflict(reply.message)
    code = {403: "forbidden", 404: "not-found"}.get(reply.status, "refused")
    return HeldBack(f"{lead}{write.text}: {reply.message}", code=code)
