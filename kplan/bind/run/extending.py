"""An extender that binds in the scheduler's place: it is told once, and what came of it is asked of the API server.

Source: kubernetes v1.37.2 pkg/scheduler/schedule_one.go extendersBinding; pkg/scheduler/extender.go HTTPExtender.Bind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from kplan.bind.wire.client import Reply
from kplan.config import is_interested
from kplan.framework.extender import ExtenderCaller, ExtenderError
from kplan.objects.models import Pod

_REFUSED = 422
"""Stands for an answer that says no, or for none: it is not asked again."""


def by_extender(callers: Iterable[ExtenderCaller], pod: Pod, uid: str, node: str) -> Callable[[], Reply] | None:
    """Give what has the first extender bind a pod that binds such pods; None where the scheduler does.

    Args:
        callers: what asks the extenders.
        pod: as it was read.
        uid: of the pod.
        node: its name.
    """
    binder = next((caller for caller in callers if caller.config.bind_verb and is_interested(caller.config, pod)), None)
    if binder is None:
        return None
    chosen = binder

    def send() -> Reply:
        try:
            chosen.bind(pod.namespace, pod.name, uid, node)
        except ExtenderError as error:
            text = f"extender {chosen.config.shown}: {error}"
            return Reply(_REFUSED, json.dumps({"message": text}).encode())
        return Reply(200, b"")

    return send
