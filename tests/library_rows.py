"""Artefacts written straight into a database, for tests of what is done with many of them."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from backend.database.tables import ArtefactRow
from backend.library.recording import Origin, add_artefact
from studio.media import MediaReference
from studio.requests import GenerateImage

SEEDLINGS = 500

WORDS = (
    *("robot", "arm", "cube", "table", "snow", "street", "rain", "night"),
    *("warehouse", "gripper", "camera", "drawer", "bottle", "kitchen", "forklift", "drone"),
)


def reference(name: str, *, size_bytes: int = 1000, seed: int | None = 7, **changes: Any) -> MediaReference:
    said = {
        "id": name,
        "type": "image",
        "mime": "image/png",
        "width": 256,
        "height": 256,
        "size_bytes": size_bytes,
        "sha256": "0" * 64,
        "seed": seed,
        "url": f"/v1/media/{name}",
        "thumbnail_url": f"/v1/media/{name}/thumbnail",
    }
    return MediaReference.model_validate({**said, **changes})


def put(session: Session, name: str, prompt: str = "a red cube", **origin: Any) -> ArtefactRow:
    """A picture of a job that is nowhere else."""
    request = GenerateImage(prompt=prompt, negative_prompt=origin.pop("negative_prompt", ""))
    said = {"kind": "generate_image", "job_id": name[:12], "checkpoint": "speck", **origin}
    made = {"size_bytes", "seed", "type", "mime"} & said.keys()
    facts = {key: said.pop(key) for key in made}
    return add_artefact(session, reference(name, **facts), Origin(request=request.model_dump(mode="json"), **said))


def fill(session: Session, count: int) -> None:
    """Many, of different prompts, sizes and seeds; every tenth is starred, every fiftieth has a tag.

    The first `SEEDLINGS` are written as always, and SQL multiplies them: that is fifty times as fast.
    """
    for number in range(min(count, SEEDLINGS)):
        words = [WORDS[(number * step) % len(WORDS)] for step in (1, 3, 5, 7, 11, 13)]
        put(
            session,
            f"{number:012x}-0",
            f"A {' '.join(words)}, number {number}. " + "It is lit from the left and seen from above. " * 20,
            size_bytes=1000 + number * 37 % 10_007,
            seed=number % 97,
            starred=number % 10 == 0,
            tags=("night run",) if number % 50 == 0 else (),
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
    session.flush()
    columns = [
        column.name for column in ArtefactRow.__table__.columns if column.name not in ("number", "id", "shelf_order")
    ]
    for copy in range(1, count // SEEDLINGS):
        session.execute(
            text(
                f"INSERT INTO artefacts (number, id, shelf_order, {', '.join(columns)}) "
                "SELECT number + :step, printf('%012x-0', number - 1 + :step), shelf_order + :step, "
                f"{', '.join(columns)} "
                "FROM artefacts WHERE number <= :seedlings"
            ),
            {"step": copy * SEEDLINGS, "seedlings": SEEDLINGS},
        )
        session.execute(
            text(
                "INSERT INTO artefact_words (rowid, prompt, notes) "
                "SELECT rowid + :step, prompt, notes FROM artefact_words WHERE rowid <= :seedlings"
            ),
            {"step": copy * SEEDLINGS, "seedlings": SEEDLINGS},
        )
