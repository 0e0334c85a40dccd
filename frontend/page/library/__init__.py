"""The place of what was made: search, tags, trash, storage."""
