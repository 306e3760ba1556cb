"""Remedies: the smallest changes that make an unschedulable pod fit, each tried on the changed state."""
