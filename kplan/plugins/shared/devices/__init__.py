"""Devices that drivers publish in ResourceSlices: read, numbered, held against selectors, counted."""
