"""The newest jobs of each kind, which a page is drawn from, are found without reading all."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index them."""
    op.create_index("jobs_by_kind", "jobs", ["kind", "number"])
