"""The place where results are seen side by side."""
