"""Post-training of checkpoints: a process that the server starts, and what of it the pocket's own training uses."""
