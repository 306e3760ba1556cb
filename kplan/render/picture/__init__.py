"""Pictures: the one drawing that answers a question at a glance, as plain SVG.

``forms`` are ways to draw (bars, grids, curves, tiles ...); a module beside it makes the picture of one question out of
forms, from the facts of the document. ``pictures`` knows which question has which, ``figure`` puts one on a page.
"""
