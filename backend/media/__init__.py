"""The files that were made: written whole or not at all, and served as they were written."""

from backend.media.recipe import read_recipe, write_recipe
from backend.media.store import MediaStore

__all__ = ["MediaStore", "read_recipe", "write_recipe"]
