"""Critics' scores by what was judged, out of the trees that hold them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# A tree that cannot be read is left out here as everywhere.
_FROM_TREES = """
    INSERT OR REPLACE INTO critic_scores (media_id, score)
    SELECT json_extract(node.value, '$.media.id') AS media_id,
           json_extract(node.value, '$.critique.overall_score') AS score
    FROM refinements AS tree,
         json_each(CASE WHEN json_valid(tree.document) THEN tree.document ELSE '{}' END, '$.nodes') AS node
    WHERE node.type = 'object' AND typeof(media_id) = 'text' AND typeof(score) IN ('real', 'integer')
    ORDER BY tree.number
"""


def upgrade() -> None:
    """Make the table and fill it."""
    op.create_table(
        "critic_scores",
        sa.Column("media_id", sa.String(40), primary_key=True),
        sa.Column("score", sa.Float(), nullable=False),
    )
    op.execute(_FROM_TREES)


def downgrade() -> None:
    """Drop it."""
    op.drop_table("critic_scores")
