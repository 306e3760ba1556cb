"""Forms: ways to draw numbers, which know nothing of questions; each is drawn as wide as it is told to be."""
