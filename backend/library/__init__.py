"""The library: a row for every artefact, written with the move that makes it, and everything that is asked of them."""
