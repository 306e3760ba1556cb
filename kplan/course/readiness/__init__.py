"""Readiness: when pods are ready and gone, who is left without a ready one; silent nodes."""
