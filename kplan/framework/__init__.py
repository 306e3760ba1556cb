"""What a plugin author needs: extension points, refusals, worlds, normalisation, the FitError sentence."""
