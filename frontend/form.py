"""Draws a form from a request's fields: bounds become sliders, choices chips or lists, rare fields go behind a fold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import Any

import gradio as gr
from gradio.components import Component
from pydantic import BaseModel

from frontend import element_ids, parts, text
from frontend.fields import FieldSpec, fields_of

MAX_SLIDER_SPAN = 10_000
"""Beyond this a slider of 300 px cannot be aimed, and a number box is drawn."""

MAX_CHIPS = 8
"""Beyond this a choice is drawn as a list."""

MAX_NAMED = 1
"""Titles that fit on the fold's one line, beside how many more there are."""

Draw = Callable[[], Component]


def draw_form(
    model: type[BaseModel],
    page: str,
    *,
    around: Mapping[str, Callable[[Draw], Component]] | None = None,
    after: Mapping[str, Callable[[], None]] | None = None,
    beside: Mapping[str, str] | None = None,
    early: Sequence[str] = (),
    rare: Collection[str] = (),
    without: Collection[str] = (),
) -> dict[str, Component]:
    """Draw every field of a request.

    Args:
        model: the request.
        page: prefix of the element ids.
        around: by path, what draws a field together with what belongs around it.
        after: by path, what is drawn below a field.
        beside: by path, the tag of an element beside a choice's title.
        early: paths that come right after the first field, in this order.
        rare: paths that go behind the fold, beside those that say so themselves.
        without: paths that are not drawn.

    Returns:
        The components by dotted path.
    """
    around, after, beside = around or {}, after or {}, beside or {}
    drawn: dict[str, Component] = {}

    def draw(specs: list[FieldSpec]) -> None:
        for row, group in groupby(specs, key=lambda spec: spec.hint.row or spec.path):
            fields = list(group)
            if len(fields) > 1:
                with gr.Row(elem_classes=["o-line", f"o-line-{row}"]):
                    for spec in fields:
                        drawn[spec.path] = draw_field(spec, page, beside.get(spec.path, ""))
            else:
                draw_one(fields[0])

    def draw_one(spec: FieldSpec) -> None:
        def plainly() -> Component:
            return draw_field(spec, page, beside.get(spec.path, ""))

        drawn[spec.path] = around[spec.path](plainly) if spec.path in around else plainly()
        if spec.path in after:
            after[spec.path]()

    every = [spec for spec in fields_of(model) if spec.path not in without]
    first, *others = every
    every = [first, *sorted(others, key=lambda spec: early.index(spec.path) if spec.path in early else len(early))]
    folded = [spec for spec in every if spec.hint.fold or spec.path in rare]
    draw([spec for spec in every if spec not in folded])
    if folded:
        folded.sort(key=lambda spec: "." in spec.path)
        with gr.Accordion(_summary(folded), open=False, elem_id=element_ids.fold(page), elem_classes=["o-fold"]):
            draw(folded)
    return drawn


def draw_field(spec: FieldSpec, page: str, beside: str = "") -> Component:
    """The component of one field."""
    elem_id = element_ids.field(page, spec.path)
    classes = ["o-field", "o-choice"]
    if spec.type is bool and not spec.optional:
        return parts.switch(
            path=spec.path,
            label=spec.title,
            value=spec.default,
            info=spec.help,
            elem_id=elem_id,
            elem_classes=classes,
        )
    if spec.options:
        names = dict(spec.hint.names) if spec.hint.names else {True: text.ON, False: text.OFF}
        return parts.chips(
            [
                *([(text.UNSAID, None)] if spec.optional else []),
                *((_shown(names, value), value) for value in spec.options),
            ],
            path=spec.path,
            label=spec.title,
            value=spec.default,
            info=spec.help,
            elem_id=elem_id,
            elem_classes=classes,
            beside=beside,
            tag="o-chips" if len(spec.options) <= MAX_CHIPS else "o-select",
        )
    if spec.type is str:
        return gr.Textbox(
            spec.default or "",
            label=spec.title,
            info=spec.help,
            lines=spec.hint.lines,
            max_lines=max(spec.hint.lines, 12) if spec.hint.lines > 1 else 1,
            placeholder=text.PROMPTS.get(page) if spec.path == "prompt" else None,
            elem_id=elem_id,
            elem_classes=["o-field", "o-words"],
            interactive=True,
        )
    return _draw_number(spec, elem_id)


def _shown(names: Mapping[Any, str], value: object) -> str:
    return names.get(value, str(value).replace("_", " "))


def _draw_number(spec: FieldSpec, elem_id: str) -> Component:
    whole = spec.type is int
    shared: dict[str, Any] = {"label": spec.title, "elem_id": elem_id, "interactive": True}
    if spec.low is None or spec.high is None or spec.optional or spec.high - spec.low > MAX_SLIDER_SPAN:
        # No minimum or maximum here: Gradio would answer them with a toast, the request answers them below the field.
        return gr.Number(
            spec.default, precision=0 if whole else None, info=spec.help, elem_classes=["o-field", "o-number"], **shared
        )
    return gr.Slider(
        spec.low,
        spec.high,
        value=spec.default,
        step=spec.step or (1 if whole else 0.1),
        buttons=[],
        elem_classes=["o-field", "o-range"],
        **shared,
    )


def _summary(folded: list[FieldSpec]) -> str:
    first, *others = [spec.title for spec in folded[:MAX_NAMED]]
    named = ", ".join([first, *(title[:1].lower() + title[1:] for title in others)])
    more = len(folded) - MAX_NAMED
    return text.AND_MORE.format(first=named, more=more) if more > 0 else named
