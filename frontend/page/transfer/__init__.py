"""The place where a clip follows the outlines, the blur or the depth of another."""
