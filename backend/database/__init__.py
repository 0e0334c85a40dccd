"""The one database of a data folder: its tables and their history, and the thread on which it is written."""

from backend.database.database import Database, is_full, open_database

__all__ = ["Database", "is_full", "open_database"]
