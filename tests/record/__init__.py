"""A net for redesigns: what every command prints, recorded, so that two checkouts can be compared byte by byte."""
