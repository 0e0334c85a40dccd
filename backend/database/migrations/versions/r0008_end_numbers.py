"""The order in which jobs ended; those that had ended before have none, and stand behind."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("jobs", sa.Column("end_number", sa.Integer()))
    op.create_index("jobs_by_end", "jobs", ["end_number"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("jobs_by_end", "jobs")
    op.drop_column("jobs", "end_number")
