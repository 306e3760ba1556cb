"""Simulate: the whole queue, and manifests that land after it, placed one pod after the other."""

from kplan.studies.simulate.simulation import SimulateOptions, simulate_pods

__all__ = ["SimulateOptions", "simulate_pods"]
