"""All tables. Folders of before the first release, which came here in eight steps, open as they are."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
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
        sa.Column("priority", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("batch_id", sa.String(12)),
        sa.Column("batch_index", sa.Integer()),
        sa.Column("batch_size", sa.Integer()),
        sa.Column("pace_key", sa.String(128)),
        sa.Column("step_work", sa.Float()),
        sa.Column("guardrail", sa.String(16)),
        sa.Column("end_number", sa.Integer()),
    )
    op.create_index("jobs_by_batch", "jobs", ["batch_id", "batch_index"])
    op.create_index("jobs_by_end", "jobs", ["end_number"])
    op.create_index("jobs_by_state", "jobs", ["state", "position"])
    op.create_table(
        "job_inputs",
        sa.Column("job_id", sa.String(12), primary_key=True),
        sa.Column("media_id", sa.String(40), primary_key=True),
    )
    op.create_index("job_inputs_by_media", "job_inputs", ["media_id"])
    op.create_table(
        "artefacts",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(40), nullable=False, unique=True),
        sa.Column("job_id", sa.String(12)),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("reference", sa.JSON(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("seed", sa.BigInteger()),
        sa.Column("checkpoint", sa.String(256)),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("starred", sa.Boolean(), nullable=False),
        sa.Column("source_id", sa.String(40)),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("shelf_order", sa.BigInteger(), nullable=False),
        sa.Column("trashed_at", sa.DateTime()),
        sa.Column("erasing", sa.Boolean(), nullable=False),
    )
    op.create_index("artefacts_by_job", "artefacts", ["job_id"])
    op.create_index("artefacts_by_order", "artefacts", ["shelf_order"])
    op.create_index("artefacts_by_size", "artefacts", ["size_bytes"])
    op.create_index("artefacts_by_source", "artefacts", ["source_id"])
    op.create_index(
        "artefacts_in_short",
        "artefacts",
        ["erasing", "trashed_at", "kind", "type", "checkpoint", "starred", "seed", "size_bytes", "tags"],
    )
    op.create_table(
        "paces",
        sa.Column("key", sa.String(128), primary_key=True),
        sa.Column("checkpoint", sa.String(256), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("step_work", sa.Float(), nullable=False),
        sa.Column("seconds_per_step", sa.Float(), nullable=False),
        sa.Column("seconds_around", sa.Float(), nullable=False),
        sa.Column("num_samples", sa.Integer(), nullable=False),
    )
    op.create_table(
        "switches",
        sa.Column("name", sa.String(32), primary_key=True),
    )
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
    op.create_table(
        "comparisons",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_table(
        "measurements",
        sa.Column("media_id", sa.String(40), primary_key=True),
        sa.Column("against_id", sa.String(40), primary_key=True),
        sa.Column("document", sa.JSON(), nullable=False),
    )
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
    op.create_table(
        "refinements",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
    )
    op.create_table(
        "critic_scores",
        sa.Column("media_id", sa.String(40), primary_key=True),
        sa.Column("score", sa.Float(), nullable=False),
    )
    # Words by the number of their artefact; what a word is decides `backend.database.search_words`.
    op.execute("CREATE VIRTUAL TABLE artefact_words USING fts5(prompt, notes, tokenize = 'ascii', prefix = '1 2 3')")
