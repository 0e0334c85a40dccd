"""Training a small Cosmos 3: every stage is a command, and the last one writes a checkpoint in the released layout."""
