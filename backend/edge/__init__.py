"""What every request passes through before a route sees it: tokens, limits, and how fast bytes must come."""
