"""The place of jobs that run, wait and have ended."""
