"""The scripted policy: it is told where things are, reaches for the one that is named, and learns nothing."""
