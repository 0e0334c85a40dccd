"""Tunings, and what was told of their steps."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tunings",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "tuning_steps",
        sa.Column("tuning_id", sa.String(12), primary_key=True),
        sa.Column("step", sa.Integer(), primary_key=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
