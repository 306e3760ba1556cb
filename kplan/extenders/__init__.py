"""HTTP extenders: asked over the wire as kube-scheduler asks them; nothing is sent unless a caller was made."""

from kplan.extenders.budget import Budget
from kplan.extenders.http import HttpExtender

__all__ = ["Budget", "HttpExtender"]
