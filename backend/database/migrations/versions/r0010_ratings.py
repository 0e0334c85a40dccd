"""Items of the library can be rated, 1 to 5; 0 is not rated."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("artefacts", sa.Column("rating", sa.Integer(), nullable=False, server_default="0"))
