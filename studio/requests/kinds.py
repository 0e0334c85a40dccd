"""The kinds of request: one table of what each takes, makes and is planned by. Whoever deals in kinds reads it.

A new kind is its request, its row here (and its class in `Request`, for type checkers and the API's schema), and its
planner in `engine.planning.planners`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple, TypeVar, cast, get_args

from pydantic import BaseModel, Field, SerializeAsAny, ValidatorFunctionWrapHandler, WrapValidator
from pydantic.fields import FieldInfo

from studio.requests.actions import PredictActions, PredictVideo, RunPolicy
from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.model import Generation, InputType, Makes, OutputType, Takes
from studio.requests.transfer_video import TransferVideo

Mark = TypeVar("Mark", Takes, Makes)


@dataclass(frozen=True)
class Taken:
    """What one field takes; a request without a `required` one is refused."""

    type: InputType
    required: bool


@dataclass(frozen=True)
class Made:
    """What one result has; `when` names the field that asks for it, and is empty for what is always made."""

    type: OutputType
    when: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of request.

    Attributes:
        model: its class.
        title: what a person calls one that was made.
        planner: the engine's name of what plans it.
        always: what every result has; fields with `Makes` add to it.
        modes: what NVIDIA's framework and the servers of its models call it.
    """

    model: type[Generation]
    title: str
    planner: str
    always: tuple[OutputType, ...]
    modes: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """As in `"kind": "generate_image"`."""
        return cast("str", self.model.model_fields["kind"].default)

    @cached_property
    def takes(self) -> Mapping[str, Taken]:
        """What is taken, by field; `controls.video` is that of every entry of a list."""
        return dict(_inputs(self.model))

    @cached_property
    def makes(self) -> tuple[Made, ...]:
        """What is made: always, then what switches ask for, in the order of `SUFFIXES`."""
        marks = ((name, _mark(field, Makes)) for name, field in self.model.model_fields.items())
        switched = [Made(mark.type, when=name) for name, mark in marks if mark is not None]
        switched.sort(key=lambda made: list(SUFFIXES).index(made.type))
        return (*(Made(made) for made in self.always), *switched)

    @property
    def acts(self) -> bool:
        """Whether it deals in actions."""
        return "actions" in {each.type for each in (*self.takes.values(), *self.makes)}

    @property
    def is_captioned(self) -> bool:
        """Whether its prompt is best a structured caption, which the upsampler can write."""
        return self.has("upsample")

    def has(self, field: str) -> bool:
        """Whether its requests have a field of this name."""
        return field in self.model.model_fields

    def can_make(self, output: OutputType) -> bool:
        """Whether its results have this, always or if asked."""
        return any(made.type == output for made in self.makes)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(GenerateImage, "image", "image", ("image",), modes=("text2image",)),
        Kind(GenerateVideo, "video", "video", ("video",), modes=("text2video", "image2video", "video2video")),
        Kind(TransferVideo, "transfer", "transfer", ("video",)),
        Kind(PredictVideo, "forward dynamics", "forward_dynamics", ("video",), modes=("forward_dynamics",)),
        Kind(PredictActions, "inverse dynamics", "inverse_dynamics", ("actions",), modes=("inverse_dynamics",)),
        Kind(RunPolicy, "policy", "policy", ("actions",), modes=("policy", "wam")),
    )
}

SUFFIXES: dict[OutputType, tuple[str, ...]] = {
    "image": (".png",),
    "video": (".mp4",),
    "sound": (),
    "actions": (".json", ".npy"),
    "latents": (".safetensors",),
}
"""What the files of an output end in, the most telling first; sound is in its clip."""


def _by_kind(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    """Validate by the table; what names no kind of it is refused as the union does."""
    if isinstance(value, Generation):
        return value
    said = cast("Mapping[str, object]", value).get("kind") if isinstance(value, Mapping) else None
    kind = KINDS.get(said) if isinstance(said, str) else None
    return handler(value) if kind is None else kind.model.model_validate(value)


Request = Annotated[
    SerializeAsAny[GenerateImage | GenerateVideo | TransferVideo | PredictVideo | PredictActions | RunPolicy],
    Field(discriminator="kind"),
    WrapValidator(_by_kind),
]
"""Everything that can be asked: one class a kind."""


class NamedMedium(NamedTuple):
    """A medium of the store that a request names, and the field that it is in, as in `controls.0.video`."""

    param: str
    type: InputType
    id: str


def media_of(request: Generation) -> Iterator[NamedMedium]:
    """Every picture and clip that a request names, in the order of its fields."""
    for path, taken in kind_of(request).takes.items():
        if taken.type != "actions":
            for param, name in _values(request, path):
                if name is not None:
                    yield NamedMedium(param, taken.type, name)


def made_by(request: Generation) -> tuple[OutputType, ...]:
    """What one result of a request has."""
    return tuple(made.type for made in kind_of(request).makes if not made.when or getattr(request, made.when))


def suffixes_of(request: Generation) -> tuple[str, ...]:
    """What the files of one result end in, the most telling first."""
    return tuple(suffix for made in made_by(request) for suffix in SUFFIXES[made])


def kind_of(request: Generation) -> Kind:
    """The row of a request's kind."""
    return KINDS[cast("Any", request).kind]


def _inputs(model: type[BaseModel]) -> Iterator[tuple[str, Taken]]:
    for name, field in model.model_fields.items():
        mark = _mark(field, Takes)
        if mark is not None:
            yield name, Taken(mark.type, field.is_required())
        for entry in get_args(field.annotation):
            if isinstance(entry, type) and issubclass(entry, BaseModel):
                for path, found in _inputs(entry):
                    yield f"{name}.{path}", Taken(found.type, field.is_required())


def _mark(field: FieldInfo, mark: type[Mark]) -> Mark | None:
    return next((note for note in field.metadata if isinstance(note, mark)), None)


def _values(request: BaseModel, path: str) -> Iterator[tuple[str, str | None]]:
    name, _, inner = path.partition(".")
    if not inner:
        yield name, getattr(request, name)
        return
    for index, entry in enumerate(getattr(request, name)):
        yield from ((f"{name}.{index}.{param}", value) for param, value in _values(entry, inner))
