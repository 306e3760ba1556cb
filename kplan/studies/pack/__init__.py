"""Pack: which nodes could be empty, in which order, at how many moves; and what that saves."""

from kplan.studies.pack.pack_plan import PackAsked, pack
from kplan.studies.pack.prices import load_prices

__all__ = ["PackAsked", "load_prices", "pack"]
