"""What a form starts with: the loaded checkpoint's defaults, and over them what the person had typed before."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel

from frontend.fields import flatten
from frontend.validation import mistakes
from studio.catalogue import CheckpointInfo

WORDS = ("prompt", "negative_prompt")
"""What a person wrote outlives a change of checkpoint; numbers tuned for another one do not."""


def defaults_of(model: type[BaseModel], kind: str, checkpoint: CheckpointInfo | None) -> dict[str, Any]:
    """The defaults of a checkpoint laid over those of the request, by dotted path.

    Args:
        model: the request.
        kind: its name.
        checkpoint: the one that is served, if that is known.
    """
    own = model.model_validate({"prompt": "-"}).model_dump(exclude={"prompt"})
    return {**flatten(own), **(flatten(checkpoint.defaults.get(kind, {})) if checkpoint else {})}


def usable(draft: object, model: type[BaseModel], checkpoint: str | None) -> dict[str, Any]:
    """Those values of a kept draft that the request still takes.

    Args:
        draft: what the browser kept: `{"checkpoint": id, "values": {path: value}, "lock": bool}`, or anything at all.
        model: the request.
        checkpoint: the id of the served one.
    """
    values = _mapping(_mapping(draft).get("values"))
    if _mapping(draft).get("checkpoint") not in (None, checkpoint):
        values = {path: value for path, value in values.items() if path in WORDS}
    wrong = mistakes(model, {"prompt": "-", **values})
    return {path: value for path, value in values.items() if path not in wrong}


def is_locked(draft: object) -> bool:
    """Whether the seed of a kept draft stays for the next submission."""
    return _mapping(draft).get("lock") is True


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
