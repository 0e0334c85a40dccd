"""What a making page is: a place, the request that its form makes, and what stands around some of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from frontend.fields import hidden_in
from frontend.places import Place

HOLDS = "@"
"""The name of a part that holds several fields begins so: its value is a mapping of their paths."""

KEPT = f"{HOLDS}kept"
"""The part that holds what a form does not draw."""

MODEL = f"{HOLDS}model"
"""The part that holds what runs the request: its checkpoint, and a LoRA adapter on top."""

TOP = ""
"""What a part stands below that comes before every field."""


@dataclass(frozen=True)
class FormPart:
    """An element that stands for request fields which no slider or chip can draw.

    Attributes:
        name: among the form's values; begins with `HOLDS`.
        tag: of the element, in `frontend/page`.
        paths: the request fields that it holds, which are the keys of its value.
        below: path of the field that it stands below, or `TOP`.
        spec: what the element is told once beside its name.
    """

    name: str
    tag: str
    paths: tuple[str, ...]
    below: str = "prompt"
    spec: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Panel:
    """One making page.

    Attributes:
        place: its entry in the rail.
        model: the request.
        parts: in the order in which they are drawn.
        early: fields that are drawn right after the prompt, in this order.
        rare: fields that go behind the fold here.
        first: values that it starts with, where the checkpoint's defaults say nothing.
        tabs: places that share its entry in the rail, as (place, name); empty for a place that stands alone.
        tools: elements below the stage that do something else with the form's values.
    """

    place: Place
    model: type[BaseModel]
    parts: tuple[FormPart, ...] = ()
    early: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    first: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tabs: tuple[tuple[Place, str], ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def every_part(self) -> tuple[FormPart, ...]:
        """What runs it, its own parts, and one for what nothing else of the form shows: a recipe's intervals."""
        hidden = hidden_in(self.model)
        model = FormPart(MODEL, "o-model", tuple(path for path in ("checkpoint", "adapter") if path in hidden), TOP)
        own = {"kind", *(path for part in (model, *self.parts) for path in part.paths)}
        rest = {path: value for path, value in hidden.items() if path not in own}
        return (model, *self.parts, FormPart(KEPT, "o-kept", tuple(rest), spec={"defaults": rest}))

    @property
    def held(self) -> frozenset[str]:
        """Paths of fields that a part holds."""
        return frozenset(path for part in self.every_part for path in part.paths)


def spread(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a form by request path: what parts hold takes their place; what they leave empty is left out."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if not name.startswith(HOLDS):
            found[name] = value
        elif isinstance(value, Mapping):
            found |= {path: held for path, held in value.items() if held is not None}  # pyright: ignore[reportUnknownVariableType]
    return found


def gathered(panel: Panel, values: Mapping[str, Any]) -> dict[str, Any]:
    """The opposite: values by request path as the form's components take them; a part that nothing is said of is left.

    Of `{"prompt": "x", "start_image": "u0"}` the video form takes `{"prompt": "x", "@start": {"start_image": "u0"}}`.
    """
    found = {path: value for path, value in values.items() if path not in panel.held}
    for part in panel.every_part:
        said = {path: values[path] for path in part.paths if path in values}
        if said:
            found[part.name] = said
    return found
