"""Rollouts: controllers make and remove pods step by step, and the planner places each new one in between."""

from kplan.course.rollout.play import Act, Rollouts
from kplan.course.rollout.state import Left, Replica, Rollout, RolloutStep, Shared, Stall, StalledBy

__all__ = ["Act", "Left", "Replica", "Rollout", "RolloutStep", "Rollouts", "Shared", "Stall", "StalledBy"]
