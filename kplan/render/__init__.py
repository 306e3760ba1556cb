"""One format, one file: each reads the documents of ``result`` and nothing else."""
