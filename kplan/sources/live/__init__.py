"""State from a live API server: read only, nothing but GET ever leaves it.

Importing this package costs nothing: the ``kubernetes`` client is loaded when a server is connected to.
"""

from kplan.sources.live.load import Reading, load, read
from kplan.sources.live.scheduler import DOUBT, LiveScheduler

__all__ = ["DOUBT", "LiveScheduler", "Reading", "load", "read"]
