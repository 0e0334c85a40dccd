"""The jobs table."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make it."""
    op.create_table(
        "jobs",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("checkpoint", sa.String(256), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("returns", sa.Integer(), nullable=False),
        sa.Column("num_steps", sa.Integer(), nullable=False),
        sa.Column("stopped_at_step", sa.Integer()),
        sa.Column("results", sa.JSON(), nullable=False),
        sa.Column("error", sa.JSON()),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime()),
        sa.Column("finished_at", sa.DateTime()),
    )
    op.create_index("jobs_by_state", "jobs", ["state", "position"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("jobs")
