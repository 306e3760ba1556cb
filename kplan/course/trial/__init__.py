"""Trials: what-ifs are taken, pods are tried one after another, and those that wait are woken and tried again."""
