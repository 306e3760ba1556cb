"""Readiness: when pods are ready and gone, who is left without a ready pod, and nodes that say nothing."""
