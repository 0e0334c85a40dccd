"""The database's history, one file a change, applied in order at every start."""
