"""Items that are made instead of answered: a request, what ought to come of it, and what came and was measured.

`media` of such an item are all files that its request and its reference name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, cast

from pydantic import Field, TypeAdapter, model_validator

from studio.presets import laid_over
from studio.requests import KINDS, MAX_SEED, Frozen, PredictActions, PredictVideo
from studio.requests.actions import ActionRequest, ActionValue

Json = Mapping[str, Any]

_SEED = TypeAdapter(int)
"""Takes what a request's field takes, `"7.0"` too."""

PLACEHOLDER = "u0000000000000000"
"""Stands for a file that is not uploaded yet, where a request is only looked at."""


class GenerationTruth(Frozen):
    """`reference` of an item of the form "generation".

    Attributes:
        media: an image or a video as it ought to be; one of the item's media.
        actions: rows that ought to be found, in the model's units.
        action_scale, action_offset: a value in metres is offset + scale × the model's value, channel by channel, of
            poses whose translations were normalised; without them poses are taken as they are.
        onsets_s: seconds at which something strikes; without them those that are heard in `media`.
    """

    media: str | None = None
    actions: tuple[tuple[ActionValue, ...], ...] | None = None
    action_scale: tuple[float, ...] | None = None
    action_offset: tuple[float, ...] | None = None
    onsets_s: tuple[float, ...] | None = None

    @model_validator(mode="after")
    def _rows_are_alike(self) -> Self:
        widths = sorted({len(row) for row in self.actions or ()})
        if len(widths) > 1:
            raise ValueError(f"rows of actions have {widths[0]} and {widths[-1]} values; all need the same number")
        for name in ("action_scale", "action_offset"):
            given = getattr(self, name)
            if given is not None and len(given) not in widths:
                raise ValueError(f"{name} has {len(given)} values, and a row of actions has {widths or 'none'}")
        return self


class Figures(Frozen):
    """What was measured of one result.

    Attributes:
        values: by metric.
        series: by metric its parts: of each frame after those that were given, or of each channel of an action.
        notes: by metric, why it could not be measured.
    """

    values: dict[str, float] = Field(default_factory=dict[str, float])
    series: dict[str, tuple[float, ...]] = Field(default_factory=dict[str, tuple[float, ...]])
    notes: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def looked_at(self) -> frozenset[str]:
        """Metrics that need not be measured again."""
        return frozenset(self.values) | frozenset(self.notes)

    def with_these(self, other: Figures) -> Figures:
        """Both; of what is in both the other's. What was measured after all needs no note."""
        notes = {**self.notes, **other.notes}
        return Figures(
            values={**self.values, **other.values},
            series={**self.series, **other.series},
            notes={name: why for name, why in notes.items() if name not in other.values},
        )


class GenerationResult(Frozen):
    """The text of an answer of the form "generation", as JSON.

    Attributes:
        media: ids of what was made, in the library.
        round_trip: id of the actions that were estimated from the predicted video; none without that setting.
        figures: what was measured; none before that.
    """

    media: tuple[str, ...]
    round_trip: str | None = None
    figures: Figures | None = None

    def to_text(self) -> str:
        """As an answer has it."""
        return self.model_dump_json(exclude_none=True)


def media_named(item: Json) -> tuple[str, ...]:
    """The files that an item's request and reference name, each once."""
    found: list[str] = []

    def note(name: str) -> str:
        found.append(name)
        return name

    _visit(item, note)
    return tuple(dict.fromkeys(found))


def rename_media(item: Json, names: Mapping[str, str]) -> dict[str, Any]:
    """An item as JSON with other names of its files, wherever it names them.

    Args:
        item: the fields of an `Item`, of which only `media` has been looked at.
        names: by the present name; one that is missing stays.
    """
    media = cast(Sequence[str], item.get("media") or ())
    renamed = _visit(item, lambda name: names.get(name, name))
    video: Any = item.get("video") or ""
    return {
        **renamed,
        "media": [names.get(name, name) for name in media],
        "video": names.get(video, video) if isinstance(video, str) else video,
    }


def seeded(request: Json, changes: Json, seed: int, trial: int) -> dict[str, Any]:
    """A request as a trial of a run makes it.

    Args:
        request: of the item, as its form's `check` lets it through. Its own seed is that of the first trial.
        changes: laid over it, of nested objects field by field.
        seed: of the first trial where the request has none.
        trial: counted from 0; trial k has seed + k.
    """
    merged = laid_over(request, changes)
    sampling = cast(Mapping[str, Any], merged.get("sampling") or {})
    first = sampling.get("seed")
    drawn = (seed if first is None else _SEED.validate_python(first)) + trial
    return {**merged, "sampling": {**sampling, "seed": drawn % (MAX_SEED + 1)}}


def return_trip(predicted: PredictVideo, video: str) -> dict[str, Any]:
    """The request for the actions that lead through a predicted video, with the same body, words and seed.

    Args:
        predicted: what made the video.
        video: its id.
    """
    shared = set(ActionRequest.model_fields) - {"sampling", "save_latents", "count"}
    return {
        **predicted.model_dump(mode="json", include=shared),
        "kind": PredictActions.model_fields["kind"].default,
        "source_video": video,
        "num_actions": predicted.num_actions,
        "sampling": {"seed": predicted.sampling.seed},
    }


def _visit(item: Json, act: Callable[[str], str]) -> dict[str, Any]:
    """The fields of an item, with what `act` makes of each file that its request and its reference name."""
    found = dict(item)
    request, reference = item.get("request"), item.get("reference")
    if not isinstance(request, Mapping):
        return found
    found["request"] = _visit_request(cast(Json, request), act)
    if isinstance(reference, Mapping) and isinstance(cast(Json, reference).get("media"), str):
        found["reference"] = {**cast(Json, reference), "media": act(cast(Json, reference)["media"])}
    return found


def _visit_request(request: Json, act: Callable[[str], str]) -> dict[str, Any]:
    changed = dict(request)
    for name, inner in _fields_of_media(request):
        value = request.get(name)
        if not inner and isinstance(value, str):
            changed[name] = act(value)
        elif inner and isinstance(value, list | tuple):
            entries = cast(Sequence[Any], changed[name])
            changed[name] = [_visit_entry(entry, inner, act) for entry in entries]
    return changed


def _visit_entry(entry: Any, field: str, act: Callable[[str], str]) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    fields = cast(Json, entry)
    return {**fields, field: act(fields[field])} if isinstance(fields.get(field), str) else fields


def _fields_of_media(request: Json) -> Iterator[tuple[str, str]]:
    """Fields that name a file, as ("start_image", ""), or ("controls", "video") of the entries of a list."""
    kind = KINDS.get(str(request.get("kind")))
    for path, taken in kind.takes.items() if kind else ():
        if taken.type != "actions":
            name, _, inner = path.partition(".")
            yield name, inner
