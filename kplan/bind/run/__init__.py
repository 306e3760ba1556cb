"""A plan carried out: the binding cycle, what is watched meanwhile, and the journal."""
