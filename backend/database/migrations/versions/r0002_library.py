"""The library: a row for each artefact, what jobs name, search, priorities, batches, paces, switches."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

import sqlalchemy as sa
from alembic import op

from backend.database.named_media import named_media
from backend.database.search_words import search_words

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

POSITION_GAP = 2**32
"""Room between two positions, so that a job is moved without touching the others."""


def added() -> tuple[sa.Column[Any], ...]:
    """What jobs have now; a column belongs to one table, so that they are made anew each time."""
    return (
        sa.Column("priority", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("batch_id", sa.String(12)),
        sa.Column("batch_index", sa.Integer()),
        sa.Column("batch_size", sa.Integer()),
        sa.Column("pace_key", sa.String(128)),
        sa.Column("step_work", sa.Float()),
    )


def upgrade() -> None:
    """Make it, and put in it what the jobs say."""
    for column in added():
        op.add_column("jobs", column)
    op.execute(f"UPDATE jobs SET position = position * {POSITION_GAP}")
    op.create_index("jobs_by_batch", "jobs", ["batch_id", "batch_index"])
    op.create_table(
        "job_inputs",
        sa.Column("job_id", sa.String(12), primary_key=True),
        sa.Column("media_id", sa.String(40), primary_key=True),
    )
    op.create_index("job_inputs_by_media", "job_inputs", ["media_id"])
    _make_artefacts()
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
    op.create_table("switches", sa.Column("name", sa.String(32), primary_key=True))
    _fill()


def downgrade() -> None:
    """Drop it."""
    for table in ("artefact_words", "artefacts", "job_inputs", "paces", "switches"):
        op.drop_table(table)
    op.drop_index("jobs_by_batch", "jobs")
    for column in added():
        op.drop_column("jobs", column.name)
    op.execute(f"UPDATE jobs SET position = position / {POSITION_GAP}")


def _make_artefacts() -> None:
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
    for name, column in (("job", "job_id"), ("order", "shelf_order"), ("size", "size_bytes"), ("source", "source_id")):
        op.create_index(f"artefacts_by_{name}", "artefacts", [column])
    in_short = ["erasing", "trashed_at", "kind", "type", "checkpoint", "starred", "seed", "size_bytes", "tags"]
    op.create_index("artefacts_in_short", "artefacts", in_short)
    op.execute("CREATE VIRTUAL TABLE artefact_words USING fts5(prompt, notes, tokenize = 'ascii', prefix = '1 2 3')")


def _fill() -> None:
    """A row for each result of each job, oldest first. Uploads are not known here: the server looks for them."""
    connection = op.get_bind()
    shelf_order = 0
    for row in connection.execute(sa.text("SELECT * FROM jobs ORDER BY number")).mappings().all():
        job = {str(name): value for name, value in row.items()}
        request = _object(job["request"])
        for name in named_media(request):
            connection.execute(
                sa.text("INSERT INTO job_inputs (job_id, media_id) VALUES (:job, :name)"),
                {"job": job["id"], "name": name},
            )
        if job["state"] != "succeeded":
            continue
        made_at = str(job["finished_at"] or job["created_at"])
        for reference in _references(job["results"]):
            shelf_order = max(shelf_order + 1, _microseconds(made_at))
            _insert(connection, job, request, reference, made_at, shelf_order)


def _insert(
    connection: sa.Connection,
    job: Mapping[str, Any],
    request: Mapping[str, Any],
    reference: Mapping[str, Any],
    made_at: str,
    shelf_order: int,
) -> None:
    prompt = str(request.get("prompt", ""))
    written_from = request.get("written_from")
    columns = {
        "id": reference["id"],
        "job_id": job["id"],
        "kind": job["kind"],
        "type": reference["type"],
        "reference": json.dumps(reference),
        "size_bytes": reference["size_bytes"],
        "seed": reference.get("seed"),
        "checkpoint": job["checkpoint"],
        "prompt": written_from or prompt,
        "title": "",
        "tags": "[]",
        "starred": False,
        "created_at": made_at,
        "shelf_order": shelf_order,
        "erasing": False,
    }
    names = ", ".join(columns)
    places = ", ".join(f":{name}" for name in columns)
    done = connection.execute(sa.text(f"INSERT INTO artefacts ({names}) VALUES ({places})"), columns)
    words = search_words(prompt, written_from or "", str(request.get("negative_prompt", "")))
    connection.execute(
        sa.text("INSERT INTO artefact_words (rowid, prompt, notes) VALUES (:number, :words, '')"),
        {"number": done.lastrowid, "words": words},
    )


def _object(text: str) -> dict[str, Any]:
    """A row that cannot be read takes no other with it, as everywhere."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _references(text: str) -> Iterable[Mapping[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        return []
    references = [cast("dict[str, Any]", each) for each in found if isinstance(each, dict)]
    return [each for each in references if {"id", "type", "size_bytes"} <= each.keys()]


def _microseconds(text: str) -> int:
    moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return round(moment.timestamp() * 1_000_000)
