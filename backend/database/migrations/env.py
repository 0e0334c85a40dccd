"""How Alembic reaches the database: over the connection that `backend.database.opening` hands it."""

from alembic import context

import backend.database.arena_tables  # pyright: ignore[reportUnusedImport] - tables of the metadata
import backend.database.comparison_tables  # pyright: ignore[reportUnusedImport] - likewise
import backend.database.edge_tables  # pyright: ignore[reportUnusedImport] - tables of the metadata
import backend.database.refinement_table  # noqa: F401 # pyright: ignore[reportUnusedImport] - likewise
from backend.database.tables import Table

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Table.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
