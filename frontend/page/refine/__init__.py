"""The place where a critic judges a result and rewrites its prompt."""
