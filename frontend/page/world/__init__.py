"""The places of actions: what comes of them, what they were, which to take."""
