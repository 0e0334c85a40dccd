"""Why something of a cell is not measured: what it would be measured against is gone."""

from __future__ import annotations

from backend.comparisons.likeness import Followed
from backend.media import MediaStore
from studio.comparisons import Likeness
from studio.errors import MediaNotFound
from studio.library import LibraryItem
from studio.requests import KINDS, Request, TransferVideo

TRUTH_GONE = "not measured: the file of the ground truth is gone"
FOLLOWED_GONE = "control not measured: the file of a clip that it follows is gone"


def follows(kind: str) -> bool:
    """Whether results of a kind follow controls."""
    return kind in KINDS and "controls.video" in KINDS[kind].takes


def followed_by(request: Request | None, store: MediaStore) -> tuple[Followed, ...]:
    """Controls that can be computed of a transfer's result too; depth and what is segmented cannot.

    Raises:
        MediaNotFound: the file of one is gone.
    """
    if not isinstance(request, TransferVideo):
        return ()
    return tuple(
        Followed(
            control.hint,
            store.file(control.video) if control.video else None,
            store.file(request.source_video) if request.source_video and not control.video else None,
            control.strength or "medium",
        )
        for control in request.controls
        if control.hint in ("edge", "blur")
    )


def explained(found: Likeness | None, truth: LibraryItem | None) -> Likeness | None:
    """What was measured against a ground truth, or that there is none any more; null is not measured yet."""
    return Likeness(note=TRUTH_GONE) if found is None and (truth is None or truth.missing) else found


def explained_control(found: Likeness | None, request: Request | None, store: MediaStore) -> Likeness | None:
    """What was measured, with why it is not said how well the result follows its controls."""
    if found is not None and found.has("controls"):
        return found
    try:
        followed_by(request, store)
    except MediaNotFound:
        found = found or Likeness()
        return found.model_copy(update={"note": "; ".join(filter(None, (found.note, FOLLOWED_GONE)))})
    return found
