"""HUE studies: prompts, their questions, ratings, and reasoners at work on them."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "hue_studies",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "hue_prompts",
        sa.Column("study_id", sa.String(12), primary_key=True),
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "hue_questions",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("study_id", sa.String(12), nullable=False),
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("prompt", sa.String(12), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("dimension", sa.String(32), nullable=False),
        sa.Column("author", sa.String(256), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
    )
    op.create_index("hue_questions_once", "hue_questions", ["study_id", "id"], unique=True)
    op.create_table(
        "hue_ratings",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("study_id", sa.String(12), nullable=False),
        sa.Column("video", sa.String(40), nullable=False),
        sa.Column("question", sa.String(40), nullable=False),
        sa.Column("rated_by", sa.String(16), nullable=False),
        sa.Column("rater", sa.String(256), nullable=False),
        sa.Column("said", sa.String(8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    once = ["study_id", "video", "question", "rated_by", "rater"]
    op.create_index("hue_ratings_once", "hue_ratings", once, unique=True)
    op.create_table(
        "hue_tasks",
        sa.Column("study_id", sa.String(12), primary_key=True),
        sa.Column("task", sa.String(16), primary_key=True),
        sa.Column("reasoner", sa.String(256), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
