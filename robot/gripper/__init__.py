"""Grippers: never on the thread that moves the arm."""
