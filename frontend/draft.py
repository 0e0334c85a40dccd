"""What a form starts with: the loaded checkpoint's defaults, and over them what was typed before or a preset says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from frontend.fields import flatten, nest
from frontend.panel import KEPT, MODEL, Panel, spread
from studio.catalogue import CheckpointInfo
from studio.rules import choices

SEED = "sampling.seed"
CHECKPOINT = "checkpoint"

WORDS = ("prompt", "negative_prompt")
"""What a person wrote, which a preset leaves as it is."""


def defaults_of(panel: Panel, checkpoint: CheckpointInfo | None) -> dict[str, Any]:
    """What the page starts with laid over the request's own defaults, and a checkpoint's over both.

    Args:
        panel: the page.
        checkpoint: the one that is served, if that is known.

    Returns:
        By request path; what only a person can say is left out, and what the form does not draw.
    """
    of_checkpoint = checkpoint.defaults.get(panel.place.kind, {}) if checkpoint else {}
    values = {**flatten(_own(panel.model)), **panel.first, **flatten(of_checkpoint)}
    kept = next(part.paths for part in panel.every_part if part.name == KEPT)
    return {path: value for path, value in values.items() if path not in kept}


def usable(
    draft: object, panel: Panel, served: CheckpointInfo | None, others: Iterable[CheckpointInfo] = ()
) -> dict[str, Any]:
    """Those values of a kept draft that the request still takes, by request path.

    What a person changed outlives a change of checkpoint, as far as the new one does it; what the form began with,
    because the other checkpoint does best with it, does not.

    Args:
        draft: what the browser kept: `{"checkpoint": id, "values": {name: value}, "lock": bool}`, or anything at all.
        panel: the page.
        served: the checkpoint that is served, if that is known.
        others: every checkpoint that is known.
    """
    values = spread(_mapping(_mapping(draft).get("values")))
    if picked_in(draft) != (served.id if served else None):
        values.pop(CHECKPOINT, None)  # it is not here any more
    of = _mapping(draft).get("checkpoint")
    if of is not None and of != (served.id if served else None):
        begun = defaults_of(panel, next((other for other in others if other.id == of), None))
        values = {path: value for path, value in values.items() if value != begun.get(path)}
        if not is_locked(draft):
            values.pop(SEED, None)
    refused = _refused(panel.place.kind, served)
    return {path: value for path, value in taken(panel, values).items() if (path, value) not in refused}


def _refused(kind: str, served: CheckpointInfo | None) -> list[tuple[str, Any]]:
    """(path, value) of every option that the served checkpoint does not do."""
    ruled = choices(kind, served.capabilities) if served else {}
    return [(path, choice.value) for path, options in ruled.items() for choice in options if choice.refused]


def taken(panel: Panel, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those values that the request takes, each for itself; the whole need not be one yet."""
    wrong: set[str] = set()
    try:
        panel.model.model_validate(nest({"prompt": "-", **values}))
    except ValidationError as error:
        wrong = {".".join(map(str, detail["loc"])) for detail in error.errors(include_url=False)}
    return {
        path: value
        for path, value in values.items()
        if not any(fault == path or fault.startswith(f"{path}.") for fault in wrong)
    }


def with_preset(said: Mapping[str, Any], panel: Panel, checkpoint: CheckpointInfo | None) -> dict[str, Any]:
    """A preset's values, and what it leaves unsaid as the page starts with it: nothing of the last settings remains.

    What is a person's own stays where a preset says nothing of it: words, the seed, and a part of the form with what
    was put into it, such as a clip and what of it to follow.

    Args:
        said: by request path.
        panel: the page.
        checkpoint: the one that is served, if that is known.
    """
    given = taken(panel, said)
    parts = [part.paths for part in panel.every_part if not given.keys() & {*part.paths}]
    own = {*WORDS, SEED, *(path for paths in parts for path in paths)}
    start = {path: value for path, value in defaults_of(panel, checkpoint).items() if path not in own}
    return {**start, **given}


def picked_in(draft: object) -> str | None:
    """The checkpoint that a kept draft asks for, instead of the default one."""
    picked = spread(_mapping(_mapping(draft).get("values"))).get(CHECKPOINT)
    return picked if isinstance(picked, str) else None


def with_pick(draft: object, checkpoint: str | None) -> dict[str, Any]:
    """The draft with another checkpoint, and without the LoRA adapter, which was made for one."""
    kept = _mapping(draft)
    model = {CHECKPOINT: checkpoint, "adapter": None}
    return {**kept, "values": {**_mapping(kept.get("values")), MODEL: model}}


def is_locked(draft: object) -> bool:
    """Whether the seed of a kept draft stays for the next submission."""
    return _mapping(draft).get("lock") is True


def _own(model: type[BaseModel]) -> dict[str, Any]:
    own: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        if not info.is_required():
            value = info.get_default(call_default_factory=True)
            own[name] = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return own


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
