"""Evictions and returns: what the Eviction API answers by the budgets, and what controllers make of pods that left."""
