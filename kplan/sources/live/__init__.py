"""State from a live API server: read only, nothing but GET (which is also how one watches) ever leaves it.

Importing this package costs nothing: the ``kubernetes`` client is loaded when a server is connected to.
"""

from kplan.sources.live.follow import Follower, follow
from kplan.sources.live.load import read
from kplan.sources.live.originals import LiveOriginals
from kplan.sources.live.scheduler import configuration_of
from kplan.sources.schedulers import DOUBT

__all__ = [
    "DOUBT",
    "Follower",
    "LiveOriginals",
    "configuration_of",
    "follow",
    "read",
]
