"""Comparisons, and what was measured between two media."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "comparisons",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_table(
        "measurements",
        sa.Column("media_id", sa.String(40), primary_key=True),
        sa.Column("against_id", sa.String(40), primary_key=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("measurements")
    op.drop_table("comparisons")
