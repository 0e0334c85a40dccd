"""The arena: votes, questions put to several reasoners, their answers, and grades."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "arena_votes",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("pair", sa.String(81), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("contest", sa.String(80), nullable=False),
        sa.Column("domain", sa.String(32), nullable=False),
        sa.Column("left_id", sa.String(40), nullable=False),
        sa.Column("left_value", sa.Text(), nullable=False),
        sa.Column("right_id", sa.String(40), nullable=False),
        sa.Column("right_value", sa.Text(), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("voter", sa.String(256), nullable=False),
        sa.Column("voted_by", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("revoked_at", sa.DateTime()),
    )
    op.create_index(
        "arena_votes_once",
        "arena_votes",
        ["pair", "voted_by", "voter"],
        unique=True,
        sqlite_where=sa.text("revoked_at IS NULL"),
    )
    op.create_table(
        "arena_questions",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("media_id", sa.String(40)),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("max_tokens", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_table(
        "arena_answers",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("question_id", sa.String(12), nullable=False),
        sa.Column("reasoner", sa.String(256), nullable=False),
        sa.Column("text", sa.Text()),
        sa.Column("thought", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float()),
        sa.Column("error", sa.JSON()),
    )
    op.create_index("arena_answers_by_question", "arena_answers", ["question_id", "reasoner"], unique=True)
    op.create_table(
        "arena_grades",
        sa.Column("answer_id", sa.String(12), primary_key=True),
        sa.Column("judge", sa.String(256), primary_key=True),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("arena_grades", "arena_answers", "arena_questions", "arena_votes"):
        op.drop_table(table)
