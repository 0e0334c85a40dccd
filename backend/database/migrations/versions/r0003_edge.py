"""Keys of calls that may come twice, deleted videos, and what the guardrail said of a job."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and the column."""
    op.create_table(
        "promises",
        sa.Column("key", sa.String(256), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("job_id", sa.String(12), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_table(
        "deleted_videos",
        sa.Column("job_id", sa.String(12), primary_key=True),
        sa.Column("deleted_at", sa.DateTime(), nullable=False),
    )
    op.add_column("jobs", sa.Column("guardrail", sa.String(16)))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("jobs", "guardrail")
    op.drop_table("deleted_videos")
    op.drop_table("promises")
