"""Capacity: how many more replicas fit, what stops the next one, how many nodes would be needed."""

from kplan.course.capacity.supply import Supply, of_manifests, of_workload
from kplan.studies.capacity.capacity_report import CapacityAsked, capacity
from kplan.studies.capacity.shapes import load_shapes

__all__ = ["CapacityAsked", "Supply", "capacity", "load_shapes", "of_manifests", "of_workload"]
