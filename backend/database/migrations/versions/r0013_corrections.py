"""What people correct of a benchmark's items, and questions from annotations."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "corrections",
        sa.Column("benchmark_id", sa.String(12), primary_key=True),
        sa.Column("item", sa.String(300), primary_key=True),
        sa.Column("person", sa.String(256), primary_key=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "question_drafts",
        sa.Column("run_id", sa.String(12), primary_key=True),
        sa.Column("video", sa.String(300), primary_key=True),
        sa.Column("question", sa.String(100), primary_key=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
