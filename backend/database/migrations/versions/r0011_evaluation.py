"""Benchmarks, runs, their answers and what judges say of them."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "benchmarks",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_index("benchmarks_by_name", "benchmarks", ["name", "number"])
    op.create_table(
        "evaluation_runs",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("benchmark_id", sa.String(12), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_index("evaluation_runs_by_benchmark", "evaluation_runs", ["benchmark_id"])
    op.create_table(
        "evaluation_answers",
        sa.Column("run_id", sa.String(12), primary_key=True),
        sa.Column("item", sa.String(300), primary_key=True),
        sa.Column("trial", sa.Integer(), primary_key=True),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "evaluation_verdicts",
        sa.Column("run_id", sa.String(12), primary_key=True),
        sa.Column("item", sa.String(300), primary_key=True),
        sa.Column("trial", sa.Integer(), primary_key=True),
        sa.Column("field", sa.String(200), primary_key=True),
        sa.Column("judge", sa.String(256), primary_key=True),
        sa.Column("score", sa.Integer()),
        sa.Column("why", sa.Text(), nullable=False),
    )
