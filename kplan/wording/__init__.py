"""From findings and remedies to sentences, made last and for the very pod they are about."""
