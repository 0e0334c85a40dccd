"""The image page: a form drawn from `GenerateImage`, the stage, the job's card and the strip."""

# pyright: reportUnknownMemberType=false
# Gradio annotates its own functions only in part.

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import gradio as gr
from gradio.components import Component

from frontend import element_ids, parts, text
from frontend.draft import defaults_of, is_locked, usable
from frontend.events import listener
from frontend.fields import flatten
from frontend.form import draw_form
from frontend.places import Place
from frontend.submission import submit
from frontend.validation import mistakes
from studio.catalogue import CheckpointInfo
from studio.client import StudioClient
from studio.errors import StudioError
from studio.requests import GenerateImage, draw_seed

SEED = "sampling.seed"
LOCK = "seed_lock"
"""Not a field of the request: whether the seed stays for the next submission."""

Connect = Callable[[gr.Request], StudioClient]

QUIET: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}


def draw_image_page(place: Place, connect: Connect) -> gr.Blocks:
    """The whole page.

    Args:
        place: its entry in the rail.
        connect: makes a client of the server for a caller.
    """
    with gr.Blocks(title=f"{text.STUDIO} · {place.title}", analytics_enabled=False, fill_width=True) as blocks:
        with gr.Column(elem_id=element_ids.MAIN, elem_classes=["o-page"]), gr.Row(elem_classes=["o-bench"]):
            with gr.Column(elem_classes=["o-card", "o-form"]):
                fields, generate, outcome = _draw_form_column(place.name)
            with gr.Column(elem_classes=["o-stage-column"]):
                parts.part("o-stage", elem_id=element_ids.stage(place.name), elem_classes=["o-fill"])
                parts.part("o-progress", elem_id=element_ids.progress(place.name))
                parts.part("o-strip", elem_id=element_ids.strip(place.name))
        _wire_submission(place, connect, fields, generate, outcome)
        _wire_restoring(fields)
        _wire_draft(blocks, place, connect, fields)
    return blocks


def _draw_form_column(page: str) -> tuple[dict[str, Component], gr.Button, gr.HTML]:
    tools: dict[str, gr.HTML] = {}

    def with_tools(draw: Callable[[], Component]) -> Component:
        with gr.Row(elem_classes=["o-seed-row"]):
            seed = draw()
            tools[LOCK] = parts.seed_tools(elem_id=element_ids.seed_tools(page))
        listener(tools[LOCK], "fresh")(
            None, None, [seed, tools[LOCK]], js="() => [Math.floor(Math.random() * 4294967296), true]", **QUIET
        )
        listener(seed, "input")(None, None, tools[LOCK], js="() => true", **QUIET)
        return seed

    parts.part("o-notice", elem_id=element_ids.notice(page))
    fields = draw_form(
        GenerateImage,
        page,
        around={SEED: with_tools},
        after={"prompt": lambda: _draw_examples(page)},
        beside={"resolution": "o-canvas"},
    )
    with gr.Column(elem_classes=["o-foot"]):
        generate = gr.Button(
            text.GENERATE,
            variant="primary",
            size="lg",
            elem_id=element_ids.generate(page),
            elem_classes=["o-go", "o-hot-submit"],
        )
        parts.part("o-estimate", elem_id=element_ids.estimate(page))
    outcome = parts.outcome(elem_id=element_ids.outcome(page))
    return {**fields, LOCK: tools[LOCK]}, generate, outcome


def _draw_examples(page: str) -> None:
    parts.part("o-examples", elem_id=element_ids.examples(page))


def _wire_submission(
    place: Place, connect: Connect, fields: Mapping[str, Component], generate: gr.Button, outcome: gr.HTML
) -> None:
    def check(**values: Any) -> list[Any]:
        wrong = mistakes(GenerateImage, _of_request(values))
        return [gr.validate(name not in wrong, wrong.get(name, "")) for name in fields]

    async def send(caller: gr.Request, **values: Any) -> tuple[dict[str, Any], int]:
        seed = values[SEED] if values[LOCK] else draw_seed()
        return await submit(connect(caller), place, {**_of_request(values), SEED: seed}), seed

    generate.click(
        send,
        inputs_kwargs=dict(fields),
        outputs=[outcome, fields[SEED]],
        validator=check,
        concurrency_limit=None,
        trigger_mode="multiple",
        **QUIET,
    )


def _wire_restoring(fields: Mapping[str, Component]) -> None:
    names = list(fields)

    def use(event: gr.EventData) -> list[Any]:
        given = flatten(cast("dict[str, Any]", event._data or {}))  # pyright: ignore[reportPrivateUsage]
        return [given.get(name, gr.skip()) for name in names]

    listener(parts.relay("o-use"), "o_use")(use, None, list(fields.values()), queue=False, **QUIET)


def _wire_draft(blocks: gr.Blocks, place: Place, connect: Connect, fields: Mapping[str, Component]) -> None:
    names, components = list(fields), list(fields.values())
    draft = gr.BrowserState(None, storage_key=f"orrery.draft.{place.name}", secret="orrery")

    async def restore(kept: Any, caller: gr.Request) -> list[Any]:
        served = await _served_checkpoint(connect(caller))
        defaults = defaults_of(GenerateImage, place.kind, served)
        values = {**defaults, **usable(kept, GenerateImage, served.id if served else None), LOCK: is_locked(kept)}
        return [values[name] if name in values else gr.skip() for name in names]

    remember = f"(...values) => window.orrery.remember({json.dumps(names)}, values)"
    gr.on([listener(component, "change") for component in components], None, components, draft, js=remember, **QUIET)
    blocks.load(restore, draft, components, queue=False, **QUIET).then(None, components, draft, js=remember, **QUIET)


async def _served_checkpoint(client: StudioClient) -> CheckpointInfo | None:
    try:
        async with client:
            found = (await client.checkpoints()).checkpoints
    except StudioError:
        return None  # The form stands on the request's own defaults; the header says what is wrong.
    return next((entry for entry in found if entry.state not in ("absent", "installed")), None)


def _of_request(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != LOCK}
