"""A zip of chosen items with their recipes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy.orm import Session

from backend.library.changes import rows_of
from backend.library.lineage import request_of
from backend.library.zip_stream import Entry
from backend.media import MediaStore
from studio.errors import MediaNotFound


def archive_of(session: Session, store: MediaStore, ids: Sequence[str]) -> list[Entry]:
    """Files by their ids, and beside each result `{id}.recipe.json`, the request that makes it again.

    Raises:
        MediaNotFound: none of them is there.
    """
    entries: list[Entry] = []
    for row in rows_of(session, ids):
        try:
            path = store.file(row.id)
        except MediaNotFound:
            continue
        entries.append(Entry(path.name, path))
        request = request_of(session, row)
        if request is not None:
            text = json.dumps(request.model_dump(mode="json"), indent=2, ensure_ascii=False)
            entries.append(Entry(f"{row.id}.recipe.json", text.encode()))
    if not entries:
        raise MediaNotFound("None of these is in the library.", param="ids", hint="GET /v1/library lists what is.")
    return entries
