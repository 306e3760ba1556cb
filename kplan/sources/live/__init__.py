"""State from a live API server: read only, nothing but GET (which is also how one watches) ever leaves it.

Importing this package costs nothing: the ``kubernetes`` client is loaded when a server is connected to.
"""

from kplan.sources.live.follow import Follower, follow
from kplan.sources.live.load import Reading, load, read
from kplan.sources.live.scheduler import DOUBT, LiveScheduler

__all__ = ["DOUBT", "Follower", "LiveScheduler", "Reading", "follow", "load", "read"]
