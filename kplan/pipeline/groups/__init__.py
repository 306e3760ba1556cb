"""The turn of a group of pods: its cycle, whole or not at all."""
