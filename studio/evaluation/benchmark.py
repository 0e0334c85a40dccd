"""A benchmark: its items, how they are asked and read, and the settings under which answers are drawn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, cast

from pydantic import Field, JsonValue, model_validator

from studio.evaluation.generations import media_named, rename_media
from studio.evaluation.schema import AnnotationSchema
from studio.requests import MAX_SEED, Frozen

Form = Literal["choice", "text", "number", "boxes", "points", "intervals", "events", "fields", "policy", "generation"]
"""How an item is asked and how its answer is read; `studio.evaluation.forms.FORMS` has a row for each."""

Counted = Literal["start", "end"]

HIT_WINDOW_FRAMES = 4.1
"""Width of the window around the truth in which an event counts as hit, in sampled frames (cosmos-cookbook,
temporal_localization/postprocess.py)."""
EVENTS_FPS = 8.0
"""Frames a second that the temporal-localisation recipe found best."""
MAX_RELATIVE_ERROR_PERCENT = 30.0
"""Above it MimicGen's generation slows down markedly (the same recipe)."""


class Settings(Frozen):
    """How clips are looked at and how tokens are drawn.

    Attributes:
        num_frames: looked at in a clip, evenly; not together with `fps`.
        fps: frames a second that are looked at; without either the reasoner's own.
        min_pixels, max_pixels: bounds of a picture, or of each frame of a clip, as the recipes have them; those of
            `studio.requests.Reason` are of all frames of a clip together.
        temperature: 0 always takes the most likely token.
        seed: of the first trial; trial k has seed + k.
        trials: answers to each item.
        max_tokens: of one answer.
        thinking: think before answering.
        request: of "generation": laid over every item's request, as in `{"sampling": {"num_inference_steps": 10}}`.
        round_trip: of "generation": also estimate actions from every video that is predicted from actions.
    """

    num_frames: int | None = Field(default=None, ge=1, le=768)
    fps: float | None = Field(default=None, gt=0, le=60)
    min_pixels: int | None = Field(default=None, ge=1, le=2**28)
    max_pixels: int | None = Field(default=None, ge=1, le=2**28)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    trials: int = Field(default=1, ge=1, le=100)
    max_tokens: int = Field(default=1024, ge=1, le=65_536)
    thinking: bool = False
    request: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    round_trip: bool = False

    @model_validator(mode="after")
    def _frames_are_counted_one_way(self) -> Self:
        if self.num_frames is not None and self.fps is not None:
            raise ValueError("num_frames and fps are both given; use one of them")
        if self.min_pixels is not None and self.max_pixels is not None and self.min_pixels > self.max_pixels:
            raise ValueError(f"min_pixels is {self.min_pixels}, above max_pixels, {self.max_pixels}")
        return self


class EventRules(Frozen):
    """How events are held against the truth.

    Attributes:
        counted: which time of an event counts, also in truths that have both.
        tolerance_s: an event closer to the truth is hit; none is 4.1 / (2 · fps) of the settings' fps, else of 8 fps.
        max_relative_error_percent: an answer with a smaller mean relative error succeeds.
    """

    counted: Counted = "end"
    tolerance_s: float | None = Field(default=None, gt=0)
    max_relative_error_percent: float = Field(default=MAX_RELATIVE_ERROR_PERCENT, gt=0)


class Item(Frozen):
    """One question with its truth.

    Attributes:
        id: unique in its benchmark.
        media: paths relative to the benchmark's folder; once uploaded, ids of the media store.
        question: in words; of events, what stands before their list, or nothing; of a policy, the instruction.
        choices: by letter.
        events: names of what happens, in order.
        category: of the tables; of temporal localisation it is the task.
        reference: the truth. "choice": a letter. "text": a text. "number": a number. "boxes": a list of
            `{"box_2d": [x1, y1, x2, y2], "label"}` on the grid of 0 to 1000, without a label any fits. "points": a
            list of such boxes or of masks `{"size": [height, width], "counts": […]}` (COCO's run lengths, not
            compressed), inside one of which a point is right. "intervals": a list of `{"start", "end", "label"}` in
            seconds. "events": an end time in seconds for each, or [start, end]. "fields": an object. "policy": the name
            of the object that is asked for, or nothing. "generation": a `GenerationTruth`, or nothing.
        judge_question: what a judge is told was asked; without one the question.
        video: items of one video are averaged first; without one the first medium.
        request: of "generation": as `POST /v1/jobs` takes it, without checkpoint and adapter. Without `media` these are
            the files that it and the reference name.
    """

    id: str = Field(min_length=1, max_length=300)
    media: tuple[str, ...] = ()
    question: str = ""
    choices: dict[str, str] | None = None
    events: tuple[str, ...] = ()
    category: str = ""
    reference: JsonValue = None
    judge_question: str = ""
    video: str = ""
    request: dict[str, JsonValue] | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_of_its_first_medium(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        fields = cast(dict[str, Any], given)
        media: Any = fields.get("media") or media_named(fields)
        if not isinstance(media, list | tuple) or not media:
            return fields
        names = cast(Sequence[Any], media)
        return {**fields, "media": names, "video": fields.get("video") or names[0]}


class Benchmark(Frozen):
    """Items, method and settings.

    Attributes:
        name: in addresses and file names.
        title: the name that people read.
        description: what it measures and where it comes from.
        form: how items are asked and read.
        metrics: that are drawn up; none is all of the form.
        system: the system prompt, instead of the form's own.
        annotation: of "fields".
        events: of "events".
        settings: under which answers are drawn.
        items: in order.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")
    title: str = ""
    description: str = ""
    form: Form
    metrics: tuple[str, ...] = ()
    system: str = ""
    annotation: AnnotationSchema | None = None
    events: EventRules = EventRules()
    settings: Settings = Settings()
    items: tuple[Item, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        seen: set[str] = set()
        for item in self.items:
            if item.id in seen:
                raise ValueError(f"the id {item.id!r} is there twice; every item needs its own")
            seen.add(item.id)
        if (self.form == "fields") != (self.annotation is not None):
            raise ValueError(f"the form is {self.form}; annotation belongs to the form fields, which needs it")
        return self

    @property
    def tolerance_s(self) -> float:
        """An event closer to the truth than this is hit: 0.256 s at 8 fps."""
        return self.events.tolerance_s or HIT_WINDOW_FRAMES / (2 * (self.settings.fps or EVENTS_FPS))


def content_hash(benchmark: Benchmark, media: Mapping[str, str] | None = None) -> str:
    """What is asked, and the truth, as hexadecimal sha256 of canonical JSON.

    Settings, metrics and rules of scoring are no part of it: they may change without another item.

    Args:
        benchmark: the names of its media may be paths or ids.
        media: content hashes by name, which stand in for the names where they are known, so that the same items have
            the same hash wherever their files are.
    """
    known = media or {}
    items = [rename_media(_as_asked(item), known) for item in benchmark.items]
    schema = benchmark.annotation.model_dump(mode="json") if benchmark.annotation else None
    asked = {"form": benchmark.form, "system": benchmark.system, "annotation": schema, "items": items}
    canonical = json.dumps(asked, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _as_asked(item: Item) -> dict[str, Any]:
    """An item as JSON. What only generations have is left out of others, whose hash is older than it."""
    return item.model_dump(mode="json", exclude=set() if item.request is not None else {"request"})
