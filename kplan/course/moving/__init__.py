"""Moving: pods leave their nodes and land elsewhere, one after the other, so that others fit in their place."""

from kplan.course.moving.journey import Journey, Moved, WantedPods
from kplan.course.moving.movable import Movable, MovingRules, Stays
from kplan.course.moving.search import SearchResult, fewest_moves

__all__ = ["Journey", "Movable", "Moved", "MovingRules", "SearchResult", "Stays", "WantedPods", "fewest_moves"]
