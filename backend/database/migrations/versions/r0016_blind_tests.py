"""Blind tests of policies: their pairs of episodes and the verdicts of people."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "blind_tests",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "blind_pairs",
        sa.Column("test_id", sa.String(12), primary_key=True),
        sa.Column("task", sa.String(300), primary_key=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "blind_verdicts",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("test_id", sa.String(12), nullable=False),
        sa.Column("pair", sa.Integer(), nullable=False),
        sa.Column("rater", sa.String(256), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_index("blind_verdicts_once", "blind_verdicts", ["test_id", "pair", "rater"], unique=True)
