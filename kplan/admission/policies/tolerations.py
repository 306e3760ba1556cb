"""DefaultTolerationSeconds: every pod stays 300 s on a node that is not ready or unreachable."""

from kplan.objects.models import Toleration
from kplan.objects.models.pod import PodSpec

_KEYS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SECONDS = 300


def add_default_tolerations(spec: PodSpec) -> None:
    """Add the two tolerations where no toleration covers them; nothing is said of it, as every pod has them.

    Source: DefaultTolerationSeconds.Admit in plugin/pkg/admission/defaulttolerationseconds.
    """
    given = list(spec.tolerations or ())
    added = []
    for key in _KEYS:
        if not any((not t.key or t.key == key) and (not t.effect or t.effect == "NoExecute") for t in given):
            added.append(Toleration(key=key, operator="Exists", effect="NoExecute", toleration_seconds=_SECONDS))
    if added:
        spec.tolerations = given + added
