"""Capacity: how many more pods of a workload fit, and the cheapest nodes with which all of them do."""
