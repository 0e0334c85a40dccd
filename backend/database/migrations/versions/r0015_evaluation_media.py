"""Media of benchmarks and results of their runs are known as such, so that the library's view can leave them out.

What was there before stays in the view.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

SHORT = ("erasing", "trashed_at", "kind", "type", "checkpoint", "starred", "seed", "size_bytes", "tags")


def upgrade() -> None:
    """Add the columns, also to the index that sums and facets read."""
    for table in ("artefacts", "jobs"):
        op.add_column(table, sa.Column("evaluation", sa.Boolean(), nullable=False, server_default="0"))
    op.drop_index("artefacts_in_short", "artefacts")
    op.create_index("artefacts_in_short", "artefacts", [*SHORT, "rating", "evaluation"])
