"""Moving: pods leave their nodes and land elsewhere, one after the other, so that others fit in their place."""

from kplan.course.moving.journey import Journey, Moved, Wanted
from kplan.course.moving.movable import Movable, Rules, Stays
from kplan.course.moving.search import Found, fewest_moves

__all__ = ["Found", "Journey", "Movable", "Moved", "Rules", "Stays", "Wanted", "fewest_moves"]
