"""How Alembic reaches the database: over the connection that `backend.database.database` hands it."""

from alembic import context

from backend.database.evaluation_tables import Table  # with these come all tables

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Table.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
